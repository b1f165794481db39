import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Contract, JsonRpcProvider, Wallet, encryptKeystoreJson } from 'ethers';
import { managedErc20Abi } from '../../generated/contracts.ts';
import { OP_GAS_PRICE_ORACLE } from '../../src/chain/l1-costs.ts';
import { readConfig } from '../../src/config.ts';
import { query } from '../../src/db/client.ts';
import { findFreePort } from '../../src/embedded/free-port.ts';
import { askForHeldLane, createCli } from '../../lab/stage/cli.ts';
import type { SignerStatus } from '../../lab/stage/cli.ts';
import { startAnvil } from '../../lab/stage/anvil.ts';
import type { Anvil } from '../../lab/stage/anvil.ts';
import { END_WITH_PARENT } from '../../lab/stage/service-process.ts';
import { spawnService } from '../../lab/stage/service-process.ts';
import type { ServiceProcess } from '../../lab/stage/service-process.ts';
import { createAuthority } from '../../lab/stage/authority.ts';
import type { Authority } from '../../lab/stage/authority.ts';
import { bareEnvironment } from '../../lab/stage/bare-environment.ts';
import { findProgram } from '../../lab/stage/program.ts';
import { askSite, startNginx } from '../../lab/stage/nginx.ts';
import type { Answer, Nginx } from '../../lab/stage/nginx.ts';
import { openTestDb } from '../../lab/stage/database.ts';
import { startOwnPostgres } from './own-postgres.ts';
import type { OwnPostgres } from './own-postgres.ts';

const read = (file: string): string => readFileSync(file, 'utf8');
const handbook = read('docs/operate.md');
const KEYSTORE_PASSWORD = 'of all keystores';
/** In place of `ADDRESS`, which the operator fills in. */
const ADMIN_ADDRESS = '0x5dad7600C5D89fE3824fFa99ec1c3eB8BF3b0501';

/** A command of the handbook, word for word, with what is written in capitals filled in. */
function documented(line: string, values: Record<string, string> = {}): string {
  if (!handbook.includes(line)) throw new Error(`docs/operate.md does not say: ${line}`);
  return Object.entries(values).reduce((text, [name, value]) => text.replaceAll(name, value), line);
}

/** Likewise a command of the command line, as its words. */
const adminWords = (line: string, values?: Record<string, string>): string[] =>
  documented(`npm run admin -- ${line}`, values).split(' ').slice(4);

/** The first cookie that an answer sets. */
const cookieOf = ({ headers }: Answer): string => headers['set-cookie']?.[0] ?? '';

/** The variables of a file of ops/, and of a unit for this instance. */
const variables = (file: string): Record<string, string> =>
  parseEnv(read(`ops/${file}`).replace("'ADDRESS'", `'${ADMIN_ADDRESS}'`)) as Record<string, string>;
function unit(file: string, instance: string): { environment: Record<string, string>; args: string[] } {
  const lines = read(`ops/${file}`).replaceAll('%i', instance).split('\n');
  const valuesOf = (key: string) =>
    lines.flatMap((line) => (line.startsWith(`${key}=`) ? [line.slice(key.length + 1)] : []));
  const files = valuesOf('EnvironmentFile').map((name) => variables(path.basename(name)));
  const own = valuesOf('Environment').flatMap((line) => line.split(' ').map((pair) => pair.split('=')));
  const pairs = [...files.flatMap((file) => Object.entries(file)), ...own] as [string, string][];
  const [start = ''] = valuesOf('ExecStart');
  const words = /^\/usr\/bin\/npm start -- (.+)$/.exec(start)?.[1]?.split(' ');
  if (!words) throw new Error(`${file} does not start the service`);
  return { environment: Object.fromEntries(pairs), args: words };
}

