import { setBalance } from '../../test/faults/node-faults.ts';
import { startAnvil } from '../../test/faults/anvil.ts';
import type { Anvil, AnvilOptions } from '../../test/faults/anvil.ts';
import type { JudgeOptions } from '../../test/faults/judge.ts';
import type { Random } from '../../test/faults/random.ts';
import type { Layer } from '../../test/faults/rpc/endpoint.ts';
import { startRpcProxy } from '../../test/faults/rpc-proxy.ts';
import type { RpcProxy } from '../../test/faults/rpc-proxy.ts';
import { followSchedule } from '../../test/faults/schedule.ts';
import type { Schedule } from '../../test/faults/schedule.ts';
import { makeWrites } from '../../test/faults/writes.ts';
import type { Write } from '../../test/faults/writes.ts';
import { checkAlive } from './alive.ts';
import { say } from './outcome.ts';
import type { Fault, FaultRun, Outcome } from './outcome.ts';
import { withSigners } from './signers.ts';
import { judgeStage, prepare } from './stage.ts';
import type { Stage } from './stage.ts';

/** Anvil changes the time between blocks in whole seconds only. */
export const BLOCK_SECONDS = 1;
export const FINAL = 3;
const ROUNDS = 20;
const SHORT_ROUNDS = 2;
/** Blocks below everything that a reorg of this suite takes back. */
const FOUNDATION = '0x28';
const QUIET_MS = 180_000;

/** What one round does: drawn from the seed before it begins. */
export interface Plan<Trouble> {
  writes: Write[];
  troubles: Schedule<Trouble>;
}

/** The service behind an endpoint, or two, in front of a real node. */
export interface Network {
  /** The node whose chain is the true one in the end. */
  anvil: Anvil;
  proxies: RpcProxy[];
  /** A node on another fork, while there is one. */
  spare: Anvil | null;
  stage: Stage;
  /** Draws what is not part of a plan: which single calls meet a trouble. */
  random: Random;
  /** Signed transactions that the service has sent, the newest last. */
  sent: string[];
  /** Troubles that last; waited for when a round is over. */
  lasting: Promise<unknown>[];
}

export interface NetworkRow<Trouble> {
  /** The faults that were made, with their number. */
  made(rounds: number): string;
  /** Round 0 has the form of the fault that broke the first engine: the one round of a short run shows it. */
  plan(random: Random, round: { number: number; isShort: boolean }): Plan<Trouble>;
  apply(trouble: Trouble, network: Network): Promise<unknown>;
  node?: AnvilOptions;
  variables?: Record<string, string>;
  accounts?: number;
  endpoints?: 1 | 2;
  /** Several signers, so several lanes. */
  hasSigners?: boolean;
  /** Layers of all rounds. */
  layers?: readonly Layer[];
  /** Mints are confirmed while the trouble lasts, not only after it. */
  worksMeanwhile?: boolean;
  /** Wei of the signer when the rounds begin. */
  balance?: bigint;
  judge?: JudgeOptions;
}

/** A row of the table whose faults are drawn from the seed. */
export interface PlannedFault {
  fault: Fault;
  /** The plans of all rounds of a run, as data. */
  plansOf(run: FaultRun): Plan<unknown>[];
}

/** Makes a fault of a row: rounds of writes and troubles, after each of which the service must go on by itself. */
export function createNetworkFault<Trouble>(row: NetworkRow<Trouble>): PlannedFault {
  const plansOf = ({ scaled, random, isShort }: FaultRun): Plan<Trouble>[] =>
    Array.from({ length: isShort ? Math.min(SHORT_ROUNDS, scaled(ROUNDS)) : scaled(ROUNDS) }, (_, number) =>
      row.plan(random.fork(`round ${number}`), { number, isShort }),
    );
  const fault: Fault = (run) => {
    const make = (signers: Record<string, string>) => runRounds(row, plansOf(run), run, signers);
    return row.hasSigners ? withSigners(make) : make({});
  };
  return { fault, plansOf };
}

