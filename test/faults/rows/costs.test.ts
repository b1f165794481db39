import { expect, test } from '@jest/globals';
import { deployTargets, emptyLog, inParallel, mintOnce } from '../load.ts';
import { heightOf } from '../node-faults.ts';
import { startStand } from '../stand.ts';

const MINTS = 30;
/** Reads that grow with blocks; those that a transaction needs to be built are counted apart. */
const OF_BLOCKS = ['eth_blockNumber', 'eth_getBlockByNumber', 'eth_getBlockByHash', 'eth_getLogs'];
/** A header and one query of logs a block, and again as much for looks that find nothing new. */
const MAX_READS_A_BLOCK = 4;

test('what is read of the chain grows with blocks, not with transactions in flight', async () => {
  const stand = await startStand({ blockTimeSeconds: 1 }, { CONFIRMATIONS: '6', MAX_BATCH: '1' });
  try {
    const targets = await deployTargets([await stand.mintmark.register()]);
    await stand.quiet();
    const { calls } = stand.proxy.endpoint;
    const before = { ...calls };
    const from = await heightOf(stand.anvil);
    const log = emptyLog();
    await inParallel(MINTS, 10, () => mintOnce(targets[0]!, log));
    await stand.quiet();
    const blocks = (await heightOf(stand.anvil)) - from;
    const count = (method: string): number => (calls[method] ?? 0) - (before[method] ?? 0);
    const reads = OF_BLOCKS.reduce((sum, method) => sum + count(method), 0);
    process.stdout.write(
      `${blocks} blocks: ${reads} reads, ${count('eth_getTransactionReceipt')} receipts\n`,
    );
    expect(count('eth_getTransactionReceipt')).toBeLessThanOrEqual(MINTS);
    expect(reads).toBeLessThanOrEqual(MAX_READS_A_BLOCK * blocks);
  } finally {
    await stand.stop();
  }
});
