import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { JsonRpcProvider, Wallet, encryptKeystoreJson } from 'ethers';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readConfig } from '../../src/config.ts';
import { createDb, query } from '../../src/db/client.ts';
import { readContract } from '../../src/http/document.ts';
import type { Operation } from '../../src/http/document.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import { startService } from '../../src/start/service.ts';
import { bearer, cookie, issuedCookie } from '../../lab/stage/credentials.ts';
import type { Headers } from '../../lab/stage/credentials.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestService } from '../../lab/stage/service.ts';
import { administer } from '../../lab/stage/template.ts';
import { RECIPIENT } from '../../lab/stage/tokens.ts';

/** A secret that can be recognised in any output. */
const canary = (name: string): string => `canary${name}${randomBytes(9).toString('hex')}`;

const wallet = Wallet.createRandom();
const secrets: Record<string, string> = {
  'the password': canary('Password'),
  'the new password': canary('New'),
  'a wrong password': canary('Wrong'),
  'a password in the field of the e-mail': canary('Typed'),
  'a password that is too long': canary('Long').repeat(60),
  'the invite': canary('Invite'),
  'a wrong invite': canary('NoInvite'),
  'an unknown token': `mta_${canary('Token')}`,
  'an unknown cookie': canary('Cookie'),
  'credentials of another scheme': canary('Basic'),
  'a token in a query': canary('Query'),
  'a secret in a body that is no JSON': canary('Body'),
  'the key of the RPC endpoint': canary('Rpc'),
  "the database's password": canary('Database'),
  "the keystore's password": canary('Keystore'),
  "the signer's key": wallet.privateKey.slice(2),
  'the key of the secrets of webhooks': randomBytes(32).toString('hex'),
  'a password in the URL of a webhook': canary('Url'),
};

let mintmark: TestService;
let folder: string;
let role: string;
const logged: string[] = [];
/** Texts of answers, with the secrets that they may show. */
const answered: { text: string; shown: readonly string[] }[] = [];

beforeAll(async () => {
  // anvil answers at the path / only, and a provider's key is in the path.
  mintmark = await startTestService({}, { node: 'hardhat' });
  await mintmark.service.stop();

  folder = await mkdtemp(path.join(tmpdir(), 'mintmark-canaries-'));
  const password = secrets["the keystore's password"]!;
  const scrypt = { N: 1_024, r: 8, p: 1 };
  await writeFile(path.join(folder, 'password'), password);
  await writeFile(
    path.join(folder, 'key.json'),
    await encryptKeystoreJson({ address: wallet.address, privateKey: wallet.privateKey }, password, {
      scrypt,
    }),
  );

  await writeFile(path.join(folder, 'webhook.key'), secrets['the key of the secrets of webhooks']!);

  const provider = new JsonRpcProvider(mintmark.chain.url, undefined, { staticNetwork: true });
  await provider.send('hardhat_setBalance', [wallet.address, `0x${(10n ** 20n).toString(16)}`]);
  // There is another Operator now, with the new signer as its admin.
  provider.destroy();
  const databaseUrl = new URL(mintmark.databaseUrl);
  role = `canary_${randomBytes(4).toString('hex')}`;
  await administer(
    mintmark.databaseUrl,
    `create role ${role} login superuser password '${secrets["the database's password"]}'`,
  );
  await administer(mintmark.databaseUrl, 'truncate chain, operators, lanes, accounts cascade');
  databaseUrl.username = role;
  databaseUrl.password = secrets["the database's password"]!;

  Object.assign(mintmark.environment, {
    DATABASE_URL: databaseUrl.href,
    RPC_URL: `${mintmark.chain.url}/v2/${secrets['the key of the RPC endpoint']}`,
    SIGNER_KEY: '',
    SIGNER_KEYSTORE: path.join(folder, 'key.json'),
    SIGNER_PASSWORD_FILE: path.join(folder, 'password'),
    WEBHOOK_SECRET_KEY_FILE: path.join(folder, 'webhook.key'),
    BOOTSTRAP_INVITES: secrets['the invite']!,
    OPERATOR_ADMIN: '',
    LOG_LEVEL: 'trace',
  });
  const log = createLogger('trace', { write: (line: string) => void logged.push(line) });
  mintmark.service = await startService(readConfig([], mintmark.environment), log);
});

afterAll(async () => {
  const url = mintmark.databaseUrl;
  await mintmark.service.stop();
  await administer(url, `drop owned by ${role}; drop role ${role}`);
  await mintmark.stop();
  await rm(folder, { recursive: true, force: true });
});