async function runRounds<Trouble>(
  row: NetworkRow<Trouble>,
  plans: readonly Plan<Trouble>[],
  run: FaultRun,
  signers: Record<string, string>,
): Promise<Outcome> {
  await using stack = new AsyncDisposableStack();
  const network = await openNetwork(row, run.random.fork('calls'), signers, stack);
  const flaws: string[] = [];
  const levers: string[] = [];
  let [slowestMs, made] = [0, 0];
  for (const plan of plans) {
    const alive = await runRound(row, plan, network).catch((error: unknown) => ({
      slowestMs: 0,
      levers: [],
      flaws: [String(error)],
    }));
    made += 1;
    slowestMs = Math.max(slowestMs, alive.slowestMs);
    levers.push(...alive.levers);
    flaws.push(...alive.flaws.map((flaw) => `round ${made}: ${flaw}`));
    say(`  ${made} of ${plans.length} rounds`);
    // What is dead once is dead in all later rounds.
    if (alive.flaws.length > 0) break;
  }
  network.stage.nodeUrl = network.anvil.url;
  const quietMs = flaws.length > 0 ? 0 : QUIET_MS;
  const judgement = await judgeStage(network.stage, { quietMs, ...row.judge });
  return {
    made: row.made(made),
    judgement,
    note: `the next mints of all contracts were confirmed after ${(slowestMs / 1_000).toFixed(1)} s at most${levers.length > 0 ? `, ${levers.length} times after "${[...new Set(levers)].join('", "')}"` : ''}`,
    flaws,
  };
}

async function runRound<Trouble>(row: NetworkRow<Trouble>, plan: Plan<Trouble>, network: Network) {
  const runner = followSchedule(plan.troubles, async (trouble) => {
    say(`    ${JSON.stringify(trouble)}`);
    await row.apply(trouble, network);
  });
  for (const { endpoint } of network.proxies) endpoint.onCall = runner.onCall;
  const { stage } = network;
  await makeWrites(plan.writes, stage.targets, stage.log, runner.onWrite);
  await runner.finish();
  for (const { endpoint } of network.proxies) endpoint.onCall = async () => undefined;
  const meanwhile = row.worksMeanwhile ? await checkAlive(stage) : null;
  await Promise.all(network.lasting.splice(0));
  await heal(network);
  return meanwhile && meanwhile.flaws.length > 0
    ? { ...meanwhile, flaws: meanwhile.flaws.map((flaw) => `while it lasts: ${flaw}`) }
    : checkAlive(stage);
}

async function openNetwork<Trouble>(
  row: NetworkRow<Trouble>,
  random: Random,
  signers: Record<string, string>,
  stack: AsyncDisposableStack,
): Promise<Network> {
  const first = await startAnvil({ blockTimeSeconds: BLOCK_SECONDS, ...row.node });
  stack.defer(() => first.stop());
  const proxies: RpcProxy[] = [];
  const sent: string[] = [];
  for (let place = 0; place < (row.endpoints ?? 1); place += 1) {
    const proxy = await startRpcProxy({
      target: first.url,
      faultFor: () => null,
      random: random.fork('delays'),
    });
    stack.defer(() => proxy.stop());
    const { endpoint } = proxy;
    endpoint.layers = [keepSent(sent), ...(row.layers ?? []), ...endpoint.layers];
    BASE.set(proxy, endpoint.layers);
    proxies.push(proxy);
  }
  const stage = await prepare(first.url, {
    rpcUrl: proxies.map(({ url }) => url).join(','),
    variables: { CONFIRMATIONS: String(FINAL), WAIT_TIMEOUT_MS: '20000', ...signers, ...row.variables },
    accounts: row.accounts ?? 3,
  });
  stack.defer(() => stage.mintmark.stop().catch(say));
  const network: Network = { anvil: first, proxies, spare: null, stage, random, sent, lasting: [] };
  stack.defer(async () => {
    await network.spare?.stop();
    if (network.anvil !== first) await network.anvil.stop();
  });
  await first.call('anvil_mine', [FOUNDATION]);
  if (row.balance !== undefined) {
    const [account] = await first.call<string[]>('eth_accounts');
    await setBalance(first, account!, row.balance);
  }
  return network;
}

/** The layers of an endpoint without a trouble. */
const BASE = new WeakMap<RpcProxy, Layer[]>();

/** Puts layers in front of an endpoint's own. */
export function addLayers({ proxies }: Network, ...layers: Layer[]): void {
  for (const proxy of proxies) proxy.endpoint.layers = [...layers, ...BASE.get(proxy)!];
}

/** Ends all troubles of the endpoints. */
export async function heal(network: Network): Promise<void> {
  addLayers(network);
  for (const { endpoint, options } of network.proxies) {
    endpoint.batchRule = null;
    endpoint.target = network.anvil.url;
    options.withholdFirstBids = false;
  }
  await network.spare?.stop();
  network.spare = null;
}

const keepSent =
  (sent: string[]): Layer =>
  (request, forward) => {
    if (request.method === 'eth_sendRawTransaction') sent.push(request.params[0] as string);
    return forward(request);
  };
