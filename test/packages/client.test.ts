import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { build } from 'esbuild';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { findFreePort } from '../../src/embedded/free-port.ts';
import { openChain } from '../setup/chain.ts';
import { openChromium } from '../../lab/stage/chromium.ts';
import { installClient } from '../setup/client-package.ts';
import type { ClientProject } from '../setup/client-package.ts';
import { execute, root } from '../setup/npm.ts';
import { findNode18 } from '../setup/old-node.ts';
import { findProgram } from '../../lab/stage/program.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestService } from '../../lab/stage/service.ts';

/** The package as npm would get it, in an empty project, with the programs of its README. */
const [chromium, node18] = [await findProgram('chromium', 'chromium'), await findNode18()];
const readme = await readFile(path.join(root, 'packages/client/README.md'), 'utf8');
const page = await readFile(path.join(root, 'docs/sdk.md'), 'utf8');
const programs = new Map(
  [...readme.matchAll(/^```ts (\S+\.ts)\n(.*?)^```$/gms)].map(([, name, code]) => [name!, code!]),
);

let mintmark: TestService;
let project: ClientProject;
let origin: string;

beforeAll(async () => {
  const port = await findFreePort();
  origin = `http://127.0.0.1:${port}`;
  [mintmark, project] = await Promise.all([
    startTestService({ CORS_ORIGINS: origin, WEBHOOK_ALLOW_PRIVATE: 'true' }),
    installClient(),
  ]);
});

afterAll(async () => {
  await project?.[Symbol.asyncDispose]();
  await mintmark?.stop();
});

/** With the classic settings of a project that is published, and each file of types checked. */
async function compile(...args: string[]): Promise<void> {
  await execute(process.execPath, [path.join(root, 'node_modules/typescript/bin/tsc'), '--strict', ...args], {
    cwd: project.folder,
  }).catch(({ stdout }: { stdout: string }) => {
    throw new Error(stdout);
  });
}

async function createInvite(): Promise<string> {
  const invite = randomUUID();
  await mintmark.service.context.accounts.ensureInvites([invite]);
  return invite;
}

async function expectMinted({ address, hash }: { address: string; hash: string }): Promise<void> {
  using chain = openChain(mintmark);
  expect((await chain.provider.getTransactionReceipt(hash))?.status).toBe(1);
  expect(await chain.erc20(address).getFunction('totalSupply')()).toBe(10n ** 18n);
}

test('the package has what it needs, and publint finds nothing', async () => {
  const installed = path.join(project.folder, 'node_modules/@mintmark/client');
  const own = JSON.parse(await readFile(path.join(installed, 'package.json'), 'utf8')) as Record<
    string,
    unknown
  >;
  const contract = JSON.parse(await readFile(path.join(root, 'generated/openapi.json'), 'utf8')) as {
    info: { version: string };
  };
  expect(own['version']).toBe(contract.info.version);
  expect(Object.keys(own['dependencies'] as object)).toEqual(['openapi-fetch', 'standardwebhooks']);
  for (const file of ['README.md', 'LICENSE', 'CHANGELOG.md', 'dist/index.js', 'dist/index.cjs'])
    expect((await stat(path.join(installed, file))).isFile()).toBe(true);
  const { messages, pkg } = await publint({ pkgDir: installed, pack: false, strict: true });
  expect(messages.map((message) => formatMessage(message, pkg ?? {}))).toEqual([]);
  expect((await stat(project.archive)).size).toBeLessThan(60_000);
});

