import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parseEnvironment, parseFolder, parseRequest } from '@usebruno/filestore';
import { build } from 'esbuild';
import { findFreePort } from '../src/embedded/free-port.ts';
import { openChain } from './setup/chain.ts';
import { createKey } from '../lab/stage/collections.ts';
import { readDocumented } from '../lab/stage/documented.ts';
import { startLossyProxy } from './setup/lossy-proxy.ts';
import type { Fault } from './setup/lossy-proxy.ts';
import { execute, root } from './setup/npm.ts';
import { findProgram } from '../lab/stage/program.ts';
import { startTestService } from '../lab/stage/service.ts';
import type { TestAccount, TestService } from '../lab/stage/service.ts';
import { deployToken } from '../lab/stage/tokens.ts';

/** Each file of `examples/` against one real service, as `examples/README.md` says. */
const examples = path.join(root, 'examples');
const python = await findProgram('python3', 'python3');
/** Debian's toolchain takes 470 MB, which no test installs: the README says so. */
const hasGo = spawnSync('go', ['version']).status === 0;

let mintmark: TestService;
let alice: TestAccount;
let folder: string;

beforeAll(async () => {
  [mintmark, folder] = await Promise.all([
    startTestService({ WEBHOOK_ALLOW_PRIVATE: 'true' }),
    mkdtemp(path.join(tmpdir(), 'mintmark-examples-')),
  ]);
  alice = await mintmark.register();
  // With the sources of the client, where tsconfig.json finds them: test/packages installs the package.
  await build({
    entryPoints: ['first-mint.ts', 'receiver.ts'].map((name) => path.join(examples, name)),
    tsconfig: path.join(root, 'tsconfig.json'),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
});

afterAll(async () => {
  await mintmark?.stop();
  if (folder) await rm(folder, { recursive: true, force: true });
});

const LOST: Fault = 'lose reply';
const BUSY: Fault = {
  status: 429,
  headers: { 'Content-Type': 'application/json', 'Retry-After': '1' },
  body: '{"code":"RATE_LIMITED","message":"Too many requests."}',
};

interface Story {
  /** Name of the file. */
  name: string;
  command: () => [program: string, file: string, ...args: string[]];
  /** What becomes of each request that may be repeated, once: what the program is to get over. */
  fault: Fault;
}

const SHELL: Story = {
  name: 'first-mint.sh',
  command: () => ['sh', path.join(examples, 'first-mint.sh')],
  // curl does not repeat a request after a broken connection, unless it repeats it after every error.
  fault: BUSY,
};
const TYPESCRIPT: Story = {
  name: 'first-mint.ts',
  command: () => [process.execPath, path.join(folder, 'first-mint.mjs')],
  fault: LOST,
};
const PYTHON: Story = {
  name: 'first_mint.py',
  command: () => [python!, path.join(examples, 'first_mint.py')],
  fault: LOST,
};
const GO: Story = {
  name: 'first-mint.go',
  command: () => ['go', 'run', path.join(examples, 'first-mint.go')],
  fault: LOST,
};

/** Plays a story. Returns what it prints. @throws Error with that when it fails */
async function play({ command }: Story, variables: Record<string, string>): Promise<string> {
  const [program, ...args] = command();
  const env = {
    ...process.env,
    API: mintmark.url,
    EMAIL: alice.email,
    PASSWORD: alice.password,
    ...variables,
  };
  const { stdout } = await execute(program, args, { env }).catch(
    ({ stdout: printed, stderr }: { stdout: string; stderr: string }) => {
      throw new Error(`${printed}\n${stderr}`);
    },
  );
  return stdout;
}

/**
 * What the story promises: one token and one mint for an order, whatever is lost on the way and however often it is
 * played.
 */
async function expectOnce(story: Story): Promise<void> {
  const order = randomUUID();
  await using proxy = await startLossyProxy(mintmark.url, ({ method, key, attempt }) =>
    attempt === 1 && (method === 'GET' || key) ? story.fault : 'none',
  );
  const printed = await play(story, { API: proxy.url, ORDER: order });
  const pattern = /^Alice Coin \(ALC\) is at (0x\w{40})\nminted in (0x\w{64})\n$/;
  const [, address = '', hash = ''] = pattern.exec(printed) ?? [];
  expect(printed).toMatch(pattern);
  // Each write was sent twice under its key.
  const writes = proxy.requests.flatMap(({ key }) => key ?? []);
  expect(writes).toEqual(['deploy', 'deploy', 'mint', 'mint'].map((write) => `${order}-${write}`));
  expect(await play(story, { ORDER: order })).toBe(printed);
  using chain = openChain(mintmark);
  expect((await chain.provider.getTransactionReceipt(hash))?.status).toBe(1);
  expect(await chain.erc20(address).getFunction('totalSupply')()).toBe(10n ** 18n);
}

test('every file of the folder has a test here', async () => {
  const files = (await readdir(examples, { withFileTypes: true })).filter((entry) => entry.isFile());
  const stories = [SHELL, TYPESCRIPT, PYTHON, GO].map(({ name }) => name);
  expect(files.map(({ name }) => name).sort()).toEqual(
    [...stories, 'README.md', 'package.json', 'receiver.ts'].sort(),
  );
});

test.each([SHELL, TYPESCRIPT, ...(hasGo ? [GO] : [])])('$name mints once', expectOnce);

(python === null ? test.skip : test)('first_mint.py mints once', () => expectOnce(PYTHON));

test.each([SHELL, TYPESCRIPT, ...(python === null ? [] : [PYTHON]), ...(hasGo ? [GO] : [])])(
  '$name says what the service refuses',
  async (story) => {
    await expect(play(story, { PASSWORD: 'wrong' })).rejects.toThrow('UNAUTHORIZED');
  },
);

/** Starts the receiver and waits until it listens. Returns the lines that it prints. */
async function startReceiver(secret: string, port: number) {
  const child = spawn(process.execPath, [path.join(folder, 'receiver.mjs')], {
    env: { ...process.env, WEBHOOK_SECRET: secret, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  const reader = createInterface(child.stdout).on('line', (line) => lines.push(line));
  await once(reader, 'line');
  return {
    lines,
    [Symbol.asyncDispose]: async () => {
      child.kill();
      await once(child, 'exit');
    },
  };
}

test('receiver.ts handles a message of the service once, and no other', async () => {
  const { api } = await createKey(mintmark, alice);
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}/`;
  const { data: webhook } = await api.POST('/v1/webhooks', { body: { url, events: ['intent.confirmed'] } });
  await using receiver = await startReceiver(webhook!.secret!, port);
  const params = { path: { id: webhook!.id } };
  /** Waits until so many deliveries arrived. Returns the newest one. */
  const waitForDeliveries = async (count: number) => {
    for (;;) {
      const { data } = await api.GET('/v1/webhooks/{id}/deliveries', { params });
      const arrived = data!.data.filter(({ status }) => status === 'delivered');
      if (arrived.length === count) return arrived[0]!;
      await sleep(100);
    }
  };

  await deployToken(alice);
  const { id: deliveryId, intentId } = await waitForDeliveries(1);
  const again = { path: { ...params.path, deliveryId } };
  await api.POST('/v1/webhooks/{id}/deliveries/{deliveryId}/replay', { params: again });
  await waitForDeliveries(1);
  await api.POST('/v1/webhooks/{id}/test', { params });
  await waitForDeliveries(2);
  expect(receiver.lines).toEqual([
    `listening on port ${port}`,
    expect.stringMatching(new RegExp(`^intent.confirmed ${intentId} deploy_token confirmed 0x\\w{64}$`)),
    'webhook.test',
  ]);

  const send = async (init: RequestInit): Promise<number> => (await fetch(url, init)).status;
  const forged = { 'webhook-id': 'x', 'webhook-timestamp': '1', 'webhook-signature': 'v1,aaaa' };
  expect(await send({ method: 'POST', headers: forged, body: '{}' })).toBe(401);
  expect(await send({ method: 'POST', body: 'x'.repeat(70_000) })).toBe(413);
  expect(await send({})).toBe(405);
});

interface BrunoRequest {
  name: string;
  request: { method: string; url: string; body: { json: string | null }; auth: { mode: string } };
}

test('bruno/ has a request for each operation, as Bruno reads it, with variables of its environment', () => {
  const collection = path.join(examples, 'bruno');
  const read = (file: string): string => readFileSync(path.join(collection, file), 'utf8');
  const { variables } = parseEnvironment(read('environments/local.yml'), { format: 'yml' }) as {
    variables: { name: string; value: string; secret: boolean }[];
  };
  expect(variables.filter(({ secret }) => secret).map(({ value }) => value)).toEqual(['', '', '']);
  const known = new Set(['$guid', ...variables.map(({ name }) => name)]);
  const operations = readDocumented();
  expect(operations.length).toBeGreaterThan(60);
  for (const { operationId, tags, summary, method, path: template, requestBody, security } of operations) {
    const text = read(`${tags[0]}/${operationId}.yml`);
    const { name, request } = parseRequest(text, { format: 'yml' }) as BrunoRequest;
    const url = `{{baseUrl}}${template.replaceAll(/\{(\w+)\}/g, ':$1')}`;
    expect([name, request.method, request.url]).toEqual([summary, method.toUpperCase(), url]);
    const takesBearer = security.some((scheme) => 'accessToken' in scheme || 'liveKey' in scheme);
    expect([operationId, request.auth.mode]).toEqual([operationId, takesBearer ? 'bearer' : 'none']);
    if (requestBody) expect(JSON.parse(request.body.json!)).toEqual(expect.any(Object));
    const used = [...text.matchAll(/\{\{(.+?)\}\}|setVar\('(\w+)'/g)].map(([, read = '', set = read]) => set);
    expect(used.filter((variable) => !known.has(variable))).toEqual([]);
  }
  const folders = globSync('*/folder.yml', { cwd: collection }).map(
    (file) => parseFolder(read(file), { format: 'yml' }) as { meta: { name: string } },
  );
  expect(folders).toHaveLength(new Set(operations.map(({ tags }) => tags[0])).size);
  expect(globSync('*/*.yml', { cwd: collection })).toHaveLength(operations.length + folders.length + 1);
});
