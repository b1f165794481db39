import { setTimeout as sleep } from 'node:timers/promises';
import { Transaction } from 'ethers';
import { deployTargets } from '../load/load.ts';
import { cloneNode, heightOf, reorg } from './node-faults.ts';
import { SUCCESS_TOPICS } from './operator-events.ts';
import { OWNER, signPause } from './owner-pause.ts';
import { secondBackend } from '../proxies/rpc/backends.ts';
import type { SecondBackend } from '../proxies/rpc/backends.ts';
import { drawWrites, makeWrite } from '../load/writes.ts';
import { FINAL, addLayers, createNetworkFault, heal } from './network.ts';
import type { Network } from './network.ts';

/** So many that a block of the other fork looks final. */
const STALE_BLOCKS = 2 * FINAL + 3;
const LOOK_TIMEOUT_MS = 15_000;

type Answers = Pick<SecondBackend, 'answers' | 'part'>;

const MODES: readonly Answers[] = [
  { answers: 'lookups', part: 1 },
  { answers: 'lookups', part: 0.5 },
  { answers: 'any call', part: 0.5 },
];

/** A block with a mint is given up; one of two backends stays on it, with its receipts, logs and states. */
export const staleFork = createNetworkFault<({ kind: 'fork' } & Answers) | { kind: 'end' }>({
  made: (rounds) => `${rounds} mints, kept by one of two backends`,
  plan: (random, { number, blockMs }) => ({
    writes: [
      { kind: 'mint', target: 0, isWaiting: false },
      ...drawWrites(random, 5, { targets: 3, waiting: 0.6 }),
    ],
    troubles: [
      { at: { write: 1 }, what: { kind: 'fork', ...(number === 0 ? MODES[0]! : random.pick(MODES)) } },
      { at: { ms: STALE_BLOCKS * blockMs }, what: { kind: 'end' } },
    ],
  }),
  apply: async (trouble, network) => {
    if (trouble.kind === 'end') return heal(network);
    const { anvil } = network;
    const block = await waitUntilMined(network);
    await anvil.stopBlocks();
    network.spare = await cloneNode(anvil, network.blockMs);
    await reorg(anvil, (await heightOf(anvil)) - block + 1);
    answerFrom(network, trouble);
    anvil.startBlocks();
  },
});

/**
 * The owner of a token pauses it, in the block before the mint's call: the mint fails there. That block is given up,
 * and in the one that stays the mint succeeds. One of two backends stays on the fork of the failure.
 */
export const staleFailure = createNetworkFault<({ kind: 'fork' } & Answers) | { kind: 'end' }>({
  made: (rounds) => `${rounds} failures, kept by one of two backends`,
  plan: (random, { number, blockMs }) => ({
    writes: drawWrites(random, 2, { targets: 3, waiting: 0 }),
    troubles: [
      { at: { write: 1 }, what: { kind: 'fork', ...MODES[number % 2]! } },
      { at: { ms: STALE_BLOCKS * blockMs }, what: { kind: 'end' } },
    ],
  }),
  apply: async (trouble, network) => {
    if (trouble.kind === 'end') return heal(network);
    const { anvil, stage, sent } = network;
    const { account } = stage.targets[0]!;
    await account.api.PATCH('/me', { body: { walletAddress: OWNER.address } });
    const [target] = await deployTargets([account]);
    await sleep(FINAL * network.blockMs);
    await anvil.stopBlocks();
    const before = sent.length;
    await makeWrite({ kind: 'mint', target: 0, isWaiting: false }, target!, stage.log);
    await until(async () => sent.length > before);
    await anvil.call('eth_sendRawTransaction', [await signPause(anvil, target!.address)]);
    await anvil.call('anvil_mine', ['0x1']);
    await expectFailure(network);
    network.spare = await cloneNode(anvil, network.blockMs);
    // A transaction that was sent twice is one.
    await reorg(anvil, 1, [...new Set(sent.slice(before))]);
    answerFrom(network, trouble);
    anvil.startBlocks();
  },
});

/** Two endpoints show two forks that both grow; then they agree on one of them. */
export const disagreement = createNetworkFault<{ kind: 'split' } | { kind: 'join'; winner: 0 | 1 }>({
  endpoints: 2,
  made: (rounds) => `${rounds} times two forks grow, for 30 s`,
  plan: (random, { isShort, blockMs }) => ({
    writes: drawWrites(random, 8, { targets: 3, controls: 0.3 }),
    troubles: [
      { at: { write: random.whole(1, 2) }, what: { kind: 'split' } },
      {
        at: { ms: isShort ? 6 * blockMs : 30_000 },
        what: { kind: 'join', winner: random.pick([0, 1] as const) },
      },
    ],
  }),
  apply: async (trouble, network) => {
    const { anvil, proxies } = network;
    if (trouble.kind === 'split') {
      await anvil.stopBlocks();
      network.spare = await cloneNode(anvil, network.blockMs);
      anvil.startBlocks();
      network.spare.startBlocks();
      proxies[1]!.endpoint.target = network.spare.url;
      return;
    }
    if (trouble.winner === 1) [network.anvil, network.spare] = [network.spare!, anvil];
    return heal(network);
  },
});

/** The true node's blocks are replaced by empty ones, as deep as final or deeper. */
export const deepReorgs = createNetworkFault<{ depth: number }>({
  judge: { isBeyondFinal: true },
  made: (rounds) => `${rounds}, 1 to 3 times final, pool emptied too`,
  plan: (random) => ({
    writes: drawWrites(random, 8, { targets: 3, controls: 0.3, deploys: 0.1 }),
    troubles: [{ at: { write: random.whole(4, 8) }, what: { depth: random.whole(FINAL, 3 * FINAL) } }],
  }),
  apply: async ({ depth }, { anvil, blockMs }) => {
    // So that there are verdicts to take back.
    await sleep((FINAL + 2) * blockMs);
    await reorg(anvil, depth);
  },
});

function answerFrom(network: Network, { answers, part }: Answers): void {
  const { random } = network;
  addLayers(network, secondBackend({ url: network.spare!.url, answers, part, random }));
}

/** @throws Error when the newest transaction had another outcome than the row is about */
async function expectFailure({ anvil, sent }: Network): Promise<void> {
  const { hash } = Transaction.from(sent.at(-1));
  const receipt = await anvil.call<Receipt | null>('eth_getTransactionReceipt', [hash]);
  const hasSuccess = receipt?.logs.some(({ topics }) => SUCCESS_TOPICS.includes(topics[0] ?? ''));
  if (!receipt || hasSuccess) throw new Error('the mint did not fail after the pause: the row shows nothing');
}

interface Receipt {
  blockNumber: string;
  logs: { topics: string[] }[];
}

/** Waits until a transaction of the service is in a block from now on. Returns its number. */
async function waitUntilMined({ anvil, sent }: Network): Promise<number> {
  // What was sent before is behind everything that a reorg may take back.
  const from = await heightOf(anvil);
  let block = -1;
  await until(async () => {
    const newest = sent.at(-1);
    if (newest === undefined) return false;
    const { hash } = Transaction.from(newest);
    const receipt = await anvil.call<Receipt | null>('eth_getTransactionReceipt', [hash]);
    block = receipt ? Number(receipt.blockNumber) : -1;
    return block >= from;
  });
  return block;
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + LOOK_TIMEOUT_MS; !(await isTrue()); await sleep(50)) {
    if (performance.now() > end) throw new Error('the service sends nothing');
  }
}