/** What must not compile, and what types must say. */
const TYPES = `
import { createClient, MintmarkError } from '@mintmark/client';
import type { Schemas } from '@mintmark/client';
import { verifyWebhook } from '@mintmark/client/webhooks';
const mintmark = createClient({ baseUrl: 'https://mint.example', apiKey: undefined });
const path = { address: '0x' };
export async function types() {
  const { data } = await mintmark.POST('/tokens/{address}/mint', { params: { path }, body: { owner: '0x' } });
  const hash: string = data.data.transaction.hash;
  const open = await mintmark.POST('/tokens/{address}/pause', { params: { path }, wait: false });
  if ('intent' in open.data) open.data.intent.id.length;
  const me: Schemas['Profile'] = (await mintmark.GET('/me')).data;
  const none: undefined = (await mintmark.DELETE('/auth/token')).data;
  for await (const { symbol } of mintmark.paginate('/tokens')) symbol.length;
  // @ts-expect-error no such path
  await mintmark.GET('/nothing');
  // @ts-expect-error no such method
  await mintmark.DELETE('/me');
  // @ts-expect-error needs a body
  await mintmark.POST('/tokens');
  const { transaction } = await mintmark.waitForIntent(open.intentId, { timeoutMs: 60_000 });
  // @ts-expect-error a read has no intent
  await mintmark.waitForIntent((await mintmark.GET('/me')).intentId);
  // @ts-expect-error needs a path parameter
  await mintmark.GET('/tokens/{address}');
  // @ts-expect-error misspelt
  await mintmark.POST('/tokens/{address}/pause', { params: { path }, wiat: false });
  // @ts-expect-error may be open
  open.data.success.valueOf();
  // @ts-expect-error not a list
  mintmark.paginate('/me');
  // @ts-expect-error no such code
  new MintmarkError('', { code: 'NOTHING' });
  const event = verifyWebhook({ secret: '', body: '', headers: new Headers() });
  if (event.type === 'account.wallet_changed') event.data.walletAddress;
  if (event.type === 'intent.failed') event.data.error?.code;
  return [hash, me.email, none, transaction?.hash];
}
`;

test('the programs of the README and the types compile, as ES modules, CommonJS and for bundlers', async () => {
  expect([...programs.keys()]).toEqual(['first-mint.ts', 'api-key.ts', 'receiver.ts']);
  for (const [file, code] of programs) await writeFile(path.join(project.folder, file), code);
  await writeFile(path.join(project.folder, 'types.ts'), TYPES);
  await writeFile(path.join(project.folder, 'common.cts'), TYPES);
  const common = ['--target', 'es2022', '--types', 'node'];
  const files = [...programs.keys(), 'types.ts'];
  const node = ['--module', 'nodenext', '--lib', 'es2022,dom,dom.asynciterable', '--outDir', 'built'];
  const bundler = ['--module', 'esnext', '--moduleResolution', 'bundler', '--lib', 'es2022', '--noEmit'];
  await Promise.all([
    compile(...common, ...node, ...files, 'common.cts'),
    compile(...common, ...bundler, ...files),
  ]);
});

test('docs/sdk.md shows the same first mint', () => {
  expect(page).toContain(programs.get('first-mint.ts'));
});

/** The same program with \`require\`. */
const toCommonJs = (code: string): string =>
  `(async () => {\n${code.replaceAll(/^import (\{.*?\}) from ('.*?');$/gm, 'const $1 = require($2);')}\n})();`;

test.each([
  ['ES modules', process.execPath, 'mjs'],
  ['CommonJS', process.execPath, 'cjs'],
  ...(node18 === null
    ? []
    : [
        ['ES modules under Node 18', node18, 'mjs'],
        ['CommonJS under Node 18', node18, 'cjs'],
      ]),
])('the story of the README as %s', async (_what, node, ending) => {
  const env = { ...process.env, API: mintmark.url, INVITE: await createInvite(), NODE_OPTIONS: '' };
  const email = `${randomUUID()}@example.com`;
  const play = async (name: string): Promise<string> => {
    const code = await readFile(path.join(project.folder, 'built', `${name}.js`), 'utf8');
    const own = code.replace('client@example.com', email);
    const file = path.join(project.folder, `${name}-${randomUUID()}.${ending}`);
    await writeFile(file, ending === 'cjs' ? toCommonJs(own) : own);
    const { stdout, stderr } = await execute(node, [file], { cwd: project.folder, env });
    expect(stderr).toBe('');
    return stdout;
  };
  const minted = JSON.parse(await play('first-mint')) as { address: string; hash: string; used: number };
  expect(minted.used).toBe(2);
  await expectMinted(minted);
  expect(JSON.parse(await play('api-key'))).toMatchObject({ name: 'Harbour Lights', environment: 'live' });
});