describe('the files of ops/', () => {
  test('hold variables and arguments that the service accepts', () => {
    const api = unit('mintmark-api@.service', '3001');
    expect(readConfig(api.args, api.environment)).toMatchObject({
      role: 'api',
      port: 3001,
      metrics: { port: 13_001, host: '127.0.0.1' },
      signerKeystores: [],
      trustProxy: 1,
      wrongAnswers: 'unchecked',
    });
    const engine = unit('mintmark-engine@.service', '2');
    const config = readConfig(engine.args, engine.environment);
    expect(config).toMatchObject({ role: 'engine', metrics: { port: 14_002 }, rpcUrls: { length: 2 } });
    expect(config.signerKeystores).toHaveLength(1);
  });

  test('set each variable once, in quotes', () => {
    const lines = ['mintmark.env', 'engine.env'].flatMap((file) => read(`ops/${file}`).split('\n'));
    const set = lines.filter((line) => line !== '' && !line.startsWith('#'));
    for (const line of set) expect(line).toMatch(/^[A-Z_]+='[^']*'$/);
    const units = ['api', 'engine'].map((name) => read(`ops/mintmark-${name}@.service`));
    const own = units.map((text) =>
      [...text.matchAll(/^Environment=(.*)$/gm)].flatMap(([, pairs]) => pairs!.split(' ')),
    );
    for (const further of own) {
      const names = [...set, ...further].map((line) => line.split('=')[0]);
      expect(names).toEqual([...new Set(names)]);
    }
  });

  test('set only variables that the service reads', () => {
    // Node itself reads the first one.
    const readNames = new Set<string>(['NODE_COMPILE_CACHE']);
    const note = (environment: Record<string, string>): Record<string, string> =>
      new Proxy(environment, {
        get: (target, name) => {
          readNames.add(String(name));
          return target[String(name)];
        },
      });
    for (const [name, instance] of [['api', '3001'] as const, ['engine', '2'] as const]) {
      const { args, environment } = unit(`mintmark-${name}@.service`, instance);
      readConfig(args, note(environment));
      expect(Object.keys(environment).filter((variable) => !readNames.has(variable))).toEqual([]);
    }
  });

  test('use the ports of the configuration of nginx and Prometheus', () => {
    const ports = [...read('ops/nginx.conf').matchAll(/server 127\.0\.0\.1:(\d+)/g)].map(([, port]) => port);
    for (const port of ports) expect(handbook).toContain(`mintmark-api@${port}`);
    const targets = [...handbook.matchAll(/127\.0\.0\.1:(1\d{4})/g)].map(([, port]) => port);
    expect(targets).toEqual([...ports.map((port) => `1${port}`), '14001', '14002']);
  });

  test('give nginx a longer timeout than a write', () => {
    const seconds = Number(/proxy_read_timeout (\d+)s/.exec(read('ops/nginx.conf'))?.[1]);
    expect(seconds * 1_000).toBeGreaterThan(readConfig([], {}).waitTimeoutMs + 10_000);
    expect(read('ops/nginx.conf').replaceAll(/#.*/g, '')).not.toContain('non_idempotent');
  });

  test('send pages to https, and refuse everything else on plain HTTP', () => {
    const [, plain = ''] = read('ops/nginx.conf').split('server {');
    expect(plain).toContain('listen 80;');
    const places = [...plain.matchAll(/location (.+) \{\s+return (\d+)/g)].map(([, place, status]) => [
      place,
      status,
    ]);
    expect(places).toEqual([
      ['= /', '308'],
      ['~ ^/(console|docs|explorer)(/|$)', '308'],
      ['/', '403'],
    ]);
  });
});

const nginx = await findProgram('nginx', 'nginx-light');
const openssl = await findProgram('openssl', 'openssl');
const postgres = await findProgram('postgres', 'postgresql');
const walk = nginx && openssl && postgres ? describe : describe.skip;

/** Code of a contract that answers 32 bytes of zeros. */
const RETURNS_ZERO = '0x60206000f3';

walk('from nothing to production', () => {
  let folder: string;
  let anvil: Anvil;
  let provider: JsonRpcProvider;
  let database: OwnPostgres;
  let authority: Authority;
  let common: Record<string, string>;
  let site: Nginx;
  const [firstPort, secondPort] = [3001, 3002];
  const ports = new Map<number, number>();
  const admin = Wallet.createRandom();
  let signer: string;
  const running = new Map<string, ServiceProcess>();
  const issued: string[] = [];

  const engineVariables = (numbers: number[]): Record<string, string> => ({
    SIGNER_KEYSTORE: numbers.map((number) => path.join(folder, `signer-${number}.json`)).join(','),
    SIGNER_PASSWORD_FILE: path.join(folder, 'signer-password'),
  });
  let signers = [1];
  const cli = () => createCli({ ...common, ...engineVariables(signers) });

  async function start(...names: string[]): Promise<void> {
    await Promise.all(
      names.map(async (name) => {
        const [role = '', instance = ''] = name.split('@');
        const { environment, args } = unit(`mintmark-${role}@.service`, instance);
        const own = role === 'api' ? { PORT: String(ports.get(Number(instance))) } : engineVariables(signers);
        running.set(name, await spawnService({ ...environment, ...common, ...own, METRICS_PORT: '0' }, args));
      }),
    );
  }
  async function stop(signal: 'SIGTERM' | 'SIGKILL', ...names: string[]): Promise<void> {
    await Promise.all(
      names.map(async (name) => {
        await running.get(name)?.kill(signal);
        running.delete(name);
      }),
    );
  }
  const everybody = ['engine@1', 'engine@2', `api@${firstPort}`, `api@${secondPort}`];

  /** A keystore as `init` writes it, but cheap to open; all have the same password. Returns the address. */
  async function makeKeystore(number: number): Promise<string> {
    const { address, privateKey } = Wallet.createRandom();
    const keystore = await encryptKeystoreJson({ address, privateKey }, KEYSTORE_PASSWORD, {
      scrypt: { N: 1_024 },
    });
    await writeFile(path.join(folder, `signer-${number}.json`), keystore);
    return address;
  }

  /** Through nginx, as the public does. */
  const ask = (method: string, route: string, body?: unknown, headers: Record<string, string> = {}) =>
    askSite({ url: site.url, ca: read(authority.file) }, method, route, { body, headers });

  /** What a careful client does: the same key again until there is an answer. Returns the id of the intent. */
  async function mintSurely(key: string): Promise<void> {
    for (let tries = 0; tries < 60; tries += 1) {
      const mint = { owner: '0x3440326f551B8A7ee198cEE35cb5D517f2d296a2', amount: '1' };
      const headers = { ...authorization, 'Idempotency-Key': key };
      const answer = await ask('POST', `/tokens/${token}/mint`, mint, headers).catch(() => null);
      if (answer?.status === 200) return void issued.push(key);
      if (answer && ![202, 409, 502, 503, 504].includes(answer.status))
        throw new Error(`mint answered ${answer.status}: ${JSON.stringify(answer.body)}`);
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    throw new Error('a mint was never answered');
  }
  let authorization: Record<string, string>;
  let token: string;
  const supply = async (): Promise<bigint> =>
    (await new Contract(token, managedErc20Abi, provider)['totalSupply']!()) as bigint;

  const databasePassword = randomUUID();
  const urlOf = (name: string): string => database.urlOf('mintmark', databasePassword, name);

  /**
   * A line of the handbook about databases, run by a shell that has no terminal: what it asks for it reads from
   * `input`.
   */
  async function runWithDatabase(line: string, input = ''): Promise<void> {
    const child = spawn('sh', ['-ec', line], {
      cwd: folder,
      env: { ...database.environment, DATABASE_URL: common['DATABASE_URL'] },
      detached: true,
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    child.stdin.end(input);
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) throw new Error(`${line} ended with ${code}: ${said}`);
  }

  /** The admin sends what the command line printed. */
  async function sendAsAdmin(printed: { to: string; data: string }): Promise<void> {
    const sent = await admin.connect(provider).sendTransaction(printed);
    await sent.wait();
  }

  /**
   * Makes an address an executor, by running the documented command until it says so; what it waits for goes by at
   * once. Returns how many transactions the admin sent.
   */
  async function grant(address: string): Promise<number> {
    interface Answer {
      executor: boolean;
      to: string;
      data: string;
      dueAt?: string;
    }
    for (let sent = 0; ;) {
      const answer = await cli().ask<Answer>(...adminWords('signers grant SIGNER', { SIGNER: address }));
      if (answer.executor) return sent;
      if (answer.dueAt) {
        await anvil.call('evm_increaseTime', [172_800]);
        await anvil.call('evm_mine');
        continue;
      }
      expect(await provider.getCode(answer.to)).not.toBe('0x');
      await sendAsAdmin(answer);
      sent += 1;
    }
  }

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'mintmark-operate-'));
    [anvil, database, authority] = await Promise.all([
      startAnvil({ blockTimeSeconds: 2, chainId: 84_532 }),
      startOwnPostgres(postgres!),
      createAuthority(openssl!),
    ]);
    // Base Sepolia has an oracle of L1 costs, which here says that there are none.
    await anvil.call('anvil_setCode', [OP_GAS_PRICE_ORACLE, RETURNS_ZERO]);
    provider = new JsonRpcProvider(anvil.url, undefined, { staticNetwork: true, pollingInterval: 200 });
    ports.set(firstPort, await findFreePort()).set(secondPort, await findFreePort());
    common = {
      NODE_ENV: 'production',
      PUBLIC_URL: 'https://mint.example',
      DATABASE_URL: urlOf('mintmark'),
      // The first replica was killed: use the second.
      RPC_URL: `http://127.0.0.1:9,${anvil.url}`,
      OPERATOR_ADMIN: admin.address,
      DATA_DIR: folder,
      WEBHOOK_SECRET_KEY_FILE: path.join(folder, 'webhook.key'),
      CONFIRMATIONS: '2',
    };
  });

  afterAll(async () => {
    await stop('SIGKILL', ...running.keys());
    await site?.[Symbol.asyncDispose]();
    provider?.destroy();
    await Promise.all([anvil?.stop(), database?.stop(), authority?.close()]);
    await rm(folder, { recursive: true, force: true });
  });

  test('keys are made and the signers get funds', async () => {
    documented('npm run admin -- init');
    await writeFile(path.join(folder, 'webhook.key'), randomBytes(32).toString('hex'), { mode: 0o600 });
    await writeFile(path.join(folder, 'signer-password'), KEYSTORE_PASSWORD, { mode: 0o600 });
    signer = await makeKeystore(1);
    await anvil.call('anvil_setBalance', [signer, '0x8ac7230489e80000']);
    await anvil.call('anvil_setBalance', [admin.address, '0x8ac7230489e80000']);
  });

  test('the database is made on a server of a supported version', async () => {
    const create = documented('createuser --pwprompt mintmark && createdb --owner mintmark mintmark');
    await runWithDatabase(create, `${databasePassword}\n`.repeat(2));
    await using db = openTestDb(urlOf('mintmark'), 1);
    const [version] = await query<{ number: number }>(
      db,
      `select current_setting('server_version_num')::int as number`,
    );
    const [, least] = /A PostgreSQL of version (\d+) or later/.exec(handbook) ?? [];
    expect(version!.number).toBeGreaterThanOrEqual(Number(least) * 10_000);
  });

  test('the first engine deploys the system contracts, and names the next step of the admin', async () => {
    const { args, environment } = unit('mintmark-engine@.service', '1');
    documented('npm start -- --role engine');
    const child = spawn(process.execPath, ['--import', END_WITH_PARENT, 'src/main.ts', ...args], {
      env: {
        ...bareEnvironment(),
        ...environment,
        ...common,
        ...engineVariables(signers),
        METRICS_PORT: '0',
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    await once(child, 'close');
    expect(said).toContain(`The signer ${signer.toLowerCase()} is no executor of the Operator`);
    expect(await grant(signer)).toBe(1);
  });

  test('two engines and two APIs start behind nginx', async () => {
    const replicas = [ports.get(firstPort)!, ports.get(secondPort)!] as const;
    [site] = await Promise.all([startNginx(nginx!, { ports: replicas, authority }), start(...everybody)]);
    documented('npm run admin -- signers status');
    const [status] = await askForHeldLane(cli());
    expect(status).toMatchObject({ address: signer, executor: true, lane: { isHeld: true } });
    documented('curl --fail --retry 5 --retry-connrefused https://mint.example/ready');
    expect(await ask('GET', '/ready')).toMatchObject({ status: 200 });
    expect((await ask('GET', '/metrics')).status).toBe(404);
  });

  test('an account registers with an invite, and deploys a token', async () => {
    const [invite] = await cli().ask<{ code: string }[]>(...adminWords('invites create'));
    const credentials = { email: 'alice@example.com', password: 'correct horse battery' };
    const registered = await ask('POST', '/v1/auth/register', {
      ...credentials,
      inviteCode: invite!.code,
    });
    expect(registered.status).toBe(201);
    expect(cookieOf(registered)).toMatch(/; Secure/);
    await cli().say('accounts', 'set-plan', credentials.email, 'PRO');
    const signedIn = await ask('POST', '/auth/signin', credentials);
    authorization = { Authorization: `Bearer ${String(signedIn.body['token'])}` };
    const coin = { type: 'ERC20', name: 'Coin', symbol: 'C' };
    const deployed = await ask('POST', '/tokens', coin, authorization);
    expect(deployed).toMatchObject({ status: 200 });
    token = (deployed.body['data'] as { address: string }).address;
    expect(await provider.getCode(token)).not.toBe('0x');
    const hook = { url: 'https://hooks.example/mintmark', events: ['intent.retracted'] };
    const session = { Cookie: cookieOf(registered).split(';')[0]! };
    expect((await ask('POST', '/v1/webhooks', hook, session)).status).toBe(201);
  });

  test('after a kill of one replica of each under load no write is lost or done twice', async () => {
    const mints = Array.from({ length: 30 }, async (_, index) => {
      await new Promise((resolve) => setTimeout(resolve, index * 100));
      await mintSurely(`load-${index}`);
    });
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    await stop('SIGKILL', 'engine@1', `api@${firstPort}`);
    await Promise.all(mints);
    expect(issued).toHaveLength(30);
    expect(await supply()).toBe(30n);
    const { body } = await ask('GET', '/stats', undefined, authorization);
    expect(body['mintsUsed']).toBe(31);
  });

  test('after a restore the service names the loss, and runs again once that is accepted', async () => {
    await stop('SIGTERM', 'engine@2', `api@${secondPort}`);
    await runWithDatabase(documented('pg_dump --format=custom --file=mintmark.dump "$DATABASE_URL"'));
    await start('engine@1', `api@${firstPort}`);
    await mintSurely('after-the-backup');
    await stop('SIGTERM', 'engine@1', `api@${firstPort}`);

    common = { ...common, DATABASE_URL: urlOf('restored') };
    await runWithDatabase(documented('createdb --owner mintmark restored'));
    await runWithDatabase(documented('pg_restore --no-owner --dbname="$DATABASE_URL" mintmark.dump'));
    const { args, environment } = unit('mintmark-api@.service', '3001');
    const refused = spawn(process.execPath, ['--import', END_WITH_PARENT, 'src/main.ts', ...args], {
      env: { ...bareEnvironment(), ...environment, ...common, PORT: '0', METRICS_PORT: '0' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    refused.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    await once(refused, 'close');
    expect(said).toMatch(/older backup.*recover --accept-loss/);

    await cli().say(...adminWords('recover --accept-loss'));
    await start(...everybody);
    documented('`/ready` answers 200 and `signers status` shows the epoch that the command named');
    while ((await ask('GET', '/ready').catch(() => null))?.status !== 200)
      await new Promise((resolve) => setTimeout(resolve, 300));
    await mintSurely('load-3');
    // Its client has no answer that the database knows.
    await mintSurely('after-the-backup');
    expect(await supply()).toBe(31n);
    await mintSurely('after-the-restore');
    expect(await supply()).toBe(32n);
  });

  test('a new signer takes over, and the old one loses its role', async () => {
    const next = await makeKeystore(2);
    await anvil.call('anvil_setBalance', [next, '0x8ac7230489e80000']);
    // The call is announced, and made once it is due.
    expect(await grant(next)).toBe(2);
    signers = [1, 2];
    await stop('SIGTERM', 'engine@1', 'engine@2');
    await start('engine@1', 'engine@2');
    const load = Array.from({ length: 5 }, (_, index) => mintSurely(`rotation-${index}`));
    documented('signers rotate --from OLD --to NEW');
    interface Rotation {
      isComplete: boolean;
      transactions: { sent: boolean; to: string; data: string }[];
    }
    let rotation: Rotation | null = null;
    for (let round = 0; round < 5 && !rotation?.isComplete; round += 1) {
      rotation = await cli().ask<Rotation>('signers', 'rotate', '--from', signer, '--to', next);
      for (const transaction of rotation.transactions) await sendAsAdmin(transaction);
    }
    expect(rotation?.isComplete).toBe(true);
    await Promise.all(load);
    signers = [2];
    await stop('SIGTERM', 'engine@1', 'engine@2');
    await start('engine@1');
    await mintSurely('with-the-new-signer');
    expect(await supply()).toBe(38n);
    const status = await cli().ask<SignerStatus[]>('signers', 'status');
    expect(status.find(({ address }) => address === signer)).toMatchObject({ executor: false });
    await using db = openTestDb(common['DATABASE_URL']!, 1);
    const open = await query(db, `select 1 from intents where status in ('queued', 'submitted')`);
    expect(open).toEqual([]);
  });
});
