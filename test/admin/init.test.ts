import { execFile } from 'node:child_process';
import { chmod, mkdtempDisposable, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { parseEnv, promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { castSend } from '../../src/admin/operator.ts';
import { runProgram } from '../../src/admin/program.ts';
import { openKeystore } from '../../src/chain/signing/keystore.ts';
import { readConfig } from '../../src/config.ts';
import { createDb, query } from '../../src/db/client.ts';
import { loadWebhookKeys } from '../../src/start/webhook-keys.ts';
import { startAnvil } from '../../lab/stage/anvil.ts';
import type { Anvil } from '../../lab/stage/anvil.ts';
import { createEmptyDatabase } from '../../lab/stage/database.ts';

const run = promisify(execFile);

const ADMIN = '0x5dad7600C5D89fE3824fFa99ec1c3eB8BF3b0501';
const GROUP = String(process.getgid!());
const FILES = ['mintmark.env', 'engine.env', 'signer-1.json', 'signer-password', 'webhook.key'];

let sepolia: Anvil;
let other: Anvil;
let database: Awaited<ReturnType<typeof createEmptyDatabase>>;
beforeAll(async () => {
  [sepolia, other, database] = await Promise.all([
    startAnvil({ chainId: 11_155_111 }),
    startAnvil({ chainId: 17_000 }),
    createEmptyDatabase(),
  ]);
});
afterAll(async () => {
  await Promise.all([sepolia.stop(), other.stop(), database[Symbol.asyncDispose]()]);
});

/** An endpoint in two spellings, so that there are two. */
const endpoints = (): string => `${sepolia.url},${sepolia.url.replace('127.0.0.1', 'localhost')}`;

/** Runs `init` in an empty environment. */
async function init(
  folder: string,
  flags: Record<string, string>,
  answers: string[] = [],
): Promise<{ code: number; stdout: string; stderr: string }> {
  let [stdout, stderr] = ['', ''];
  const words = Object.entries({ folder, group: GROUP, ...flags }).flatMap(([name, value]) => [
    `--${name}`,
    ...(value === '' ? [] : [value]),
  ]);
  const code = await runProgram(['init', ...words], {
    env: {},
    write: (text) => (stdout += text),
    writeError: (text) => (stderr += text),
    input: Readable.from(answers.map((answer) => `${answer}\n`)),
  });
  return { code, stdout, stderr };
}

const flags = (): Record<string, string> => ({
  database: database.url,
  rpc: endpoints(),
  network: 'main',
  url: 'https://mint.example',
  explorer: 'https://sepolia.etherscan.io',
  admin: ADMIN,
});

const temporary = () => mkdtempDisposable(path.join(tmpdir(), 'mintmark-init-'));

test('six answers make files with which an engine and an API start, and keys that nobody else reads', async () => {
  await using place = await temporary();
  const folder = path.join(place.path, 'etc');
  const answers = [database.url, endpoints(), '', 'mint.example', 'https://mint.example', '', ADMIN];
  const { code, stdout, stderr } = await init(folder, {}, answers);
  expect({ code, asked: stderr.match(/: /g)?.length }).toEqual({ code: 0, asked: 7 });
  expect(stderr).toContain('PUBLIC_URL is not a URL that begins with http:// or https://');
  expect((await stat(folder)).mode & 0o7777).toBe(0o750);
  for (const name of FILES) {
    const { mode, gid } = await stat(path.join(folder, name));
    expect({ name, mode: mode & 0o7777, gid }).toEqual({ name, mode: 0o640, gid: Number(GROUP) });
  }
  const [service, engine] = await Promise.all(
    FILES.slice(0, 2).map(async (name) => parseEnv(await readFile(path.join(folder, name), 'utf8'))),
  );
  const config = readConfig(['--role', 'engine'], { ...service, ...engine });
  expect(config).toMatchObject({
    ...{ databaseUrl: database.url, rpcUrls: endpoints().split(','), network: 'test' },
    ...{ publicUrl: 'https://mint.example', explorerUrl: 'https://mint.example/explorer' },
    ...{ operatorAdmin: ADMIN, confirmations: null, trustProxy: 1 },
  });
  expect(await loadWebhookKeys(config)).toHaveLength(1);
  const signer = await openKeystore(config.signerKeystores[0]!, config.signerPasswordFile!);
  expect(stdout.toLowerCase()).toContain(signer.address);
  expect(stdout).toMatch(/chain +11155111 \(sepolia\)/);
  const secrets = await Promise.all(FILES.slice(2).map((name) => readFile(path.join(folder, name), 'utf8')));
  for (const secret of [...secrets, database.url, sepolia.url])
    expect(stdout + stderr).not.toContain(secret.trim());
});

test('it names chain, signer and files for a program too', async () => {
  await using place = await temporary();
  const folder = path.join(place.path, 'etc');
  const { code, stdout, stderr } = await init(folder, { ...flags(), json: '' });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const { signer, files, ...rest } = JSON.parse(stdout) as { signer: string; files: string[] };
  expect(signer).toMatch(/^0x[0-9a-fA-F]{40}$/);
  expect(files).toEqual(FILES.map((name) => path.join(folder, name)));
  expect(rest).toEqual({ chainId: '11155111', profile: 'sepolia' });
});

test('the line for cast takes one of several endpoints', async () => {
  const script = `cast() { printf '%s ' "$@"; }\n${castSend('0x12', '0x34')}`;
  const { stdout } = await run('sh', ['-c', script], { env: { RPC_URL: 'http://one/key,http://two' } });
  expect(stdout).toBe('send 0x12 0x34 --rpc-url http://one/key --ledger ');
});

describe('writes nothing', () => {
  const refused = async (
    changed: Record<string, string>,
    sentence: string | RegExp,
    answers?: string[],
  ): Promise<void> => {
    await using place = await temporary();
    const folder = path.join(place.path, 'etc');
    const { code, stdout, stderr } = await init(folder, { ...flags(), ...changed }, answers);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(sentence);
    await expect(stat(path.join(folder, 'mintmark.env'))).rejects.toThrow('ENOENT');
  };

  test('over a file that is there', async () => {
    await using place = await temporary();
    await writeFile(path.join(place.path, 'webhook.key'), 'kept');
    const { code, stderr } = await init(place.path, flags());
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/webhook\.key is there already: nothing was changed/),
    });
    expect(await readFile(path.join(place.path, 'webhook.key'), 'utf8')).toBe('kept');
    await expect(stat(path.join(place.path, 'mintmark.env'))).rejects.toThrow('ENOENT');
  });

  test('with a wrong flag, before it asks', () =>
    refused({ admin: '0x12' }, /^OPERATOR_ADMIN is "0x12", not an address[^\n]*\n$/));

  test('when the answers end', async () => {
    await using place = await temporary();
    const { admin: _, ...others } = flags();
    const { code, stderr } = await init(path.join(place.path, 'etc'), others);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('Give --admin') });
  });

  test('with a value that its file cannot hold', () =>
    refused({ url: "https://mint.example/'" }, /PUBLIC_URL has a '/));

  test('with an endpoint that does not answer, whose key it does not show', async () => {
    await refused(
      { rpc: `${sepolia.url},http://127.0.0.1:9/s3cret` },
      /^Endpoint 2 of RPC_URL does not answer[^\n]*\n$/,
    );
  });

  test('with endpoints of two chains', () =>
    refused(
      { rpc: `${sepolia.url},${other.url}` },
      'Endpoint 1 of RPC_URL is on chain 11155111, and endpoint 2 on chain 17000',
    ));

  test('with a database that does not answer', () =>
    refused(
      { database: 'postgres://mintmark:s3cret@127.0.0.1:9/mintmark' },
      /^The database does not answer as it should: (?!.*s3cret).*check DATABASE_URL\n$/,
    ));

  test('with a database whose user may create nothing in it', async () => {
    await using db = createDb(database.url, 1);
    await query(db, `drop role if exists init_reader`);
    await query(db, `create role init_reader login password 'reader'`);
    const url = new URL(database.url);
    [url.username, url.password] = ['init_reader', 'reader'];
    await refused(
      { database: url.href },
      /may not create schemas: run "alter database .* owner to init_reader"/,
    );
    await query(db, 'drop role init_reader');
  });

  test('with the database of another Mintmark', async () => {
    await using used = await createEmptyDatabase();
    await using db = createDb(used.url, 1);
    await query(db, 'create table migration_releases ()');
    await refused({ database: used.url }, /belongs to a Mintmark already/);
  });

  test('where the group does not exist, and takes away what it wrote', async () => {
    await refused({ group: 'nobody-here' }, /^The files cannot be written: [^\n?]*nobody-here[^\n?]*\n$/);
  });

  test('into a folder that it may not write', async () => {
    if (process.getuid!() === 0) return;
    await using place = await temporary();
    await chmod(place.path, 0o500);
    const { code, stderr } = await init(place.path, flags());
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('cannot be written') });
  });
});