test('the receiver of the README takes a message of the service, and no other', async () => {
  const { createClient } = project.client;
  const alice = await mintmark.register();
  const account = createClient({ baseUrl: mintmark.url, session: alice.cookie });
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}/`;
  const { data: webhook } = await account.POST('/v1/webhooks', {
    body: { url, events: ['intent.confirmed'] },
  });
  const env = { ...process.env, WEBHOOK_SECRET: webhook.secret, PORT: String(port) };
  const child = spawn(process.execPath, ['built/receiver.js'], {
    cwd: project.folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await using closing = new AsyncDisposableStack();
  closing.defer(async () => {
    child.kill();
    await once(child, 'exit');
  });
  const said = once(child.stdout, 'data');
  const mint = createClient({ baseUrl: mintmark.url, token: alice.token });
  const { data, intentId } = await mint.POST('/tokens', {
    body: { type: 'ERC721', name: 'Art', symbol: 'A' },
  });
  expect(String((await said)[0])).toBe(`${intentId} ${data.data.transaction.hash}\n`);
  const forged = { 'webhook-id': 'x', 'webhook-timestamp': '1', 'webhook-signature': 'v1,aaaa' };
  expect((await fetch(url, { method: 'POST', headers: forged, body: '{}' })).status).toBe(401);
});

/** What the story ends with. */
interface Played {
  address: string;
  hash: string;
  status: string;
  refused: string;
}

/** The story for a page and for its worker; `process` is unknown there. */
const IN_BROWSER = `
import { createClient, MintmarkError } from '@mintmark/client';
async function play(baseUrl, inviteCode, email) {
  const credentials = { email, password: 'correct horse battery' };
  const anonymous = createClient({ baseUrl });
  await anonymous.POST('/v1/auth/register', { body: { ...credentials, inviteCode } });
  const { data: session } = await anonymous.POST('/auth/signin', { body: credentials });
  const mintmark = createClient({ baseUrl, token: session.token });
  const { data: deployed } = await mintmark.POST('/tokens', { body: { type: 'ERC20', name: 'Coin', symbol: 'C' } });
  const { address } = deployed.data;
  const { data, intentId } = await mintmark.POST('/tokens/{address}/mint', {
    params: { path: { address } },
    body: { owner: '0x3440326f551B8A7ee198cEE35cb5D517f2d296a2', amount: '1000000000000000000' },
  });
  const { status } = await mintmark.waitForIntent(intentId);
  const refused = await mintmark.GET('/tokens/{address}', { params: { path: { address: '0x' } } }).catch((error) => error);
  const isError = refused instanceof MintmarkError && refused.requestId !== null;
  return { address, hash: data.data.transaction.hash, status, refused: isError && refused.code };
}
if (typeof window === 'undefined') onmessage = async ({ data }) => postMessage(await play(...data));
else window.play = play;
`;

/** A page at the origin that the service lets in, with a script. */
async function servePage(script: string) {
  const html = '<!doctype html><script type="module" src="/script.js"></script>';
  const server = createServer((request, response) => {
    const isScript = request.url === '/script.js';
    response.writeHead(200, { 'Content-Type': isScript ? 'text/javascript' : 'text/html' });
    response.end(isScript ? script : html);
  }).listen(Number(new URL(origin).port), '127.0.0.1');
  await once(server, 'listening');
  expect((server.address() as AddressInfo).port).toBe(Number(new URL(origin).port));
  return {
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function bundle(minify: boolean): Promise<string> {
  const entry = path.join(project.folder, 'page.mjs');
  await mkdir(path.dirname(entry), { recursive: true });
  await writeFile(entry, minify ? "export { createClient } from '@mintmark/client';" : IN_BROWSER);
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    minify,
    write: false,
  });
  return outputFiles[0]!.text;
}

test('a page gets less than 6 kB of it', async () => {
  expect(gzipSync(await bundle(true)).length).toBeLessThan(6_000);
});

(chromium === null ? test.skip : test)('a page and a worker in Chromium, from another origin', async () => {
  await using closing = new AsyncDisposableStack();
  closing.use(await servePage(await bundle(false)));
  const browser = await openChromium(chromium!);
  closing.defer(browser.close);
  const tab = await browser.context.newPage();
  await tab.goto(origin);
  for (const where of ['play', 'work'] as const) {
    const args = [mintmark.url, await createInvite(), `${randomUUID()}@example.com`];
    await tab.waitForFunction('window.play');
    const played = await tab.evaluate<Played>(
      where === 'play'
        ? `window.play(...${JSON.stringify(args)})`
        : `new Promise((resolve, reject) => {
             const worker = new Worker('/script.js', { type: 'module' });
             worker.onmessage = ({ data }) => resolve(data);
             worker.onerror = reject;
             worker.postMessage(${JSON.stringify(args)});
           })`,
    );
    expect([played.status, played.refused]).toEqual(['confirmed', 'VALIDATION_ERROR']);
    await expectMinted(played);
  }
});
