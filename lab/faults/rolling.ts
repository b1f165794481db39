import https from 'node:https';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createMintmarkClient } from '../../generated/client.ts';
import type { MintmarkClient } from '../../generated/client.ts';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import { findFreePort } from '../../src/embedded/free-port.ts';
import { askSite, startNginx } from '../stage/nginx.ts';
import { createAuthority } from '../stage/authority.ts';
import { createCollection, createKey } from '../stage/collections.ts';
import type { TestService } from '../stage/service.ts';
import { RECIPIENT } from '../stage/tokens.ts';
import type { ClientLog } from './judge.ts';
import { emptyLog } from '../load/load.ts';
import type { Target } from '../load/load.ts';
import type { Random } from '../random.ts';
import { spawnService } from '../stage/service-process.ts';
import type { ServiceProcess } from '../stage/service-process.ts';
import { makeWrite } from '../load/writes.ts';
import { findProgram } from '../stage/program.ts';
import { waitForQuiet } from './books.ts';
import { startMinedNode } from './node-faults.ts';
import type { Fault } from './outcome.ts';
import { say } from './outcome.ts';
import { withSigners } from './signers.ts';
import { count, judgeStage, prepare, withDb } from './stage.ts';

/** Paths of the programs, from `findProgram`. */
export interface Programs {
  nginx: string;
  openssl: string;
}

/** A token and a collection of one account, whose requests go through nginx. */
interface Customer {
  token: Target;
  collection: { api: MintmarkClient; address: string };
}

interface RollingOptions {
  programs: Programs;
  /** API processes, and engine processes. */
  replicas: number;
  /** Writes a second, begun whether those before were answered or not. */
  perSecond: number;
  random: Random;
  /** Whether it is over after so many restarts. */
  isOver(restarts: number): boolean;
}

interface RollingReport {
  log: ClientLog;
  requests: number;
  restarts: number;
  /** Requests without an answer of 2xx, one sentence each. */
  failures: string[];
  /** Starts that failed, after which the process was started again. */
  failedStarts: number;
  /** Processes that ended otherwise than by a graceful stop. */
  badEnds: string[];
  /** Milliseconds of the slowest answer. */
  slowestMs: number;
}

/** So many requests wait at the most: a machine that stands still gets no more. */
const MAX_OPEN = 500;
/** nginx closes what is idle for 75 s; a client that closes before never writes into a connection that ends. */
const IDLE_MS = 30_000;
const MAX_PAUSE_MS = 2_000;
/** As `RestartSec` of the unit files. */
const RESTART_MS = 2_000;
const MAX_STARTS = 5;
const LOOK_MS = 50;
/** One simple mint in so many is also compared with the balance of its recipient. */
const CHECKED_EVERY = 100;
const METADATA = { name: 'Blue Hour', description: 'The harbour after sunset.' };

/** Gives each account a collection, while the service answers at its own port. */
export async function openCustomers(mintmark: TestService, targets: readonly Target[]) {
  return Promise.all(
    targets.map(async (target) => {
      const { key, api } = await createKey(mintmark, target.account);
      return { target, key, address: await createCollection(api) };
    }),
  );
}

/**
 * Restarts every process of the service in turn, by SIGTERM, as docs/operate.md says: the next one once the one before
 * is ready. Meanwhile writes of all kinds arrive through nginx with ops/nginx.conf. The service of `mintmark` itself is
 * stopped.
 */
export async function runRolling(
  mintmark: TestService,
  opened: Awaited<ReturnType<typeof openCustomers>>,
  { programs, replicas, perSecond, random, isOver }: RollingOptions,
): Promise<RollingReport> {
  await using stack = new AsyncDisposableStack();
  const report: RollingReport = {
    ...{ log: emptyLog(), requests: 0, restarts: 0, failedStarts: 0 },
    ...{ failures: [], badEnds: [], slowestMs: 0 },
  };
  const ports = await Promise.all(Array.from({ length: replicas }, () => findFreePort()));
  const common = {
    ...mintmark.environment,
    ...{ NODE_ENV: 'production', PUBLIC_URL: 'https://mint.example', TRUST_PROXY: '1' },
    ...{ LOG_LEVEL: 'fatal', WAIT_TIMEOUT_MS: '20000' },
    // The first signer, whose key an API has not.
    OPERATOR_ADMIN: embeddedAccounts[0].address,
  };
  const lives = [
    ...ports.map(() => new Replica({ ...common, PORT: '0' }, 'engine')),
    ...ports.map((port) => new Replica({ ...common, PORT: String(port) }, 'api')),
  ];
  for (const life of lives) stack.use(await life.start());
  const { fetch, close } = await openSite(programs, ports, stack);
  const customers = opened.map(({ target, key, address }): Customer => {
    const client = (token: string) => createMintmarkClient({ baseUrl: 'https://mint.example', token, fetch });
    const account = { ...target.account, api: client(target.account.token) };
    return { token: { ...target, account }, collection: { api: client(key), address } };
  });

  let ended = false;
  const load = writeSteadily(customers, report, {
    perSecond,
    isEnded: () => ended,
    random: random.fork('load'),
  });
  const pauses = random.fork('pauses');
  for (let place = 0; !isOver(report.restarts); place += 1) {
    const flaw = await lives[place % lives.length]!.restart();
    if (flaw) report.badEnds.push(flaw);
    report.restarts += 1;
    await sleep(pauses.whole(0, MAX_PAUSE_MS));
  }
  ended = true;
  await load;
  close();
  report.failedStarts = lives.reduce((sum, life) => sum + life.failedStarts, 0);
  return report;
}

