import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Router } from 'express';
import type { Request, Response } from 'express';
import { BASE_STYLE, contentPolicy, html, page } from '../html.ts';

/** What `npm run console:build` writes. */
const BUILD = path.join(import.meta.dirname, '../../../packages/console/dist');

/** The build's files by their names, which have a hash of their content: `index-BJB9GkVl.js`. */
const ASSET = /^[\w-]+\.(js|css|svg)$/;

/** In the order in which a client that takes both is served. */
const ENCODINGS = [
  { name: 'br', ending: '.br' },
  { name: 'gzip', ending: '.gz' },
];

/** The build's page has these where each answer has its own. */
const BASE = '<base href="/console/" />';
const GATEWAY = '<meta name="ipfs-gateway" content="" />';
const NONCE = '__NONCE__';
const NONCE_BYTES = 16;

const IMMUTABLE = 'public, max-age=31536000, immutable';

/**
 * The console talks to this service alone. Pictures of tokens are data of the chain, or come from the gateway to IPFS
 * that the operator named; those on other hosts are not loaded. Styles that its components add carry the nonce.
 */
function policyOf(nonce: string, gateway: URL | null): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    `img-src 'self' data:${gateway ? ` ${gateway.origin}` : ''}`,
    "connect-src 'self'",
    "base-uri 'self'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/**
 * `GET /console`: the pages of `packages/console`, one document for all of them, and its files.
 * @param directory of another build than that of this clone
 * @param ipfsGateway URL of a gateway to IPFS from which browsers load pictures; the service itself never asks it
 */
export function createConsole({
  directory = BUILD,
  ipfsGateway = null,
}: { directory?: string; ipfsGateway?: string | null } = {}): Router {
  const gateway = ipfsGateway === null ? null : new URL(ipfsGateway);
  const router = Router({ strict: true });
  const assets = createAssets(directory);
  router.get('/console/assets/:name', (request: Request<{ name: string }>, response, next) =>
    ASSET.test(request.params.name)
      ? assets.send(`assets/${request.params.name}`, IMMUTABLE, request, response, next)
      : next(),
  );
  router.get('/console/theme.js', (request, response, next) =>
    assets.send('theme.js', 'no-cache', request, response, next),
  );
  router.get(['/console', '/console/{*rest}'], async (request, response, next) => {
    if (request.path.startsWith('/console/assets/')) return next();
    const built = await readFile(path.join(directory, 'index.html'), 'utf8').catch(() => null);
    if (built === null) return sendMissing(response);
    const nonce = randomBytes(NONCE_BYTES).toString('base64');
    response.setHeader('Content-Security-Policy', policyOf(nonce, gateway));
    const base = `<base href="${pathToConsole(request.path)}" />`;
    const named = GATEWAY.replace('""', `"${gateway?.href ?? ''}"`);
    response.type('html').send(
      built
        .replace(BASE, base)
        .replace(GATEWAY, () => named)
        .replaceAll(NONCE, nonce),
    );
  });
  return router;
}

/**
 * From the document to the folder of the console, whatever path the service is reached at: `../` at
 * `/console/tokens/0x…`.
 */
function pathToConsole(opened: string): string {
  if (opened === '/console') return 'console/';
  return '../'.repeat(opened.split('/').length - 3) || './';
}

type Next = () => void;

/** Files of the build are read once: what stands under a name with a hash never changes. */
function createAssets(directory: string) {
  const kept = new Map<string, Buffer>();
  const read = async (name: string): Promise<Buffer | null> => {
    const content = kept.get(name) ?? (await readFile(path.join(directory, name)).catch(() => null));
    if (content) kept.set(name, content);
    return content;
  };
  return {
    /** Sends the file as it was packed by the build; one that is missing is an unknown path. */
    async send(
      name: string,
      caching: string,
      request: Request,
      response: Response,
      next: Next,
    ): Promise<void> {
      const encoding = ENCODINGS.find((each) => request.acceptsEncodings(each.name));
      const packed = encoding ? await read(name + encoding.ending) : null;
      const content = packed ?? (await read(name));
      if (content === null) return next();
      response.set('Cache-Control', caching).type(path.extname(name)).vary('Accept-Encoding');
      if (packed && encoding) response.set('Content-Encoding', encoding.name);
      response.send(content);
    },
  };
}

const STYLE = `${BASE_STYLE}
main { max-width: 40rem; margin: 4rem auto; padding: 0 1.25rem; }
`;

const MISSING = String(
  page(
    'The console is not built',
    STYLE,
    html`<main>
      <h1>The console is not built</h1>
      <p>
        Whoever runs this service builds it once, in its folder: <code>npm run console:build</code>. The
        service needs no new start. Everything else works without it: <a href="docs">the API</a>.
      </p>
    </main>`,
  ),
);

function sendMissing(response: Response): void {
  response.setHeader('Content-Security-Policy', contentPolicy(STYLE));
  response.status(503).type('html').send(MISSING);
}
