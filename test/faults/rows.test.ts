import { afterAll, expect, test } from '@jest/globals';
import { createNetworkFault, openNetwork } from '../../lab/faults/network.ts';
import type { Network } from '../../lab/faults/network.ts';
import { flawsOf, runOf } from '../../lab/faults/outcome.ts';
import type { FaultRun } from '../../lab/faults/outcome.ts';
import { PLANNED } from '../../lab/faults/rows.ts';
import { SHORT_TIMINGS } from '../engine/timings.ts';
import { waitForQuiet } from '../../lab/faults/books.ts';
import { shiftClock } from '../../lab/faults/fake-clock.ts';
import { emptyLog, inParallel, mintOnce } from '../../lab/load/load.ts';
import { heightOf } from '../../lab/faults/node-faults.ts';
import { createTestRandom } from '../../lab/random.ts';
import { drawWrites } from '../../lab/load/writes.ts';

/*
 * The first round of those rows of `npm run faults` that no other suite shows in a form of its own: one after the
 * other, with one service and short blocks.
 */

const SHORT_SCALE = 0.05;
const BLOCK_MS = 250;
const HOUR_MS = 3_600_000;
const QUIET_MS = 600_000;

let stack = new AsyncDisposableStack();
let open: Network | null = null;
afterAll(() => stack.disposeAsync());

const runFor = (name: string): FaultRun => ({
  ...runOf(Number(process.env['SEED'] ?? 1), name, SHORT_SCALE),
  blockMs: BLOCK_MS,
});

async function openShared(): Promise<Network> {
  open ??= await openNetwork(
    {
      blockMs: BLOCK_MS,
      random: createTestRandom('network'),
      endpoints: 2,
      accounts: 2,
      // Small transactions: then some are in flight at once.
      variables: { MAX_BATCH: '2' },
      // None of these faults takes all endpoints away: a machine that is too busy may.
      timings: { ...SHORT_TIMINGS, outOfReachMs: 60_000 },
    },
    stack,
  );
  return open;
}

/** What one row has broken is not laid at the door of the next one. */
async function forget(): Promise<void> {
  await stack.disposeAsync();
  stack = new AsyncDisposableStack();
  open = null;
}

/** As `wall clock` of the command, where engines are processes of their own. */
const clockJump = createNetworkFault<{ byMs: number }>({
  worksMeanwhile: true,
  made: (rounds) => `${rounds} times the wall clock of the service jumps back by an hour`,
  plan: (random) => ({
    writes: drawWrites(random, 6, { targets: 2, controls: 0.3, waiting: 0.3 }),
    troubles: [{ at: { write: 2 }, what: { byMs: -HOUR_MS } }],
  }),
  apply: async ({ byMs }) => shiftClock(byMs),
});

test.each([
  ...[
    'stale fork (success)',
    'stale fork (failure)',
    'lagging reads',
    'wrong nonce counts',
    'sequencer without a pool',
    'indexing node',
    'pruned node',
    'preconfirmations',
    'halted chain',
    'endpoints that disagree',
  ].map((name) => [name, PLANNED[name]!] as const),
  ['wall clock', clockJump] as const,
])('%s', async (name, row) => {
  const outcome = await row.playRound(await openShared(), runFor(name));
  const flaws = flawsOf(outcome);
  if (flaws.length > 0) await forget();
  expect(flaws).toEqual([]);
});

test('what is read of the chain grows with blocks, not with transactions in flight', async () => {
  const { anvil, proxies, stage, sent } = await openShared();
  const count = (method: string): number =>
    proxies.reduce((sum, { endpoint }) => sum + (endpoint.calls[method] ?? 0), 0);
  const countAll = async () => ({
    receipts: count('eth_getTransactionReceipt'),
    logs: count('eth_getLogs'),
    headers: count('eth_getBlockByHash'),
    blocks: await heightOf(anvil),
    transactions: new Set(sent).size,
  });
  const { db } = stage.mintmark.service.context;
  const before = await countAll();
  await inParallel(30, 10, (index) => mintOnce(stage.targets[index % 2]!, emptyLog()));
  expect(await waitForQuiet(db, QUIET_MS)).toBe(0);
  const after = await countAll();
  const grown = (name: keyof typeof after): number => after[name] - before[name];
  expect(grown('transactions')).toBeGreaterThan(10);
  expect(grown('receipts')).toBeLessThanOrEqual(grown('transactions'));
  expect(grown('logs')).toBeLessThanOrEqual(grown('blocks'));
  expect(grown('headers')).toBeLessThanOrEqual(grown('blocks'));
});
