import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setBalance, startMinedNode } from './node-faults.ts';
import type { MinedNode } from './node-faults.ts';
import type { AnvilOptions } from '../stage/anvil.ts';
import type { JudgeOptions, Judgement } from './judge.ts';
import type { Random } from '../random.ts';
import type { Layer } from '../proxies/rpc/endpoint.ts';
import { startRpcProxy } from '../proxies/rpc-proxy.ts';
import type { RpcProxy } from '../proxies/rpc-proxy.ts';
import { followSchedule } from './schedule.ts';
import type { Schedule } from './schedule.ts';
import { makeWrites } from '../load/writes.ts';
import type { Write } from '../load/writes.ts';
import { checkAlive, namesOf } from './alive.ts';
import type { Alive } from './alive.ts';
import { say } from './outcome.ts';
import type { Fault, FaultRun, Outcome } from './outcome.ts';
import { withSigners } from './signers.ts';
import { judgeStage, prepare } from './stage.ts';
import type { Stage, StageOptions } from './stage.ts';

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
  anvil: MinedNode;
  proxies: RpcProxy[];
  /** A node on another fork, while there is one. */
  spare: MinedNode | null;
  stage: Stage;
  blockMs: number;
  /** Draws what is not part of a plan: which single calls meet a trouble. */
  random: Random;
  /** Signed transactions that the service has sent, the newest last. */
  sent: string[];
  /** Troubles that last; waited for when a round is over. */
  lasting: Promise<unknown>[];
  /** Layers of all rounds of the row that is made. */
  layers: readonly Layer[];
}

interface NetworkOptions extends Pick<StageOptions, 'accounts' | 'variables' | 'timings'> {
  blockMs: number;
  random: Random;
  node?: AnvilOptions;
  endpoints?: 1 | 2;
  layers?: readonly Layer[];
  /** Wei of the signer when the rounds begin. */
  balance?: bigint;
}

interface NetworkRow<Trouble> extends Omit<NetworkOptions, 'blockMs' | 'random' | 'timings'> {
  /** The faults that were made, with their number. */
  made(rounds: number): string;
  /** Round 0 has the form of the fault that broke the first engine: the one round of a short run shows it. */
  plan(random: Random, round: { number: number; isShort: boolean; blockMs: number }): Plan<Trouble>;
  apply(trouble: Trouble, network: Network): Promise<unknown>;
  /** Ends what a round has done to the chain and does not end by itself. */
  end?(network: Network): Promise<unknown>;
  /** Several signers, so several lanes. */
  hasSigners?: boolean;
  /** Mints are confirmed while the trouble lasts, not only after it. */
  worksMeanwhile?: boolean;
  judge?: JudgeOptions;
}

/** A row of the table whose faults are drawn from the seed. */
export interface PlannedFault {
  fault: Fault;
  /** The plans of all rounds of a run, as data. */
  plansOf(run: FaultRun): Plan<unknown>[];
  /** Makes the first round in a network that other rows use too, and judges all that happened there. */
  playRound(network: Network, run: FaultRun): Promise<{ judgement: Judgement; flaws: string[] }>;
}

/** Makes a fault of a row: rounds of writes and troubles, after each of which the service must go on by itself. */
export function createNetworkFault<Trouble>(row: NetworkRow<Trouble>): PlannedFault {
  const plansOf = ({ scaled, random, isShort, blockMs }: FaultRun): Plan<Trouble>[] =>
    Array.from({ length: isShort ? Math.min(SHORT_ROUNDS, scaled(ROUNDS)) : scaled(ROUNDS) }, (_, number) =>
      row.plan(random.fork(`round ${number}`), { number, isShort, blockMs }),
    );
  const fault: Fault = (run) => {
    const make = (signers: Record<string, string>) => runRounds(row, plansOf(run), run, signers);
    return row.hasSigners ? withSigners(make) : make({});
  };
  const playRound: PlannedFault['playRound'] = async (network, run) => {
    network.layers = row.layers ?? [];
    addLayers(network);
    const { flaws } = await runRound(row, plansOf(run)[0]!, network);
    return { judgement: await judgeNetwork(row, network, flaws), flaws };
  };
  return { fault, plansOf, playRound };
}

