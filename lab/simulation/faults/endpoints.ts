import { setTimeout as sleep } from 'node:timers/promises';
import { id } from 'ethers';
import { BATCH_FORMS, batchLimit, indexingNode, sequencerWithoutPool } from '../../proxies/rpc/nodes.ts';
import { laggingState, preconfirmedCounts, prunedNode, wrongCounts } from '../../proxies/rpc/state.ts';
import type { Layer } from '../../proxies/rpc/endpoint.ts';
import type { Backend, NodeModel, Trouble } from '../node.ts';
import type { World } from '../world.ts';
import { cutOf, nodeOf } from './fault.ts';
import type { FaultParts, Make } from './fault.ts';

/** Adds something to one endpoint for a time. */
const forATime =
  <Item>(set: (node: NodeModel) => Set<Item>, item: (parts: FaultParts) => Item): Make =>
  async (parts) => {
    const node = nodeOf(parts);
    const added = item(parts);
    parts.window.cuts = [cutOf(node.url, false)];
    set(node).add(added);
    await sleep(parts.lastMs);
    set(node).delete(added);
  };

const troubled = (trouble: Partial<Trouble>): Make =>
  forATime(
    (node) => node.troubles,
    () => ({ ...trouble }),
  );

const layered = (layer: (parts: FaultParts) => Layer): Make => forATime((node) => node.layers, layer);

/** @param part how likely it is the one that answers */
const backed = (newest: (parts: FaultParts) => () => number, part: (parts: FaultParts) => number): Make =>
  forATime<Backend>(
    (node) => node.strays,
    (parts) => ({ chain: parts.world.chain, newest: newest(parts), part: part(parts) }),
  );

/** Cuts endpoints off wholly: all of them without one. @param engine for which alone; null: for all */
const down =
  (
    which: (parts: FaultParts) => NodeModel | null,
    engine: (parts: FaultParts) => string | null = () => null,
  ): Make =>
  async (parts) => {
    const [one, cut] = [which(parts), { engine: engine(parts) }];
    parts.window.cuts = [{ ...cutOf(one?.url ?? null, true), ...cut }];
    const nodes = one ? [one] : parts.world.nodes;
    for (const node of nodes) node.downs.add(cut);
    await sleep(parts.lastMs);
    for (const node of nodes) node.downs.delete(cut);
  };

/** Answers a part of the calls of one method with something else. */
const instead =
  (method: string, result: unknown, part: number) =>
  ({ random }: FaultParts): Layer =>
  (request, forward) =>
    request.method === method && random.chance(part) ? Promise.resolve({ result }) : forward(request);

/** A token that there is, in lower case; null: there is none. */
async function tokenOf({ chain }: World, which: number): Promise<string | null> {
  const topics = [id('TokenCreated(address,address,address,bytes32)')];
  const logs = await chain.request<{ topics: string[] }[]>('eth_getLogs', [
    { fromBlock: '0x0', topics: [topics] },
  ]);
  const created = logs[which % Math.max(1, logs.length)];
  return created ? `0x${created.topics[1]!.slice(26).toLowerCase()}` : null;
}

/** Of a load balancer, one of whose backends is some blocks behind. */
const LAGGING_PART = 0.5;

const countWrongly = layered(({ which }) => wrongCounts([1, 2, 5, -1, -2, -5][which % 6]!));

export const ENDPOINT_FAULTS = {
  errors: troubled({ refused: 0.5 }),
  'lost requests': troubled({ lost: 0.3 }),
  'lost answers': troubled({ unanswered: 0.3 }),
  'slow endpoint': troubled({ slow: 0.4 }),
  'endpoint down': down(nodeOf),
  'out of reach': down(() => null),
  'engine cut off': down(
    () => null,
    ({ processes, which }) => processes[which % processes.length]!.settings.name,
  ),
  // The others get every answer late: they reach the chain all the same.
  'engine cut off, others late': async (parts) => {
    const { world, processes, which, lastMs, window } = parts;
    const engine = processes[which % processes.length]!.settings.name;
    const [cut, trouble] = [{ engine }, { late: 1 }];
    window.cuts = [{ ...cutOf(null, true), ...cut }, cutOf(null, false)];
    for (const { downs, troubles } of world.nodes) {
      downs.add(cut);
      troubles.add(trouble);
    }
    await sleep(lastMs);
    for (const { downs, troubles } of world.nodes) {
      downs.delete(cut);
      troubles.delete(trouble);
    }
  },
  'frozen endpoint': backed(
    ({ world }) => {
      const { head } = world.chain;
      return () => head;
    },
    () => 1,
  ),
  'lagging backend': backed(
    ({ world, which }) =>
      () =>
        Math.max(0, world.chain.head - 1 - (which % 4)),
    () => LAGGING_PART,
  ),
  'lagging states': layered(({ which }) => laggingState(1 + (which % 4))),
  'wrong counts': async (parts) => {
    // An engine that starts meanwhile takes what is counted too much for what another process has sent.
    parts.window.allows = [{ code: 'INTERNAL_ERROR', says: 'The database may lack' }];
    await countWrongly(parts);
  },
  preconfirmations: layered(() => preconfirmedCounts),
  'pruned node': layered(() => prunedNode({ states: 4, logs: 32 })),
  'indexing node': layered(() => indexingNode),
  'no receipts': layered(instead('eth_getTransactionReceipt', null, 0.7)),
  'no logs': layered(instead('eth_getLogs', [], 0.5)),
  'batch limit': forATime(
    (node) => node.batchRules,
    ({ which }) => batchLimit(BATCH_FORMS[which % BATCH_FORMS.length]!, 1 + (which % 6)),
  ),
  'sequencer without a pool': async ({ world: { nodes }, lastMs }) => {
    // One of its own: the same fault may be under way twice.
    const layer: Layer = (request, forward) => sequencerWithoutPool(request, forward);
    for (const node of nodes) node.layers.add(layer);
    await sleep(lastMs);
    for (const node of nodes) node.layers.delete(layer);
  },
  // What a node makes of a call that takes it too long: geth, with `--rpc.evmtimeout`.
  'unsimulated contract': async ({ world, which, lastMs, window }) => {
    const contract = await tokenOf(world, which);
    if (contract === null) return;
    window.holdsUp = contract;
    const layer: Layer = (request, forward) =>
      request.method === 'eth_call' && JSON.stringify(request.params).includes(contract.slice(2))
        ? Promise.resolve({ error: { code: -32_000, message: 'execution aborted (timeout = 5s)' } })
        : forward(request);
    for (const node of world.nodes) node.layers.add(layer);
    await sleep(lastMs);
    for (const node of world.nodes) node.layers.delete(layer);
  },
  'other chain': async (parts) => {
    const node = nodeOf(parts);
    const chain = await parts.world.otherChain();
    const stray = { chain, newest: () => null, part: 1 };
    parts.window.cuts = [cutOf(node.url, true)];
    node.strays.add(stray);
    await sleep(parts.lastMs);
    node.strays.delete(stray);
  },
} satisfies Record<string, Make>;
