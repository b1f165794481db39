import type { Account } from './call.ts';
import { attempt, readIntent, startClients } from './clients.ts';
import type { Clients } from './clients.ts';
import { readEffects } from '../judge/effects.ts';
import { planFaults, startFaults } from './faults.ts';
import type { Fault } from './faults.ts';
import type { RunHistory } from '../judge/history.ts';
import { judge } from '../judge/judge.ts';
import type { Violation } from '../judge/judge.ts';
import { startProcess } from './service.ts';
import type { ServiceProcess } from './service.ts';
import { OPERATOR_ADMIN, SIGNERS, until } from './template.ts';
import type { Template } from './template.ts';
import { createWorld, mineEvery } from './world.ts';
import type { World, WorldOptions } from './world.ts';

export interface Outcome {
  seed: number;
  violations: readonly Violation[];
  /** Of the whole trace. */
  digest: string;
  faults: readonly Fault[];
  requests: number;
  events: number;
  statements: number;
  /** Virtual milliseconds. */
  took: number;
}

export interface RunOptions extends Pick<WorldOptions, 'writeTrace' | 'writeLog'> {
  requests?: number;
  /** Which of the drawn faults happen; all by default. */
  keep?: (fault: Fault, index: number) => boolean;
  /** Ends the run after so many events with `StoppedAt`, and without a judgement. */
  untilEvent?: number;
}

/** Everything is settled so long after the last fault and the last request. */
const SETTLE_MS = 300_000;
/** What the blocks of the last verdicts may still come to, and what is told of it. */
const QUIET_MS = 20_000;
/** A message that a killed process was sending is sent again after some minutes. */
const MESSAGES_MS = 360_000;
const DEFAULT_REQUESTS = 40;
const SPREAD_MS = 40_000;

/** Runs the world of one seed to its end, and judges it. */
export async function simulate(template: Template, seed: number, options: RunOptions = {}): Promise<Outcome> {
  const { requests = DEFAULT_REQUESTS, keep = () => true, untilEvent = Infinity, ...writers } = options;
  const world = await createWorld({ seed: `seed ${seed}`, endpoints: 2, template, ...writers });
  const { scheduler, random, chain, postgres, trace } = world;
  scheduler.lastEvent = untilEvent;
  const begun = scheduler.now;
  const fromBlock = chain.head + 1;
  const shape = random.fork('shape');
  mineEvery(world, shape.whole(1, 4) * 1_000);
  const processes = startProcesses(world, shape.whole(1, 2));
  await until(world, Promise.all(processes.map(({ started }) => started)));
  const accounts = template.accounts;
  const parts = { world, processes: () => processes, random: random.fork('clients') };
  const clients = startClients({ ...parts, accounts, requests, spreadMs: SPREAD_MS });
  const faults = planFaults(random.fork('faults'), SPREAD_MS).filter(keep);
  const running = startFaults(world, processes, faults);
  let isDone = false;
  void Promise.all([clients.done, running.done]).then(() => (isDone = true));
  await scheduler.run(() => running.isOver, scheduler.now + SETTLE_MS);
  await scheduler.run(() => isDone, scheduler.now + SETTLE_MS);
  await scheduler.run(() => false, scheduler.now + QUIET_MS);
  const isNotified = (): boolean => countNotified(world) >= countSettled(clients);
  await scheduler.run(isNotified, scheduler.now + MESSAGES_MS);
  const history = await readHistory(world, template, {
    clients,
    processes,
    parts,
    fromBlock,
    windows: running.windows,
  });
  const violations = judge(history);
  const outcome = {
    ...{ seed, violations, faults },
    digest: trace.digest(),
    requests: clients.wishes.length,
    events: scheduler.events,
    statements: postgres.statements,
    took: scheduler.now - begun,
  };
  scheduler.clear();
  return outcome;
}

const countSettled = ({ wishes }: Clients): number =>
  wishes.filter(({ reads }) => ['confirmed', 'failed'].includes(reads.at(-1)?.intent.status ?? '')).length;

/** Of how many intents the receivers know something. */
const countNotified = ({ received }: World): number =>
  new Set(received.map(({ body }) => (JSON.parse(body) as { data: { id: string } }).data.id)).size;

/** Engines of one signer each; the second has a key of its own, or stands by with the first one's. */
function startProcesses(world: World, count: number): ServiceProcess[] {
  const shape = world.random.fork('processes');
  const rpcUrls = world.nodes.map(({ url }) => url);
  const processes: ServiceProcess[] = [];
  for (let index = 0; index < count; index += 1) {
    const signer = SIGNERS[shape.chance(0.5) ? index : 0]!;
    const settings = {
      name: `engine-${index + 1}`,
      signerKey: signer.privateKey,
      operatorAdmin: OPERATOR_ADMIN,
      // Each prefers another endpoint.
      rpcUrls: [...rpcUrls.slice(index % rpcUrls.length), ...rpcUrls.slice(0, index % rpcUrls.length)],
    };
    processes.push(startProcess(world, settings));
  }
  return processes;
}

/** What there is to judge, at the end: with a last look at every intent and at the meters. */
async function readHistory(
  world: World,
  template: Template,
  run: {
    clients: Clients;
    processes: readonly ServiceProcess[];
    parts: Parameters<typeof readIntent>[0];
    fromBlock: number;
    windows: RunHistory['faults'];
  },
): Promise<RunHistory> {
  const { clients, processes, parts, fromBlock, windows } = run;
  const look = async (): Promise<RunHistory['meters']> => {
    for (const wish of clients.wishes) {
      const id = wish.answers.findLast(({ intentId }) => intentId !== null)?.intentId;
      const account = template.accounts.find(({ accountId }) => accountId === wish.account)!;
      if (id) await readIntent(parts, wish, account, id);
    }
    return Promise.all(template.accounts.map((account) => readMeters(parts, account)));
  };
  const meters = await until(world, look());
  return {
    wishes: clients.wishes,
    effects: await readEffects((method, params) => world.chain.request(method, params), fromBlock),
    blocks: world.chain.timeline,
    received: world.received,
    meters,
    faults: windows,
    engines: processes.map(({ settings: { name, signerKey } }) => ({ name, signer: signerKey })),
    endpoints: world.nodes.map(({ url }) => url),
    receivers: Object.fromEntries(
      template.accounts.map(({ accountId, webhookSecret: secret }, index) => [
        `/${index}`,
        { account: accountId, environment: 'live', secret } as const,
      ]),
    ),
  };
}

/** What an account has used; -1 where nobody tells. It has used nothing before the run. */
async function readMeters(
  parts: Parameters<typeof readIntent>[0],
  account: Account,
): Promise<RunHistory['meters'][number]> {
  const stats = await attempt(parts, { account, operation: 'getStats' }, SETTLE_MS);
  const spent = await attempt(parts, { account, operation: 'getCredits' }, SETTLE_MS);
  const { mintsUsed: mints = -1 } = (stats?.body ?? {}) as { mintsUsed?: number };
  const { creditsUsed: credits = -1 } = (spent?.body ?? {}) as { creditsUsed?: number };
  return { account: account.accountId, mints, credits };
}
