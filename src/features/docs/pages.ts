import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { Router } from 'express';
import type { RequestHandler, Response } from 'express';
import { documentFile } from '../../http/document.ts';
import { createTextSender } from '../../http/text-sender.ts';

/** Scalar's one file, packed, which `npm run generate` takes out of its package. */
const BUNDLE = path.join(import.meta.dirname, '../../../generated/scalar.js.gz');

/** The page talks to this service alone. Scalar sets styles of its own, in tags and in attributes. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Links are relative, so that the page works under whatever name and path it is reached. */
const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Mintmark API</title>
    <meta name="description" content="The HTTP API of Mintmark: every operation, to read and to try." />
    <link rel="icon" href="favicon.svg" />
    <style>
      body { margin: 0; font: 16px/1.5 system-ui, sans-serif; color-scheme: light dark; }
      #reference > main { max-width: 44rem; margin: 0 auto; padding: 3rem 1.25rem; }
      button { font: inherit; padding: 0.75rem 1.25rem; }
    </style>
  </head>
  <body>
    <div id="reference">
      <main>
        <h1>Mintmark API</h1>
        <p>Deploys and manages ERC-20 and ERC-721 tokens over HTTP, exactly once.</p>
        <ol>
          <li><strong>Register</strong> with an invite code of whoever runs this service: <code>POST /v1/auth/register</code>.</li>
          <li><strong>Sign in</strong> for an access token: <code>POST /auth/signin</code>.</li>
          <li><strong>Mint</strong>: deploy a token with <code>POST /tokens</code>, then <code>POST /tokens/{address}/mint</code>.</li>
        </ol>
        <p>
          The whole contract in one file: <a href="openapi.yaml">openapi.yaml</a>.
          Every operation, to read and to try, <span id="loading">is being loaded</span>.
        </p>
        <p><button id="load" hidden>Show every operation (over a megabyte)</button></p>
        <noscript>Operations are shown here with JavaScript only.</noscript>
      </main>
    </div>
    <script src="docs/start.js" defer></script>
  </body>
</html>
`;

/** Requests go to where the page came from: there alone the session cookie works, whatever the service calls itself. */
const START = `const service = new URL('.', location.href).href.replace(/\\/$/, '');
const show = () => {
  document.getElementById('reference').replaceChildren();
  Scalar.createApiReference('#reference', {
    url: service + '/docs/openapi.json',
    servers: [{ url: service, description: 'This deployment.' }],
    agent: { disabled: true },
    mcp: { disabled: true },
    telemetry: false,
    withDefaultFonts: false,
    hideClientButton: true,
    documentDownloadType: 'none',
    showDeveloperTools: 'never',
    orderSchemaPropertiesBy: 'preserve',
  });
};
const button = document.getElementById('load');
const loading = document.getElementById('loading');
const load = () => {
  button.hidden = true;
  loading.textContent = 'is being loaded';
  const script = document.createElement('script');
  script.src = 'docs/scalar.js';
  script.onload = show;
  document.body.append(script);
};
// Four megabytes of script, over which a phone thinks for seconds: there when they are asked for, by the button or a
// link to an operation, and elsewhere after the text of the page is on the screen.
const isSmall = matchMedia('(max-width: 48rem)').matches;
if (isSmall && !location.hash) {
  button.hidden = false;
  loading.textContent = 'comes with the button';
  button.onclick = load;
} else if (document.readyState === 'complete') requestAnimationFrame(() => setTimeout(load));
else addEventListener('load', () => requestAnimationFrame(() => setTimeout(load)));
`;

/** What comes first on the page. */
const START_HERE = `# Start here

1. **Register** with an invite code of whoever runs this service: \`POST /v1/auth/register\`.
2. **Sign in**: \`POST /auth/signin\` answers an access token. Put it under
   Authentication, and every request from this page carries it. It comes from there alone and is shown once; sign in again
   for another. Servers use an API key instead, which \`POST /v1/api-keys\` creates.
3. **Mint**: deploy a token with \`POST /tokens\`, then mint it with
   \`POST /tokens/{address}/mint\`.

# How it works

`;

const TRYING = `
**Trying it here.** Every operation has a button for that. \`POST /auth/signin\` answers the access token to put under
Authentication; \`POST /v1/auth/login\` sets the session cookie, which the browser keeps and sends by itself.

**For programs.** The same document is at [openapi.yaml](openapi.yaml).
`;

interface Schema {
  $ref?: string;
  examples?: unknown[];
}
/** One that refers to a shared one has none of these. */
interface Parameter {
  required?: boolean;
  example?: unknown;
  schema?: Schema;
}
interface Document {
  info: { description: string };
  paths: Record<string, Record<string, { parameters?: Parameter[] }>>;
  components: { parameters: Record<string, Parameter>; schemas: Record<string, Schema> };
}

/**
 * The contract for the page. Scalar sends every parameter that has an example: optional ones must begin empty, or a
 * second try would repeat the Idempotency-Key of the first, and every list would begin at a page that is not there.
 * And where a schema has examples it lets one choose among them, where there should be a field to type into.
 */
async function readDocument(): Promise<Document> {
  const document = JSON.parse(await readFile(documentFile, 'utf8')) as Document;
  const { components, info, paths } = document;
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  const parameters = operations.flatMap(({ parameters = [] }) => parameters);
  for (const parameter of [...Object.values(components.parameters), ...parameters]) {
    if (parameter.required === false) parameter.example = '';
    if (parameter.schema === undefined) continue;
    const name = parameter.schema.$ref?.split('/').at(-1);
    const { examples: _, ...schema } = name === undefined ? parameter.schema : components.schemas[name]!;
    parameter.schema = schema;
  }
  info.description = START_HERE + info.description + TRYING;
  return document;
}

/** `GET /docs`: the contract for people, by Scalar. Nothing of it comes from or goes elsewhere. */
export function createDocs(): Router {
  // Strict, since the relative links of /docs would lead elsewhere from /docs/.
  const router = Router({ strict: true });
  router.get('/docs', (_request, response) => {
    response.setHeader('Content-Security-Policy', CONTENT_SECURITY_POLICY);
    response.type('html').send(PAGE);
  });
  router.get('/docs/', (_request, response) => response.redirect(308, '../docs'));
  router.get('/docs/start.js', (_request, response) => {
    response.type('js').send(START);
  });
  let document: Promise<string> | undefined;
  const send = createTextSender('application/json');
  router.get('/docs/openapi.json', async (request, response) => {
    document ??= readDocument().then((read) => JSON.stringify(read));
    send(request, response, await document);
  });
  router.get('/docs/scalar.js', serveBundle());
  return router;
}

/** Read at the first visit: 4 MB, packed into one. */
function serveBundle(): RequestHandler {
  let packed: Promise<Buffer> | undefined;
  return async (request, response: Response) => {
    response.type('js').vary('Accept-Encoding').set('Cache-Control', 'public, max-age=3600');
    packed ??= readFile(BUNDLE);
    if (request.acceptsEncodings('gzip')) {
      response.setHeader('Content-Encoding', 'gzip');
      response.send(await packed);
    } else response.send(await promisify(gunzip)(await packed));
  };
}