async function runRounds<Trouble>(
  row: NetworkRow<Trouble>,
  plans: readonly Plan<Trouble>[],
  { random, blockMs }: FaultRun,
  signers: Record<string, string>,
): Promise<Outcome> {
  await using stack = new AsyncDisposableStack();
  const variables = { ...signers, ...row.variables };
  const network = await openNetwork({ ...row, blockMs, variables, random: random.fork('calls') }, stack);
  const flaws: string[] = [];
  const commands: string[] = [];
  let [slowestMs, made] = [0, 0];
  for (const plan of plans) {
    const alive = await runRound(row, plan, network);
    made += 1;
    slowestMs = Math.max(slowestMs, alive.slowestMs);
    commands.push(...alive.commands);
    flaws.push(...alive.flaws.map((flaw) => `round ${made}: ${flaw}`));
    say(`  ${made} of ${plans.length} rounds`);
    // What is dead once is dead in all later rounds.
    if (alive.flaws.length > 0) break;
  }
  return {
    made: row.made(made),
    judgement: await judgeNetwork(row, network, flaws),
    note: `next mints after ${(slowestMs / 1_000).toFixed(1)} s${commands.length > 0 ? `, ${commands.length} times by ${namesOf(commands)}` : ''}`,
    flaws,
  };
}

function judgeNetwork<Trouble>(
  row: NetworkRow<Trouble>,
  { stage, anvil }: Network,
  flaws: readonly string[],
): Promise<Judgement> {
  stage.nodeUrl = anvil.url;
  return judgeStage(stage, { quietMs: flaws.length > 0 ? 0 : QUIET_MS, ...row.judge });
}

/** Makes one round. An error of it is a flaw. */
async function runRound<Trouble>(
  row: NetworkRow<Trouble>,
  plan: Plan<Trouble>,
  network: Network,
): Promise<Alive> {
  try {
    return await makeRound(row, plan, network);
  } catch (error) {
    return { slowestMs: 0, commands: [], flaws: [String(error)] };
  }
}

async function makeRound<Trouble>(
  row: NetworkRow<Trouble>,
  plan: Plan<Trouble>,
  network: Network,
): Promise<Alive> {
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
  await row.end?.(network);
  await heal(network);
  return meanwhile && meanwhile.flaws.length > 0
    ? { ...meanwhile, flaws: meanwhile.flaws.map((flaw) => `while it lasts: ${flaw}`) }
    : checkAlive(stage);
}

/** Starts a node, the endpoints in front of it and the service behind them; `stack` stops them. */
export async function openNetwork(
  { node, endpoints = 1, variables, accounts = 3, timings, balance, ...options }: NetworkOptions,
  stack: AsyncDisposableStack,
): Promise<Network> {
  const { blockMs, random, layers = [] } = options;
  const anvil = stack.use(await startMinedNode(blockMs, node));
  anvil.startBlocks();
  const proxies: RpcProxy[] = [];
  const sent: string[] = [];
  for (let place = 0; place < endpoints; place += 1) {
    const proxy = stack.use(
      await startRpcProxy({ target: anvil.url, faultFor: () => null, random: random.fork('delays') }),
    );
    OWN_LAYERS.set(proxy, [keepSent(sent), ...proxy.endpoint.layers]);
    proxies.push(proxy);
  }
  addLayers({ proxies, layers });
  const stage = await prepare(anvil.url, {
    rpcUrl: proxies.map(({ url }) => url).join(','),
    variables: {
      CHAIN_PROFILE: await writeProfile(blockMs, stack),
      ...{ CONFIRMATIONS: String(FINAL), WAIT_TIMEOUT_MS: '20000' },
      ...variables,
    },
    accounts,
    hasNfts: true,
    ...(timings && { timings }),
  });
  stack.defer(() => stage.mintmark.stop().catch(say));
  const open: Network = {
    ...{ anvil, proxies, spare: null, stage, blockMs },
    ...{ random, sent, lasting: [], layers },
  };
  stack.defer(async () => {
    await open.spare?.stop();
    if (open.anvil !== anvil) await open.anvil.stop();
  });
  await anvil.call('anvil_mine', [FOUNDATION]);
  if (balance !== undefined) {
    const [account] = await anvil.call<string[]>('eth_accounts');
    await setBalance(anvil, account!, balance);
  }
  return open;
}

/** A public chain of these block times: heads that are not higher are believed after a while, and not at once. */
async function writeProfile(blockMs: number, stack: AsyncDisposableStack): Promise<string> {
  const folder = stack.use(await mkdtempDisposable(path.join(tmpdir(), 'mintmark-profile-')));
  const file = path.join(folder.path, 'profile.json');
  const fields = { forkChoiceMs: 3 * blockMs, stuckMs: 5 * blockMs };
  await writeFile(file, JSON.stringify({ base: 'anvil', ...fields }));
  return file;
}

/** The layers of an endpoint itself. */
const OWN_LAYERS = new WeakMap<RpcProxy, Layer[]>();

/** Puts layers in front of those of the row, in the place of all that were put there before. */
export function addLayers({ proxies, layers }: Pick<Network, 'proxies' | 'layers'>, ...more: Layer[]): void {
  for (const proxy of proxies) proxy.endpoint.layers = [...more, ...layers, ...OWN_LAYERS.get(proxy)!];
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
