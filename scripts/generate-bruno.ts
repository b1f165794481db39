import { globSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  parseCollection,
  parseEnvironment,
  parseFolder,
  parseRequest,
  stringifyCollection,
  stringifyEnvironment,
  stringifyFolder,
  stringifyRequest,
} from '@usebruno/filestore';
import { parse, stringify } from 'yaml';
import { readContractText } from '../lab/stage/contract-coverage.ts';
import { examplesOf, readDocumented, schemesOf } from '../lab/stage/documented.ts';
import type { Documented } from '../lab/stage/documented.ts';

/**
 * Writes the collection for Bruno: a folder for each tag of openapi.yaml, a request for each operation. The files are
 * OpenCollection YAML, which Bruno writes by default since version 3. They go through Bruno's own reader and writer, so
 * that they are as Bruno saves them: opening and saving one makes no difference.
 */

/** Variables that a request sets for those that follow, with their places in its answer. */
const KEPT: Record<string, Record<string, string>> = {
  signIn: { token: 'token' },
  createApiKey: { apiKey: 'key', keyId: 'id' },
  deployToken: { address: 'data.address', intentId: 'data.intentId' },
  createCollection: { collection: 'address', intentId: 'intentId' },
  createWebhook: { webhookId: 'id' },
  testWebhook: { deliveryId: 'id' },
};

