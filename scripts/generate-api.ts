import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import openapiTypeScript, { astToString } from 'openapi-typescript';
import { parse } from 'yaml';

const root = join(import.meta.dirname, '..');
const banner = '// Generated from openapi.yaml by `npm run generate`. Do not edit.\n';

interface Operation {
  operationId?: string;
  security?: Record<string, unknown>[];
  parameters?: { $ref?: string }[];
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
}

const WRITES = new Set(['post', 'put', 'patch', 'delete']);

/** Which credentials each operation takes: what openapi-typescript leaves out and handlers need to know. */
function securityTypes({ paths }: Document): string {
  const lines = Object.values(paths).flatMap((item) =>
    Object.values(item).flatMap(({ operationId, security = [] }) => {
      if (operationId === undefined) return [];
      const schemes = security.flatMap((requirement) => Object.keys(requirement).map((name) => `"${name}"`));
      return `    ${operationId}: ${schemes.join(' | ') || 'never'};`;
    }),
  );
  return `/** The security schemes that each operation accepts; \`never\` when it is public. */\nexport interface security {\n${lines.join('\n')}\n}\n`;
}

/** The writes that take no `Idempotency-Key`: `@mintmark/client` gives one to all others. */
function keylessWrites({ paths }: Document): string {
  const lines = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, { parameters = [] }]) => {
      const takesKey = parameters.some(({ $ref }) => $ref === '#/components/parameters/IdempotencyKey');
      return takesKey || !WRITES.has(method) ? [] : [`  '${method} ${path}',\n`];
    }),
  );
  return `${banner}\n/** Writes that take no \`Idempotency-Key\`. */\nexport const KEYLESS: ReadonlySet<string> = new Set([\n${lines.join('')}]);\n`;
}

const client = `${banner}import createClient from 'openapi-fetch';
import type { Client } from 'openapi-fetch';
import type { paths } from './api.ts';

export type MintmarkClient = Client<paths>;

export type MintmarkClientOptions = {
  /** Where the service is, without a path: \`https://mint.example.org\`. */
  baseUrl: string;
  /** An access token or API key, sent as \`Authorization: Bearer\`. */
  token?: string;
  /** Value of the \`service_session\` cookie; for programs, since browsers send their own. */
  cookie?: string;
  /** Replaces the global \`fetch\`. */
  fetch?: typeof globalThis.fetch;
};

/** A typed client: \`client.POST('/tokens', { body })\` gives \`{ data }\` or \`{ error }\`, and the \`response\`. */
export const createMintmarkClient = ({ baseUrl, token, cookie, fetch }: MintmarkClientOptions): MintmarkClient =>
  createClient<paths>({
    baseUrl,
    headers: {
      ...(token === undefined ? {} : { authorization: \`Bearer \${token}\` }),
      ...(cookie === undefined ? {} : { cookie: \`service_session=\${cookie}\` }),
    },
    ...(fetch === undefined ? {} : { fetch: (request: Request) => fetch(request) }),
  });
`;

const folder = process.argv[2] ?? join(root, 'generated');
const file = join(root, 'openapi.yaml');
const document = parse(await readFile(file, 'utf8')) as Document;
const types = astToString(await openapiTypeScript(new URL(`file://${file}`), { defaultNonNullable: false }));
await mkdir(folder, { recursive: true });
await writeFile(join(folder, 'api.ts'), `${banner}${types}${securityTypes(document)}`);
await writeFile(join(folder, 'client.ts'), client);
await writeFile(
  join(process.argv[2] ?? join(root, 'packages/client/src'), 'keyless.ts'),
  keylessWrites(document),
);
await writeFile(join(folder, 'openapi.json'), `${JSON.stringify(document, null, 1)}\n`);
