import type { Account } from './call.ts';
import { POOR_SIGNER, SIGNERS } from './admin.ts';
import { BURST_BLOCK_MS, planBurst } from './burst.ts';
import { attempt, readIntent, startClients } from './clients.ts';
import type { Clients } from './clients.ts';
import { readEffects } from '../judge/effects.ts';
import { needsTwo, planBackup, planFaults, startFaults } from './faults/plan.ts';
import type { Fault } from './faults/plan.ts';
import type { RunHistory } from '../judge/history.ts';
import { judge } from '../judge/judge.ts';
import type { Violation } from '../judge/judge.ts';
import { createRandom } from '../random.ts';
import { startSupervised } from './service.ts';
import type { Profile, ServiceProcess, ServiceSettings } from './service.ts';
import { findLedgerErrors } from './ledger.ts';
import { findUnlisted } from './states.ts';
import { until } from './template.ts';
import type { Template } from './template.ts';
import { createWorld, makeFree, mineEvery, mineOnDemand } from './world.ts';
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

/** Each of two losses of commits needs an epoch, and the Operator takes the second one ten minutes after the first. */
const FAULTS_MS = 900_000;
/** Everything is settled so long after the last fault and the last request. */
const SETTLE_MS = 300_000;
/** What the blocks of the last verdicts may still come to, and what is told of it. */
const QUIET_MS = 20_000;
/** A message that a killed process was sending is sent again after some minutes. */
const MESSAGES_MS = 360_000;
const DEFAULT_REQUESTS = 40;
const SPREAD_MS = 40_000;
/** How likely the chain makes no block without a transaction. */
const ON_DEMAND = 0.1;
/** How likely gas costs nothing on a chain that makes blocks by time. */
const FREE = 0.05;
/** How likely an engine has two signers. */
const TWO_SIGNERS = 0.2;
/** How likely RPC_URL names one endpoint, and not two. */
const ONE_ENDPOINT = 0.1;

/** Runs the world of one seed to its end, and judges it. */
export async function simulate(template: Template, seed: number, options: RunOptions = {}): Promise<Outcome> {
  const { requests = DEFAULT_REQUESTS, keep = () => true, untilEvent = Infinity, ...writers } = options;
  const name = `seed ${seed}`;
  const endpoints = createRandom(name).fork('one or two').chance(ONE_ENDPOINT) ? 1 : 2;
  const world = await createWorld({ seed: name, endpoints, template, ...writers });
  const { scheduler, random, chain, postgres, trace } = world;
  scheduler.lastEvent = untilEvent;
  const begun = scheduler.now;
  const fromBlock = chain.head + 1;
  const shape = random.fork('shape');
  const burst = planBurst(random.fork('burst'));
  const blockMs = burst ? BURST_BLOCK_MS : shape.whole(1, 4) * 1_000;
  const drawn = shape.whole(1, 2);
  const minesOnDemand = shape.chance(ON_DEMAND);
  if (minesOnDemand) mineOnDemand(world);
  else mineEvery(world, blockMs);
  const isFree = !minesOnDemand && shape.chance(FREE);
  if (isFree) makeFree(world);
  const others = [...planFaults(random.fork('faults'), SPREAD_MS), ...(burst?.fault ? [burst.fault] : [])];
  const planned = [...others, ...planBackup(random.fork('older backup'), SPREAD_MS, others)];
  const faults = planned.filter(keep);
  const count = planned.some(needsTwo) ? 2 : drawn;
  const processes: ServiceProcess[] = [];
  const profile = minesOnDemand ? 'profile-on-demand' : isFree ? 'profile-gasless' : 'profile';
  const settings = drawProcesses(world, { count, faults, profile });
  await until(
    world,
    Promise.all(settings.map((each, index) => startSupervised(world, processes, { index, settings: each }))),
  );
  const accounts = template.accounts;
  const parts = { world, processes: () => processes, random: random.fork('clients') };
  const clients = startClients({ ...parts, accounts, requests, spreadMs: SPREAD_MS, burst });
  const running = startFaults(world, processes, faults);
  let isDone = false;
  void Promise.all([clients.done, running.done]).then(() => (isDone = true));
  await scheduler.run(() => running.isOver, scheduler.now + FAULTS_MS);
  await scheduler.run(() => isDone, scheduler.now + SETTLE_MS);
  await scheduler.run(() => false, scheduler.now + QUIET_MS);
  // Of what is lost there may be no message.
  const isNotified = (): boolean =>
    running.windows.some(({ loses }) => loses) || countNotified(world) >= countSettled(clients);
  await scheduler.run(isNotified, scheduler.now + MESSAGES_MS);
  const history = await readHistory(world, template, {
    clients,
    processes,
    parts,
    fromBlock,
    windows: running.windows,
  });
  // As a command that is never done.
  const endless = running.isOver ? [] : [{ rule: 'settled', subject: 'faults', detail: 'one goes on' }];
  const violations = [
    ...judge(history),
    ...endless,
    ...(await findUnlisted(postgres)),
    ...(await findLedgerErrors(postgres)),
  ];
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

/**
 * Most engines have one signer: the second has a key of its own, or stands by with the first one's. Some have two, and
 * one has none that can pay when a fault is about that.
 */
function drawProcesses(
  world: World,
  { count, faults, profile }: { count: number; faults: readonly Fault[]; profile: Profile },
): ServiceSettings[] {
  const shape = world.random.fork('processes');
  const rpcUrls = world.nodes.map(({ url }) => url);
  const hasPoor = faults.some(({ kind }) => kind === 'signer without funds');
  return Array.from({ length: count }, (_, index) => {
    const own = SIGNERS[shape.chance(0.5) ? index : 0]!;
    const first = hasPoor && index === 0 ? POOR_SIGNER : own;
    const hasTwo = shape.chance(TWO_SIGNERS) && first !== POOR_SIGNER;
    return {
      name: `engine-${index + 1}`,
      signers: hasTwo ? [first, SIGNERS[index + 2]!] : [first],
      profile,
      // Each prefers another endpoint.
      rpcUrls: [...rpcUrls.slice(index % rpcUrls.length), ...rpcUrls.slice(0, index % rpcUrls.length)],
    };
  });
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
    engines: processes.flatMap(({ settings: { name, signers } }) =>
      signers.map(({ address }) => ({ name, signer: address })),
    ),
    endpoints: world.nodes.map(({ url }) => url),
    receivers: Object.fromEntries<RunHistory['receivers'][string]>(
      template.accounts.flatMap(({ accountId: account, webhookSecret, sandboxWebhookSecret }, index) => [
        [`/${index}`, { account, environment: 'live', secret: webhookSecret }],
        [`/${index}s`, { account, environment: 'sandbox', secret: sandboxWebhookSecret }],
      ]),
    ),
  };
}

/** What an account has used; -1 where nobody tells. It has used nothing before the run. */
async function readMeters(
  parts: Parameters<typeof readIntent>[0],
  account: Account,
): Promise<RunHistory['meters'][number]> {
  const stats = await attempt(parts, { account, environment: 'live', operation: 'getStats' }, SETTLE_MS);
  const spent = await attempt(parts, { account, environment: 'live', operation: 'getCredits' }, SETTLE_MS);
  const { mintsUsed: mints = -1 } = (stats?.body ?? {}) as { mintsUsed?: number };
  const { creditsUsed: credits = -1 } = (spent?.body ?? {}) as { creditsUsed?: number };
  return { account: account.accountId, mints, credits };
}