/** A process that is started again in its place. */
class Replica implements AsyncDisposable {
  readonly environment: Record<string, string>;
  readonly role: 'api' | 'engine';
  failedStarts = 0;
  #life: ServiceProcess | null = null;

  constructor(environment: Record<string, string>, role: 'api' | 'engine') {
    this.environment = environment;
    this.role = role;
  }

  /** As systemd does: a start that a machine is too slow for is tried again. @throws Error when it fails each time */
  async start(): Promise<this> {
    for (let starts = 1; ; starts += 1) {
      this.#life = await spawnService(this.environment, ['--role', this.role]);
      if (this.#life.child.exitCode === null) return this;
      this.failedStarts += 1;
      if (starts === MAX_STARTS) throw new Error(`an ${this.role} did not start`);
      await sleep(RESTART_MS);
    }
  }

  /** @returns what was wrong with its end. @throws Error when it does not start */
  async restart(): Promise<string | null> {
    const { child, kill } = this.#life!;
    const endedBefore = child.exitCode ?? child.signalCode;
    await kill('SIGTERM');
    await this.start();
    if (endedBefore !== null) return `an ${this.role} had ended by itself with ${endedBefore}`;
    return child.exitCode === 0 ? null : `an ${this.role} ended with ${child.exitCode ?? child.signalCode}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#life?.kill('SIGTERM');
  }
}

/** nginx in front of the replicas, and a `fetch` that reaches them by it. */
async function openSite(programs: Programs, ports: readonly number[], stack: AsyncDisposableStack) {
  const authority = await createAuthority(programs.openssl);
  stack.defer(() => authority.close());
  const [first, second, ...others] = ports;
  const servers = others.map((port) => `server 127.0.0.1:${port} max_fails=0;`);
  const nginx = stack.use(
    await startNginx(programs.nginx, {
      ports: [first!, second!],
      authority,
      changes: { 'keepalive 64;': [...servers, 'keepalive 64;'].join('\n') },
    }),
  );
  const site = { url: nginx.url, ca: readFileSync(authority.file, 'utf8') };
  const agent = new https.Agent({ keepAlive: true, maxSockets: MAX_OPEN, timeout: IDLE_MS });
  const fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    const { pathname, search } = new URL(request.url);
    const text = await request.text();
    const { status, body, headers } = await askSite(site, request.method, `${pathname}${search}`, {
      ...(text === '' ? {} : { body: JSON.parse(text) as unknown }),
      headers: Object.fromEntries(request.headers),
      agent,
    });
    const shown = Object.entries(headers).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value] as [string, string]] : [],
    );
    return new Response(JSON.stringify(body), { status, headers: shown });
  };
  // nginx is a process that was just started.
  while (
    !(await fetch('https://mint.example/health').then(
      ({ ok }) => ok,
      () => false,
    ))
  )
    await sleep(LOOK_MS);
  return { fetch, close: () => agent.destroy() };
}

interface Load {
  perSecond: number;
  isEnded(): boolean;
  random: Random;
}

async function writeSteadily(
  customers: readonly Customer[],
  report: RollingReport,
  { perSecond, isEnded, random }: Load,
): Promise<void> {
  const open = new Set<Promise<void>>();
  const began = performance.now();
  for (let index = 0; !isEnded(); index += 1) {
    const customer = customers[index % customers.length]!;
    const asked = measured(() => write(customer, report, { index, random }), report);
    open.add(asked);
    void asked.then(() => open.delete(asked));
    report.requests += 1;
    while (open.size >= MAX_OPEN) await Promise.race(open);
    await sleep(Math.max(0, began + ((index + 1) * 1_000) / perSecond - performance.now()));
  }
  await Promise.all(open);
}

async function measured(ask: () => Promise<string | null>, report: RollingReport): Promise<void> {
  const began = performance.now();
  const failure = await ask();
  report.slowestMs = Math.max(report.slowestMs, performance.now() - began);
  if (failure !== null) report.failures.push(failure);
}

/**
 * Two in three are mints of a token, ERC-20 or ERC-721, the others of a collection: with metadata, or a batch. Half of
 * them wait for the verdict. @returns what was answered when it was no success
 */
async function write(
  { token, collection }: Customer,
  report: RollingReport,
  { index, random }: { index: number; random: Random },
): Promise<string | null> {
  const isWaiting = random.chance(0.5);
  const kind = random.whole(0, 5);
  const { log } = report;
  if (kind < 4) {
    const own = index % CHECKED_EVERY === 0 ? log : { ...emptyLog(), acknowledged: log.acknowledged };
    const claim = await makeWrite({ kind: 'mint', target: 0, isWaiting }, token, own);
    if (own !== log) {
      log.unknown += own.unknown;
      log.refused.push(...own.refused);
    }
    return claim.status !== null && claim.status < 300
      ? null
      : `${index}: a mint, ${claim.status ?? 'no answer'}`;
  }
  const header = {
    'Idempotency-Key': randomUUID(),
    ...(isWaiting ? {} : { Prefer: 'respond-async' as const }),
  };
  const params = { path: { address: collection.address }, header };
  const item = { to: RECIPIENT, metadata: METADATA };
  try {
    const { response, error } =
      kind === 4
        ? await collection.api.POST('/v1/collections/{address}/mint', { params, body: item })
        : await collection.api.POST('/v1/collections/{address}/mint/batch', {
            params,
            body: { items: [item, item, item] },
          });
    const intent = response.headers.get('Intent-Id');
    if (response.ok && intent) {
      log.acknowledged.add(intent);
      return null;
    }
    log.refused.push(response.status);
    return `${index}: a collection, ${response.status} ${JSON.stringify(error)}`;
  } catch (error) {
    log.unknown += 1;
    return `${index}: a collection, ${String(error)}`;
  }
}

const MINUTES = 30;
const REPLICAS = 4;
const SIGNERS = 2;
/** Both cores of a small machine carry it beside the restarts. */
const PER_SECOND = 50;
const KEPT_STATES = 8;
/** Each may mint 10,000 units a month. */
const ACCOUNTS = 12;

/** All processes are restarted in turn for half an hour, behind nginx, while clients write. */
export const rollingRestart: Fault = async ({ scaled, random, blockMs }) => {
  const nginx = await findProgram('nginx', 'nginx-light');
  const openssl = await findProgram('openssl', 'openssl');
  if (!nginx || !openssl) throw new Error('the rolling restart needs nginx and openssl');
  return withSigners(async (signers) => {
    await using anvil = await startMinedNode(blockMs, { keptStates: KEPT_STATES });
    anvil.startBlocks();
    const options = { variables: signers, accounts: ACCOUNTS, hasNfts: true };
    const stage = await prepare(anvil.url, options);
    await using stack = new AsyncDisposableStack();
    stack.use(stage.mintmark);
    const customers = await openCustomers(stage.mintmark, stage.targets);
    await waitForQuiet(stage.mintmark.service.context.db, 60_000);
    await stage.mintmark.service.stop();
    const seconds = scaled(MINUTES * 60);
    const over = performance.now() + seconds * 1_000;
    const handovers = () =>
      withDb(stage.mintmark.databaseUrl, (db) => count(db, 'select sum(term) as n from lanes'));
    const before = await handovers();
    const report = await runRolling(stage.mintmark, customers, {
      programs: { nginx, openssl },
      ...{ replicas: REPLICAS, perSecond: PER_SECOND, random },
      isOver: (restarts) => {
        if (restarts > 0 && restarts % (2 * REPLICAS) === 0) say(`  ${restarts} restarts`);
        return performance.now() > over;
      },
    });
    const moved = (await handovers()) - before;
    for (const failure of report.failures) say(`  ${failure}`);
    stage.log = report.log;
    await stage.mintmark.restart();
    const judgement = await judgeStage(stage);
    return {
      made: `${report.restarts} restarts, ${REPLICAS} APIs, ${REPLICAS} engines`,
      judgement,
      note: `${report.failures.length} failed, ${moved} handovers, ${report.failedStarts} bad starts`,
      flaws: [
        ...(report.failures.length > 0 ? [`${report.failures.length} requests failed`] : []),
        ...new Set(report.badEnds),
      ],
    };
  }, SIGNERS);
};