/** The variable of a path parameter, by the start of its path; others have the example of the contract. */
const PATH_VARIABLES: [start: RegExp, parameter: string, variable: string][] = [
  [/^\/v1\/collections\//, 'address', 'collection'],
  [/^\/token/, 'address', 'address'],
  [/^\/intents\//, 'id', 'intentId'],
  [/^\/v1\/api-keys\//, 'id', 'keyId'],
  [/^\/v1\/webhooks\//, 'id', 'webhookId'],
  [/^\/v1\/webhooks\//, 'deliveryId', 'deliveryId'],
];

/** Of the environment `local`, besides an example for each of the above. */
const ACCOUNT = {
  baseUrl: 'http://127.0.0.1:3000',
  email: 'bruno@example.com',
  password: 'correct horse battery',
};
/** Values that no file holds: Bruno keeps them apart, encrypted. */
const SECRETS = ['inviteCode', 'token', 'apiKey'];

/** What Bruno's reader makes of a collection, for its writer. */
interface Collection {
  collectionRoot: unknown;
  brunoConfig: unknown;
}

interface Tag {
  name: string;
  'x-displayName': string;
  description: string;
}

const operations = readDocumented();
const variable = (name: string): string => `{{${name}}}`;
const findVariable = (template: string, name: string): string | undefined =>
  PATH_VARIABLES.find(([start, parameter]) => start.test(template) && parameter === name)?.[2];

function authOf(operation: Documented) {
  const schemes = schemesOf(operation);
  if (schemes.includes('accessToken')) return { type: 'bearer', token: variable('token') };
  if (schemes.includes('liveKey')) return { type: 'bearer', token: variable('apiKey') };
  return undefined;
}

function parametersOf({ path: template, parameters }: Documented) {
  return parameters.flatMap(({ name, in: place, description, example, required }) => {
    if (place !== 'path' && place !== 'query') return [];
    if (place === 'query' && required)
      throw new Error(`${template} needs a query, which its URL has to have`);
    const kept = findVariable(template, name);
    const value = kept === undefined ? String(example) : variable(kept);
    return [{ name, value, type: place, description, ...(place === 'query' && { disabled: true }) }];
  });
}

/** `Prefer` is there to be switched on. */
const headersOf = ({ parameters }: Documented) =>
  parameters
    .filter(({ in: place }) => place === 'header')
    .map(({ name, description, example }) =>
      name === 'Idempotency-Key'
        ? { name, value: variable('$guid'), description }
        : { name, value: String(example), description, disabled: true },
    );

/** The first example, with the variables of its account. */
function bodyOf({ requestBody }: Documented) {
  if (!requestBody) return undefined;
  const [first] = examplesOf(requestBody);
  const entries = Object.entries(first!.value as Record<string, unknown>).map(([name, given]) => [
    name,
    ['email', 'password', 'inviteCode'].includes(name) ? variable(name) : given,
  ]);
  return { type: 'json', data: JSON.stringify(Object.fromEntries(entries), null, 2) };
}

function scriptsOf({ operationId }: Documented) {
  const kept = Object.entries(KEPT[operationId] ?? {});
  if (kept.length === 0) return undefined;
  const lines = kept.map(([name, place]) => {
    const value = `answer?.${place.replaceAll('.', '?.')}`;
    return `if (${value}) bru.setVar('${name}', ${value.replaceAll('?', '')});`;
  });
  const code = ['const answer = res.getBody();', ...lines].join('\n');
  return { scripts: [{ type: 'after-response', code }] };
}

function describe(operation: Documented): string {
  const needsSession = schemesOf(operation).join() === 'session';
  const note = 'It takes the session cookie, which Bruno keeps after a registration or login.';
  return needsSession ? `${operation.description}\n\n${note}` : operation.description;
}

const renderRequest = (operation: Documented, seq: number): string =>
  stringifyRequest(
    parseRequest(
      stringify({
        info: { name: operation.summary, type: 'http', seq },
        http: {
          method: operation.method.toUpperCase(),
          url: `${variable('baseUrl')}${operation.path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
          headers: headersOf(operation),
          params: parametersOf(operation),
          body: bodyOf(operation),
          auth: authOf(operation),
        },
        runtime: scriptsOf(operation),
        docs: describe(operation),
      }),
      { format: 'yml' },
    ),
    { format: 'yml' },
  );

function guide(): string {
  const nameOf = (id: string) => `**${operations.find(({ operationId }) => operationId === id)!.summary}**`;
  return `The requests of a Mintmark service, written from its \`openapi.yaml\`.

Choose the environment \`local\` and set its secret \`inviteCode\` to the code that the service shows when it starts. Then send
${nameOf('registerAccount')}, ${nameOf('signIn')} (which sets \`token\`), ${nameOf('deployToken')} (which sets \`address\`) and
${nameOf('mintToken')}. Some requests take an API key instead: ${nameOf('createApiKey')} sets \`apiKey\`. Bruno itself keeps the session cookie of
a registration or login.
`;
}

function renderCollection(version: string): string {
  const written = stringify({
    opencollection: '1.0.0',
    info: { name: 'Mintmark', version },
    docs: { content: guide(), type: 'text/markdown' },
    extensions: { bruno: { presets: { defaultEnvironment: 'local' } } },
  });
  const { collectionRoot, brunoConfig } = parseCollection(written, { format: 'yml' }) as Collection;
  return stringifyCollection(collectionRoot, brunoConfig, { format: 'yml' });
}

function renderEnvironment(): string {
  const examples = operations.flatMap(({ path: template, parameters }) =>
    parameters.flatMap(({ name, example }) => {
      const kept = findVariable(template, name);
      return kept === undefined ? [] : [[kept, String(example)] as const];
    }),
  );
  const values = Object.entries({ ...ACCOUNT, ...Object.fromEntries(examples) });
  const variables = [
    ...values.map(([name, value]) => ({ name, value })),
    ...SECRETS.map((name) => ({ secret: true, name })),
  ];
  const written = stringify({ name: 'local', variables });
  return stringifyEnvironment(parseEnvironment(written, { format: 'yml' }), { format: 'yml' });
}

function renderFolder({ 'x-displayName': name, description }: Tag, seq: number): string {
  const written = stringify({
    info: { name, type: 'folder', seq },
    docs: { content: description, type: 'text/markdown' },
  });
  return stringifyFolder(parseFolder(written, { format: 'yml' }), { format: 'yml' });
}

/** Text by file, all files of the collection. */
function render(): Map<string, string> {
  const { info, tags } = parse(readContractText()) as { info: { version: string }; tags: Tag[] };
  const files = new Map([
    ['opencollection.yml', renderCollection(info.version)],
    ['environments/local.yml', renderEnvironment()],
  ]);
  for (const [index, tag] of tags.entries()) {
    files.set(`${tag.name}/folder.yml`, renderFolder(tag, index + 1));
    operations
      .filter((operation) => operation.tags[0] === tag.name)
      .forEach((operation, place) => {
        files.set(`${tag.name}/${operation.operationId}.yml`, renderRequest(operation, place + 1));
      });
  }
  return files;
}

const folder = path.join(process.argv[2] ?? path.join(import.meta.dirname, '..', 'examples'), 'bruno');
// Of an operation that is gone.
for (const file of globSync('**/*.yml', { cwd: folder })) await rm(path.join(folder, file));
for (const [file, text] of render()) {
  await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
  await writeFile(path.join(folder, file), text);
}
