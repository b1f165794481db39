import { CHAIN_ID, POOR_SIGNER } from './admin.ts';
import { ChainModel } from './chain.ts';
import type { BlockRecipe } from './chain.ts';
import { openEvm } from './evm.ts';
import type { Genesis } from './evm.ts';
import { enterWorld } from './globals.ts';
import { NodeModel } from './node.ts';
import { PostgresServer, openImage } from './postgres.ts';
import { CODED } from './recipients.ts';
import { createRandom } from '../random.ts';
import type { Random } from '../random.ts';
import { Scheduler } from './scheduler.ts';
import type { Machine } from './scheduler.ts';
import { enterNetwork } from './socket.ts';
import { createTrace } from './trace.ts';
import type { Template } from './template.ts';
import type { Trace } from './trace.ts';
import { enterWeb } from './web.ts';
import type { Received } from '../judge/history.ts';
import { gaslessNode } from '../proxies/rpc/nodes.ts';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import type { Hex } from '../../src/lib/hex.ts';

/** Everything around the processes of the service: time, chance, the database server, the chain and its endpoints. */
export interface World {
  scheduler: Scheduler;
  random: Random;
  trace: Trace;
  postgres: PostgresServer;
  chain: ChainModel;
  nodes: NodeModel[];
  /** Chance of the network between clients and processes. */
  network: Random;
  log(line: string): void;
  /** Calls back when the machine is killed. */
  onDeath(machine: Machine, callback: () => void): void;
  /** What the receivers of webhooks have taken. */
  received: Received[];
  /** Faults for which they answer with an error now, to a message that they have not seen yet. */
  receiversFail: number;
  /** Signers, in lower case, whose keys nobody has any more: none gets its role again. */
  lostKeys: Set<Hex>;
  /** The Operator contract. */
  operator: Hex;
  /** Another node's chain: the same blocks up to this one, and no others. */
  fork(height: number): Promise<ChainModel>;
  /** A chain of another id, with some blocks. */
  otherChain(): Promise<ChainModel>;
  /** Runs something on the chain between two blocks. */
  atomically(run: () => Promise<void>): Promise<void>;
  /** Names of processes that nobody starts again. */
  gone: Set<string>;
  /** `kill -9`. */
  kill(machine: Machine): void;
}

export interface WorldOptions {
  seed: string;
  /** Endpoints of the chain. */
  endpoints: number;
  /** What there is already. */
  template?: Pick<Template, 'database' | 'blocks' | 'now' | 'operator'>;
  /** Takes each line of the trace. */
  writeTrace?: (line: string) => void;
  /** Takes each line of the processes' logs. */
  writeLog?: (line: string) => void;
}

const RICH = embeddedAccounts.flatMap((account) => (account === POOR_SIGNER ? [] : (account.address as Hex)));
const OTHER_CHAIN_ID = 424_243n;
const OTHER_BLOCKS = 5;