async function ask(
  route: string,
  { headers = {}, body, shown = [] }: { headers?: Headers; body?: unknown; shown?: readonly string[] } = {},
): Promise<{ status: number; body: Record<string, unknown>; headers: globalThis.Headers }> {
  const [method, where] = route.split(' ') as [string, string];
  const response = await fetch(mintmark.url + where, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') ?? false;
  const parsed = isJson && text !== '' ? (JSON.parse(text) as Record<string, unknown>) : {};
  answered.push({ text: text + JSON.stringify([...response.headers]), shown });
  return { status: response.status, body: parsed, headers: response.headers };
}

/** Sends the first example of an operation's body. */
async function askExample(operation: Operation, headers: Headers, address: string): Promise<void> {
  const [item] = Object.values(
    operation.document['paths'] as Record<string, Record<string, ExampleOperation>>,
  );
  const [example] = Object.values(
    item![operation.method]!.requestBody?.content['application/json'].examples ?? {},
  );
  const value =
    operation.id === 'deployToken' || !example?.$ref
      ? example?.value
      : { email: 'a@b.example', password: 'x' };
  await ask(
    `${operation.method.toUpperCase()} ${operation.path.replace(':address', address).replace(':tokenId', '1').replace(':id', randomUUID()).replace(':deliveryId', randomUUID())}`,
    { headers: { ...headers, ...(operation.isWrite ? { Prefer: 'respond-async' } : {}) }, body: value },
  );
}

interface ExampleOperation {
  requestBody?: {
    content: { 'application/json': { examples: Record<string, { value?: unknown; $ref?: string }> } };
  };
}

const ENDS_CREDENTIAL = ['signOut', 'logOut', 'changePassword'];

test('secrets appear in no log, no column, and no answer but the one that issues them', async () => {
  const credentials = { email: 'Someone@example.com', password: secrets['the password']! };
  const wrongs = async (): Promise<void> => {
    for (const route of ['POST /v1/auth/login', 'POST /auth/signin']) {
      await ask(route, { body: { ...credentials, password: secrets['a wrong password'] } });
      await ask(route, { body: { email: secrets['a password in the field of the e-mail'], password: 'a' } });
      await ask(route, { body: { ...credentials, password: secrets['a password that is too long'] } });
      await ask(`${route}?token=${secrets['a token in a query']}`, { body: credentials });
      await ask(route, { body: `{"password":"${secrets['a secret in a body that is no JSON']}` });
    }
    await ask('POST /v1/auth/register', { body: { ...credentials, inviteCode: secrets['a wrong invite'] } });
    for (const headers of [
      bearer(secrets['an unknown token']!),
      cookie(secrets['an unknown cookie']!),
      { Authorization: `Basic ${secrets['credentials of another scheme']}` },
    ]) {
      for (const route of [
        'GET /me',
        'GET /v1/auth/me',
        'POST /tokens',
        'GET /v1/collections',
        'GET /nothing',
      ]) {
        await ask(route, { headers });
      }
    }
  };

  await wrongs();
  const registered = await ask('POST /v1/auth/register', {
    body: { ...credentials, inviteCode: secrets['the invite'] },
  });
  expect(registered.status).toBe(201);
  await ask('POST /v1/auth/register', { body: { ...credentials, inviteCode: secrets['the invite'] } });
  const hand = (name: string, secret: unknown): string => {
    secrets[name] = String(secret);
    answered.at(-1)!.shown = [name];
    return String(secret);
  };
  const loggedIn = await ask('POST /v1/auth/login', { body: credentials });
  const webSession = cookie(hand('the session', issuedCookie(loggedIn)));
  const token = hand(
    'the access token',
    (await ask('POST /auth/signin', { body: credentials })).body['token'],
  );
  const keys: string[] = [];
  for (const environment of ['live', 'sandbox']) {
    const made = await ask('POST /v1/api-keys', { headers: webSession, body: { name: 'key', environment } });
    keys.push(hand(`the ${environment} key`, made.body['key']));
  }

  const url = 'https://receiver.invalid/hook';
  const webhooks = async (method: string, rest = '', body?: unknown) =>
    ask(`${method} /v1/webhooks${rest}`, { headers: webSession, ...(body ? { body } : {}) });
  const registered1 = await webhooks('POST', '', { url });
  hand("the webhook's secret", registered1.body['secret']);
  const rotated = await webhooks('POST', `/${String(registered1.body['id'])}/rotate-secret`);
  hand("the webhook's next secret", rotated.body['secret']);
  for (const name of ["the webhook's secret", "the webhook's next secret"]) {
    // Its bytes in other encodings.
    const bytes = Buffer.from(secrets[name]!.slice('whsec_'.length), 'base64');
    secrets[`${name}, as digits`] = bytes.toString('hex');
  }
  const password = secrets['a password in the URL of a webhook'];
  expect((await webhooks('POST', '', { url: `https://user:${password}@receiver.invalid/` })).status).toBe(
    422,
  );
  await webhooks('GET');
  await webhooks('GET', `/${String(registered1.body['id'])}`);

  const token1 = await ask('POST /tokens', {
    headers: bearer(token),
    body: { type: 'ERC721', name: 'Art', symbol: 'A' },
  });
  expect(token1.status).toBe(200);
  const { address } = token1.body['data'] as { address: string };
  const mint = { headers: bearer(token), body: { owner: RECIPIENT } };
  expect((await ask(`POST /tokens/${address}/mint`, mint)).status).toBe(200);

  const { operations } = readContract();
  for (const headers of [bearer(token), bearer(keys[0]!), bearer(keys[1]!), webSession, {}]) {
    for (const operation of operations) {
      if (!ENDS_CREDENTIAL.includes(operation.id)) await askExample(operation, headers, address);
      // This answer shows a new key.
      if (operation.id === 'createApiKey') answered.pop();
    }
  }
  await wrongs();

  // Database errors in each kind of request.
  const db = createDb(mintmark.databaseUrl, 1);
  await query(db, 'alter table accounts rename to accounts_away');
  const broken = [
    await ask('POST /auth/signin', { body: credentials }),
    await ask('POST /v1/auth/register', { body: { ...credentials, inviteCode: secrets['the invite'] } }),
    await ask('GET /me', { headers: bearer(token) }),
    await ask('GET /v1/auth/me', { headers: webSession }),
    await ask(`POST /tokens/${address}/mint`, mint),
  ];
  await query(db, 'alter table accounts_away rename to accounts');
  expect(broken.map(({ status }) => status)).toContain(500);

  const changed = { currentPassword: credentials.password, newPassword: secrets['the new password'] };
  expect((await ask('POST /v1/auth/password', { headers: webSession, body: changed })).status).toBe(204);
  await ask('DELETE /auth/token', { headers: bearer(token) });

  const tables = await query<{ name: string }>(
    db,
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
      where table_schema in ('public', 'graphile_worker') and table_type = 'BASE TABLE'`,
  );
  const columns: string[] = [];
  for (const { name } of tables) {
    columns.push(
      ...(await query<{ row: string }>(db, `select t::text as row from ${name} t`)).map(
        ({ row }) => `${name} ${row}`,
      ),
    );
  }
  await db[Symbol.asyncDispose]();

  // The search works: other values are found in each place.
  expect(logged.some((line) => line.includes('/v1/auth/register'))).toBe(true);
  expect(logged.some((line) => line.includes('unexpected error'))).toBe(true);
  expect(columns.some((row) => row.includes(credentials.email))).toBe(true);
  expect(answered.some(({ text }) => text.includes(address))).toBe(true);

  const found: string[] = [];
  for (const [name, secret] of Object.entries(secrets)) {
    const forms = [
      secret,
      Buffer.from(secret).toString('hex'),
      Buffer.from(secret).toString('base64').replace(/=+$/, ''),
    ];
    const hits = (texts: readonly string[]) =>
      texts.filter((text) => forms.some((form) => text.toLowerCase().includes(form.toLowerCase())));
    const answers = answered.filter(({ shown }) => !shown.includes(name)).map(({ text }) => text);
    for (const [place, texts] of Object.entries({ log: logged, answer: answers, column: columns })) {
      for (const hit of hits(texts)) found.push(`${name} in a ${place}: ${hit.slice(0, 300)}`);
    }
  }
  process.stdout.write(
    `${Object.keys(secrets).length} secrets looked for in ${logged.length} log lines, ${answered.length} answers, ${columns.length} rows\n`,
  );
  expect(found).toEqual([]);
});

test.each([
  ['the database away', { DATABASE_URL: 'postgres://someone:secretOfDatabase@127.0.0.1:1/none' }],
  ['a URL that is none', { DATABASE_URL: 'secretOfDatabase' }],
  ['the chain away', { RPC_URL: 'http://127.0.0.1:1/v2/secretOfRpc' }],
  ['an endpoint that is none', { RPC_URL: 'secretOfRpc' }],
  ['a key that is none', { SIGNER_KEYSTORE: '', SIGNER_KEY: 'secretOfSigner' }],
])('a start that fails because of %s names it without the secret', async (_name, variables) => {
  const lines: string[] = [];
  const log = createLogger('trace', { write: (line: string) => void lines.push(line) });
  const start = async () => startService(readConfig([], { ...mintmark.environment, ...variables }), log);
  const error = await start().then(
    () => new Error('it started'),
    (reason: unknown) => reason as Error,
  );
  expect(error.message).not.toBe('it started');
  expect(`${error.message} ${lines.join()}`).not.toMatch(/secretOf/);
});
