import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import { startStand } from '../setup/stand.ts';
import type { Stand } from '../setup/stand.ts';
import { setPlan } from '../../lab/stage/accounts.ts';
import { createCollection, sessionOf } from '../../lab/stage/collections.ts';
import { waitForStatus } from '../../lab/stage/intents.ts';
import { deployToken, requestMint } from '../../lab/stage/tokens.ts';

/** Room for one of the heavy mints below and a few light ones. */
const BLOCK_GAS = 10_000_000;
const HEAVY_MINTS = 20;
const MAX_DELAY_BLOCKS = 2;
const DEADLINE_MS = 30_000;

let stand: Stand;
afterEach(() => stand.stop());

async function isPast(deadline: number, isDone: () => Promise<boolean>): Promise<boolean> {
  while (Date.now() < deadline) {
    if (await isDone()) return false;
    await sleep(50);
  }
  return true;
}

test('heavy mints of one account delay the light mint of another by two blocks at the most', async () => {
  stand = await startStand({ gasLimit: BLOCK_GAS });
  const { mintmark, anvil, waitForRow, quiet } = stand;
  const { db } = mintmark.service.context;
  const [heavy, light] = [await mintmark.register(), await mintmark.register()];
  await setPlan(mintmark, heavy, 'PRO_PLUS');
  const session = sessionOf(mintmark, heavy);
  const [collection, coin] = [await createCollection(session), await deployToken(light)];
  await quiet();

  await anvil.call('evm_setAutomine', [false]);
  const items = Array.from({ length: 100 }, (_, index) => ({
    to: `0x${String(index + 1).padStart(40, '0')}`,
  }));
  for (let mint = 0; mint < HEAVY_MINTS; mint += 1) {
    const { response } = await session.POST('/v1/collections/{address}/mint/batch', {
      params: { path: { address: collection }, header: { Prefer: 'respond-async' } },
      body: { items },
    });
    expect(response.status).toBe(202);
  }
  await waitForRow(`select 1 from transactions where status = 'open'`);
  const { intentId } = await requestMint(light, coin, { prefer: 'respond-async' });
  const statusOf = async () => {
    const sql = 'select status from intents where id = :id';
    return (await query<{ status: string }>(db, sql, { id: intentId }))[0]!.status;
  };
  let blocks = 0;
  // A block is made when the mint has been sent, or was not for so long that it waits for one.
  while ((await statusOf()) !== 'confirmed' && blocks <= HEAVY_MINTS) {
    await isPast(Date.now() + DEADLINE_MS / 3, async () => (await statusOf()) !== 'queued');
    await anvil.call('evm_mine');
    blocks += 1;
    await isPast(Date.now() + DEADLINE_MS / 10, async () => (await statusOf()) === 'confirmed');
  }
  expect(blocks).toBeLessThanOrEqual(MAX_DELAY_BLOCKS);

  await anvil.call('evm_setAutomine', [true]);
  await anvil.call('evm_mine');
  await waitForStatus(light, intentId!, 'confirmed');
  await quiet();
  const ends = await query<{ status: string; count: bigint }>(
    db,
    `select status, count(*) from intents where kind like '%batch%' group by status`,
  );
  expect(ends).toEqual([{ status: 'confirmed', count: BigInt(HEAVY_MINTS) }]);
});