/** Makes a world, which all code that is not loaded yet lives in from now on; `installGlobals` came before. */
export async function createWorld(options: WorldOptions): Promise<World> {
  const image = options.template ? await openImage(options.template.database) : null;
  const scheduler = new Scheduler();
  const random = createRandom(options.seed);
  const trace = createTrace(scheduler, options.writeTrace ?? null);
  const postgres = new PostgresServer(scheduler, random.fork('postgres'), trace);
  const nodes: NodeModel[] = [];
  enterWorld({
    scheduler,
    entropy: random.fork('entropy'),
    isInServer: () => postgres.isInside,
    fetch: (url, { body, signal }) => {
      const node = nodes.find((each) => url.startsWith(each.url));
      if (!node) throw new Error(`nobody answers at ${url}`);
      return node.fetch(body, signal ?? null);
    },
  });
  const connect = random.fork('connect');
  enterNetwork({ scheduler, postgres, connectMs: () => connect.latency(0.2, 5) });
  const genesis = { seconds: Math.floor(scheduler.wallClock / 1_000), rich: RICH, coded: CODED };
  const evm = await openEvm(CHAIN_ID, genesis);
  const chain = new ChainModel(evm, scheduler, trace);
  await chain.start(options.template?.blocks);
  scheduler.now = options.template?.now ?? 0;
  for (let index = 1; index <= options.endpoints; index += 1) {
    const url = `http://node-${index}.invalid`;
    nodes.push(new NodeModel(url, { chain, scheduler, trace, random: random.fork(url) }));
  }
  await postgres.start(image);
  const received: Received[] = [];
  let last = Promise.resolve();
  const deaths: { machine: Machine; callback: () => void }[] = [];
  const world: World = {
    ...{ scheduler, random, trace, postgres, chain, nodes },
    network: random.fork('network'),
    log: options.writeLog ?? (() => undefined),
    onDeath: (machine, callback) => void deaths.push({ machine, callback }),
    kill: (machine) => {
      machine.isDead = true;
      postgres.forget(machine);
      for (const death of deaths) if (death.machine === machine) death.callback();
    },
    received,
    receiversFail: 0,
    lostKeys: new Set(),
    gone: new Set(),
    operator: options.template?.operator ?? '0x',
    ...openOthers({ scheduler, trace, chain, genesis }),
    atomically: (run) => (last = last.then(run)),
  };
  const web = random.fork('web');
  const seen = new Set<string>();
  const answer = ({ headers }: Received): number => {
    const id = headers['webhook-id']!;
    const isFirst = !seen.has(id);
    seen.add(id);
    return world.receiversFail > 0 && isFirst ? 500 : 200;
  };
  enterWeb({ scheduler, random: web, received, answer });
  return world;
}

/** Lets a block come every so many milliseconds, for ever. */
export function mineEvery(world: World, ms: number): void {
  const { scheduler, chain, atomically } = world;
  const next = (): void =>
    void scheduler.afterAs(null, ms, () => {
      const mine = async (): Promise<void> => void (chain.isHalted || (await chain.mine()));
      void atomically(mine).then(next, (error: Error) => scheduler.fail(error));
    });
  next();
}

/** Makes a block soon after each transaction, and none else. */
export function mineOnDemand(world: World): void {
  const { scheduler, chain, atomically, random } = world;
  const delay = random.fork('on demand');
  const mine = async (): Promise<void> => {
    if (chain.isHalted) return later();
    const before = chain.poolSize;
    if (before === 0) return;
    await chain.mine();
    // What waits for a lower fee waits for a block.
    if (chain.poolSize > 0) later();
  };
  const later = (): void =>
    void scheduler.afterAs(null, delay.whole(50, 1_000), () => {
      void atomically(mine).catch((error: Error) => scheduler.fail(error));
    });
  chain.onSubmit = later;
}

/** Gas costs nothing from now on, and the nodes say so. */
export function makeFree({ chain, nodes }: World): void {
  chain.makeFree();
  for (const { layers } of nodes) layers.add(gaslessNode);
}

function openOthers({
  scheduler,
  trace,
  chain,
  genesis,
}: Pick<World, 'scheduler' | 'trace' | 'chain'> & { genesis: Genesis }): Pick<World, 'fork' | 'otherChain'> {
  const open = async (id: bigint, blocks: readonly BlockRecipe[]): Promise<ChainModel> => {
    const evm = await scheduler.outside(() => openEvm(id, genesis));
    const other = new ChainModel(evm, scheduler, trace);
    await other.start(blocks);
    return other;
  };
  return {
    fork: async (height) => {
      const fork = await open(CHAIN_ID, chain.record.slice(0, height));
      const asked = [`0x${height.toString(16)}`, false];
      const [own, theirs] = await Promise.all(
        [fork, chain].map((each) => each.request<{ hash: Hex }>('eth_getBlockByNumber', asked)),
      );
      if (chain.baseFee === 0n) fork.makeFree();
      if (own!.hash !== theirs!.hash) throw new Error(`block ${height} is not the same on a fork`);
      for (const raw of chain.waiting) await fork.submit(raw).catch(() => undefined);
      return fork;
    },
    otherChain: async () => {
      const other = await open(OTHER_CHAIN_ID, []);
      for (let block = 1; block <= OTHER_BLOCKS; block += 1) await other.mine(genesis.seconds + block);
      return other;
    },
  };
}
