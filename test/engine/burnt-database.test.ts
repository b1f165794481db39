import { expect, test } from '@jest/globals';
import { adopt } from '../../src/admin/adopt.ts';
import { openAdminContext } from '../../src/admin/open.ts';
import { readConfig } from '../../src/config.ts';
import { burnDatabase, openUnusedDatabase } from '../../lab/faults/burnt-database.ts';
import { flawsOf } from '../../lab/faults/outcome.ts';
import { createTestRandom } from '../../lab/random.ts';
import { startEpochStand } from '../setup/epoch-stand.ts';

test('when the database is gone without a backup, clients that repeat all they asked for double nothing, and find it again', async () => {
  const { answered, done, ...burnt } = await burnDatabase(createTestRandom('burnt database'));
  expect(flawsOf(burnt)).toEqual([]);
  expect(Math.min(answered, done)).toBeGreaterThan(10);
});

test('an Operator is adopted by a database that nobody has used alone', async () => {
  await using stand = await startEpochStand();
  const { operator } = stand.mintmark.service.context.system;
  await using context = await openAdminContext(readConfig([], stand.mintmark.environment), () => undefined);
  await expect(adopt(context, operator)).rejects.toThrow('only one that nobody has used');
});

test('of an Operator that is old the chain is read from two days ago on', async () => {
  await using stand = await startEpochStand();
  const { mintmark, anvil } = stand;
  const { operator } = mintmark.service.context.system;
  await mintmark.service.stop();
  const DAY = 86_400;
  await anvil.call('evm_increaseTime', [DAY]);
  await anvil.call('anvil_mine', ['0x20', `0x${(3600).toString(16)}`]);
  await anvil.call('evm_increaseTime', [DAY]);
  await using burnt = await openUnusedDatabase(mintmark);
  await expect(mintmark.restart(burnt.replaced)).rejects.toThrow(`recover --adopt ${operator}`);
  const timeOf = async (block: number | 'latest') => {
    const at = typeof block === 'number' ? `0x${block.toString(16)}` : block;
    const { timestamp } = await anvil.call<{ timestamp: string }>('eth_getBlockByNumber', [at, false]);
    return Number(timestamp);
  };
  const { fromBlock } = (await adopt(burnt.context, operator)).json as { fromBlock: number };
  const now = await timeOf('latest');
  // A block may have come meanwhile.
  expect(now - (await timeOf(fromBlock))).toBeLessThan(2 * DAY + 10);
  expect(now - (await timeOf(fromBlock - 1))).toBeGreaterThan(2 * DAY);
});
