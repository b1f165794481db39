import { afterEach, expect, test } from '@jest/globals';
import { Transaction } from 'ethers';
import { query } from '../../src/db/client.ts';
import { FLAWLESS } from '../../lab/faults/judge.ts';
import { emptyLog } from '../../lab/load/load.ts';
import { startStand } from '../setup/stand.ts';
import type { Stand } from '../setup/stand.ts';
import { waitForStatus } from '../../lab/stage/intents.ts';
import { deployToken, requestMint } from '../../lab/stage/tokens.ts';

const IN_FLIGHT = 6;
/** More than ten times what anvil begins with, which is what was bid. */
const BASE_FEE = `0x${(30n * 10n ** 9n).toString(16)}`;

let stand: Stand;
afterEach(() => stand.stop());

/**
 * Transactions in the pool, whose nonces follow one another, all of which are mined in as many blocks as two of them
 * would take alone.
 */
async function areMinedAtOnce({
  begin,
  beforeBlock,
}: Partial<Record<'begin' | 'beforeBlock', () => unknown>>): Promise<void> {
  const { anvil, mintmark } = stand;
  const account = await mintmark.register();
  const coin = await deployToken(account);
  await stand.quiet();
  await anvil.call('evm_setAutomine', [false]);
  begin?.();
  const intents: string[] = [];
  while (intents.length < IN_FLIGHT) {
    const { intentId } = await requestMint(account, coin, { prefer: 'respond-async' });
    intents.push(intentId!);
    await waitForStatus(account, intentId!, 'submitted');
  }
  await stand.waitForRow(`select 1 from transactions where status = 'open' having count(*) = ${IN_FLIGHT}`);
  const isDone = `not exists (select 1 from transactions where status = 'open')`;
  // One by one they would take three blocks each, and one more.
  for (let blocks = 0; blocks < 2 * IN_FLIGHT; blocks += 1) {
    await beforeBlock?.();
    await anvil.call('evm_mine');
    const head = BigInt(await anvil.call<string>('eth_blockNumber'));
    await stand.waitForRow(`select 1 from reader where head_number >= ${head} or ${isDone}`);
  }
  const open = await query(mintmark.service.context.db, `select 1 from transactions where status = 'open'`);
  expect(open).toEqual([]);
  await anvil.call('evm_setAutomine', [true]);
  await Promise.all(intents.map((intent) => waitForStatus(account, intent, 'confirmed')));
  expect(await stand.verdict(emptyLog())).toMatchObject(FLAWLESS);
}

test('when the base fee jumps, all that is below it bids more at once', async () => {
  stand = await startStand({});
  const beforeBlock = () => stand.anvil.call('anvil_setNextBlockBaseFeePerGas', [BASE_FEE]);
  await areMinedAtOnce({ beforeBlock });
});

test('what other bytes in the pool are not outbid by bids more at once', async () => {
  stand = await startStand({});
  /** What was bid first for each nonce: others have bid as much. */
  const first = new Map<number, bigint>();
  let hasOthers = false;
  stand.proxy.endpoint.layers.unshift(async (request, forward) => {
    if (request.method !== 'eth_sendRawTransaction' || !hasOthers) return forward(request);
    const { nonce, maxFeePerGas } = Transaction.from(request.params[0] as string);
    first.set(nonce, first.get(nonce) ?? maxFeePerGas!);
    if (maxFeePerGas! > first.get(nonce)!) return forward(request);
    return { error: { code: -32_000, message: 'replacement transaction underpriced' } };
  });
  await areMinedAtOnce({ begin: () => (hasOthers = true) });
});
