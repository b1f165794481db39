import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import type { Hex } from '../../src/lib/hex.ts';
import type { Anvil } from '../../lab/stage/anvil.ts';
import { FLAWLESS } from '../../lab/faults/judge.ts';
import { deployTargets, emptyLog, mintOnce } from '../../lab/load/load.ts';
import { replaceFrom } from '../../lab/faults/reorgs.ts';
import type { ClientLog } from '../../lab/faults/judge.ts';
import { sequencerWithoutPool } from '../../lab/proxies/rpc/nodes.ts';
import { startStand } from '../setup/stand.ts';
import type { Stand } from '../setup/stand.ts';
import { deployToken, requestMint } from '../../lab/stage/tokens.ts';

let stand: Stand;
afterEach(() => stand.stop());

/**
 * No block comes without a transaction, so that no bid rises because blocks go by; and the profile is one in which none
 * rises because they do not.
 */
async function boot(resendMs: number, variables: Record<string, string> = {}): Promise<Stand> {
  stand = await startStand({}, { CHAIN_PROFILE: 'avalanche', ...variables }, { timings: { resendMs } });
  // Nothing is sent before a block that came after the start.
  await stand.anvil.call('evm_mine', []);
  return stand;
}

async function loseMint(resendMs: number): Promise<ClientLog> {
  await boot(resendMs);
  const [target] = await deployTargets([await stand.mintmark.register()]);
  stand.proxy.options.faultFor = (method) => (method === 'eth_sendRawTransaction' ? 'withhold' : null);
  const log = emptyLog();
  await mintOnce(target!, log);
  await stand.waitForRow(`select 1 from transactions where status = 'open'`);
  while (!stand.proxy.counts['withhold']) await sleep(20);
  return log;
}

describe('a transaction that a pool lost', () => {
  test('is sent again by time', async () => {
    const log = await loseMint(500);
    stand.proxy.options.faultFor = () => null;
    expect(await stand.verdict(log)).toMatchObject({ ...FLAWLESS, acknowledged: 1, failed: 0 });
  });

  test('is sent again by whoever takes the lane', async () => {
    const log = await loseMint(3_600_000);
    await stand.mintmark.service.stop();
    stand.proxy.options.faultFor = () => null;
    await stand.mintmark.restart();
    expect(await stand.verdict(log)).toMatchObject({ ...FLAWLESS, acknowledged: 1, failed: 0 });
  });
});

test('a transaction that a reorg took back is sent again', async () => {
  const { anvil, mintmark, waitForRow, verdict } = await boot(3_600_000, { CONFIRMATIONS: '3' });
  const [target] = await deployTargets([await mintmark.register()]);
  const log = emptyLog();
  await mintOnce(target!, log);
  const minedMint = `select t.block_number as block, encode(t.block_hash, 'hex') as hash from transactions t
       join transaction_intents m on m.transaction_id = t.id join intents i on i.number = m.intent_number
      where i.kind = 'mint' and t.status = 'mined'`;
  const [mined] = await waitForRow<{ block: bigint; hash: string }>(minedMint);
  await replaceFrom(anvil, mined!.block);
  // A fork that is no longer than the known one is believed only after a while.
  await anvil.call('anvil_mine', ['0x1']);
  await waitForRow(`${minedMint} and t.block_hash <> decode('${mined!.hash}', 'hex')`);
  await anvil.call('anvil_mine', ['0x3']);
  expect(await verdict(log)).toMatchObject({ ...FLAWLESS, acknowledged: 1, failed: 0 });
});

test('a transaction that the node refused ahead of its nonce is sent when its turn comes', async () => {
  const { anvil, proxy, mintmark, waitForRow, verdict } = await boot(3_600_000, { MAX_BATCH: '1' });
  const [target] = await deployTargets([await mintmark.register()]);
  await anvil.call('evm_setAutomine', [false]);
  proxy.endpoint.layers = [sequencerWithoutPool, ...proxy.endpoint.layers];
  const log = emptyLog();
  await mintOnce(target!, log);
  await mintOnce(target!, log);
  await waitForRow(`select 1 from transactions where status = 'open' having count(*) = 2`);
  // As few blocks as possible: when many go by, a higher bid is sent.
  for (let turn = 0; turn < 2; turn += 1) {
    await untilTaken(anvil);
    await anvil.call('evm_mine');
  }
  expect(await verdict(log)).toMatchObject({ ...FLAWLESS, acknowledged: 2, failed: 0 });
});

/** Waits until the pool has a transaction. */
async function untilTaken(anvil: Anvil): Promise<void> {
  for (let look = 0; look < 6_000; look += 1) {
    if (Number((await anvil.call<{ pending: string }>('txpool_status')).pending) > 0) return;
    await sleep(50);
  }
  throw new Error('the pool has nothing');
}

test('a transaction that was reverted as a whole goes again', async () => {
  const log = await loseMint(3_600_000);
  const { anvil, proxy, mintmark, waitForRow } = stand;
  const { operator } = mintmark.service.context.system;
  const restored = Promise.withResolvers<void>();
  const code = await anvil.call('eth_getCode', [operator, 'latest']);
  const [open] = await waitForRow<{ raw: Hex; nonce: bigint }>(
    `select a.raw, t.nonce from transactions t join attempts a on a.transaction_id = t.id where t.status = 'open'`,
  );
  // It is mined while the Operator reverts whatever it is asked.
  await anvil.call('anvil_setCode', [operator, '0x5f5ffd']);
  // Simulations wait, and not the question why it was reverted in its block.
  proxy.options.before = (method, [, block]) =>
    method === 'eth_call' && block === 'latest' ? restored.promise : undefined;
  await anvil.call('eth_sendRawTransaction', [open!.raw]);
  await waitForRow(`select 1 from transactions where nonce = ${open!.nonce} and status = 'final'`);
  await anvil.call('anvil_setCode', [operator, code]);
  proxy.options.faultFor = () => null;
  restored.resolve();
  expect(await stand.verdict(log)).toMatchObject({ ...FLAWLESS, acknowledged: 1, failed: 0 });
});

test('what whole transactions used that were reverted is charged to the call that they were of, once it fails', async () => {
  const { anvil, proxy, mintmark } = await boot(3_600_000);
  const account = await mintmark.register();
  const token = await deployToken(account, 'ERC20');
  const { operator } = mintmark.service.context.system;
  const code = await anvil.call('eth_getCode', [operator, 'latest']);
  const used = async () => (await account.api.GET('/stats/gas')).data!.used;
  const before = await used();
  let brokenAt: string | null = null;
  proxy.options.before = async (method, [, block]) => {
    if (method === 'eth_sendRawTransaction') {
      brokenAt = await anvil.call<string>('eth_blockNumber');
      await anvil.call('anvil_setCode', [operator, '0x5f5ffd']);
    } else if (method === 'eth_getTransactionCount' && brokenAt && block !== 'latest') {
      if ((await anvil.call('eth_blockNumber')) === brokenAt) return;
      // It is mined. What it did is asked for at the head, which has the Operator again.
      brokenAt = null;
      await anvil.call('anvil_setCode', [operator, code]);
      await anvil.call('evm_mine');
    }
  };
  expect(await requestMint(account, token)).toMatchObject({
    status: 502,
    body: { code: 'CHAIN_ERROR', message: 'The transaction was reverted as a whole, twice' },
  });
  const sent = await query<{ hash: Hex }>(
    mintmark.service.context.db,
    `select t.mined_hash as hash from transactions t join transaction_intents m on m.transaction_id = t.id
       join intents i on i.number = m.intent_number where i.kind = 'mint'`,
  );
  expect(sent).toHaveLength(2);
  const receipts = await Promise.all(
    sent.map(({ hash }) =>
      anvil.call<{ gasUsed: string; status: string }>('eth_getTransactionReceipt', [hash]),
    ),
  );
  expect(receipts.map(({ status }) => status)).toEqual(['0x0', '0x0']);
  const burnt = receipts.reduce((sum, { gasUsed }) => sum + Number(gasUsed), 0);
  expect(await used()).toBe(before + burnt);
});
