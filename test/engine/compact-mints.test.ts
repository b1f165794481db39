import { afterEach, expect, test } from '@jest/globals';
import { Transaction } from 'ethers';
import { OPERATOR } from '../../src/chain/abi/interfaces.ts';
import { query } from '../../src/db/client.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { FLAWLESS } from '../../lab/faults/judge.ts';
import { emptyLog } from '../../lab/load/load.ts';
import { startStand } from '../setup/stand.ts';
import type { Stand } from '../setup/stand.ts';
import { openChain } from '../setup/chain.ts';
import { waitForStatus } from '../../lab/stage/intents.ts';
import { makeRevert, withoutBlocks } from '../setup/mining.ts';
import type { TestAccount } from '../../lab/stage/service.ts';
import { RECIPIENT, deployToken, requestMint } from '../../lab/stage/tokens.ts';

const HOSTILE = '0x00000000000000000000000000000000000bad00';
const EXECUTE_MINTS = OPERATOR.getFunction('executeMints')!.selector;

let stand: Stand;
afterEach(() => stand.stop());

/** A mint that is asked for; the amount is null for an NFT. */
interface Wanted {
  token: string;
  amount: string | null;
  owner?: string;
}

/** Asks for mints while another one is in flight, behind which they wait, so that they travel together. */
async function mintTogether(
  account: TestAccount,
  coin: string,
  wanted: readonly Wanted[],
  refuse = (chain: ReturnType<typeof openChain>): Promise<unknown> => makeRevert(chain, HOSTILE, 'not today'),
): Promise<string[]> {
  using chain = openChain(stand.mintmark);
  const ids: string[] = [];
  await withoutBlocks(chain, async (mine) => {
    const first = await requestMint(account, coin, { amount: '1', prefer: 'respond-async' });
    await waitForStatus(account, first.intentId!, 'submitted');
    for (const { token, ...mint } of wanted)
      ids.push((await requestMint(account, token, { ...mint, prefer: 'respond-async' })).intentId!);
    // A receiver that takes an NFT in the simulation, and not any more when it is mined. The first mint may be sent
    // again before that.
    stand.proxy.options.before = (method, [raw]) =>
      method === 'eth_sendRawTransaction' && Transaction.from(raw as string).data.startsWith(EXECUTE_MINTS)
        ? refuse(chain)
        : undefined;
    await mine();
    await waitForStatus(account, first.intentId!, 'confirmed');
    await stand.quiet();
  });
  return ids;
}

const transactionsOf = (ids: readonly string[]) =>
  query<{ selector: string; calls: number }>(
    stand.mintmark.service.context.db,
    `select '0x' || encode(substring(t.calldata for 4), 'hex') as selector, count(*)::int as calls
       from intents i join transaction_intents m on m.intent_number = i.number join transactions t on t.id = m.transaction_id
      where i.id = any(:ids::uuid[]) group by t.id order by t.id`,
    { ids },
  );

async function openTokens() {
  stand = await startStand({}, { MAX_IN_FLIGHT: '1' });
  const account = await stand.mintmark.register();
  const coin = await deployToken(account);
  return {
    account,
    coin,
    art: await deployToken(account, 'ERC721'),
    cats: await deployToken(account, 'ERC721'),
  };
}

test('mints of several tokens that travel together are sent as such, and each has its own result', async () => {
  const { account, coin, art, cats } = await openTokens();
  const nft = { amount: null };
  const ids = await mintTogether(account, coin, [
    ...[art, cats, art, art, cats].map((token) => ({ token, ...nft })),
    ...['5', '70000'].map((amount) => ({ token: coin, amount })),
  ]);
  expect(await transactionsOf(ids)).toEqual([{ selector: EXECUTE_MINTS, calls: 7 }]);
  const results = await query<{ status: string; result: Hex }>(
    stand.mintmark.service.context.db,
    'select status, result from intents where id = any(:ids::uuid[]) order by number',
    { ids },
  );
  expect(new Set(results.map(({ status }) => status))).toEqual(new Set(['confirmed']));
  expect(results.map(({ result }) => Number(result))).toEqual([1, 1, 2, 3, 2, 0, 0]);
  using chain = openChain(stand.mintmark);
  expect(String(await chain.erc20(coin)['totalSupply']!())).toBe('70006');
  expect(String(await chain.erc721(art)['ownerOf']!(3))).toBe(RECIPIENT);
  expect(await stand.verdict({ ...emptyLog(), acknowledged: new Set(ids) })).toMatchObject(FLAWLESS);
});

test('what many of them use is expected, and hardly more: blocks are filled by it', async () => {
  const { account, coin } = await openTokens();
  const ids = await mintTogether(
    account,
    coin,
    Array.from({ length: 40 }, () => ({ token: coin, amount: '1' })),
  );
  expect(await transactionsOf(ids)).toEqual([{ selector: EXECUTE_MINTS, calls: 40 }]);
  const [sent] = await query<{ hash: Hex; expected: bigint }>(
    stand.mintmark.service.context.db,
    'select mined_hash as hash, expected_gas as expected from transactions where cardinality(intent_numbers) = 40',
  );
  const { gasUsed } = await stand.anvil.call<{ gasUsed: string }>('eth_getTransactionReceipt', [sent!.hash]);
  const share = Number(sent!.expected) / Number(gasUsed);
  // A word of the bitmap may have been touched before, and counts as a new one: 17,000 gas of 340,000.
  expect(share).toBeGreaterThan(1);
  expect(share).toBeLessThan(1.2);
});

test('one that fails in such a transaction fails alone, with its reason', async () => {
  const { account, coin, art, cats } = await openTokens();
  const ids = await mintTogether(account, coin, [
    { token: art, amount: null },
    { token: cats, amount: null, owner: HOSTILE },
    { token: art, amount: null },
  ]);
  expect(await transactionsOf(ids)).toEqual([{ selector: EXECUTE_MINTS, calls: 3 }]);
  await waitForStatus(account, ids[0]!, 'confirmed');
  await waitForStatus(account, ids[2]!, 'confirmed');
  const { data } = await account.api.GET('/intents/{id}', { params: { path: { id: ids[1]! } } });
  expect(data).toMatchObject({
    status: 'failed',
    error: {
      code: 'CHAIN_ERROR',
      message: expect.stringMatching(/^The call reverted: ReceiverRefused\(0x\w+\): Error\(not today\)$/),
    },
  });
  expect(await stand.verdict({ ...emptyLog(), acknowledged: new Set(ids) })).toMatchObject(FLAWLESS);
});

test('receivers that use up all gas and fail with 1,024 bytes hold up nobody else in such a transaction', async () => {
  const { account, coin, art, cats } = await openTokens();
  // while (gas() > 0x300) {} revert(0, 0x400)
  const burner = '0x5b6103005a115f576104005ffd';
  const ids = await mintTogether(
    account,
    coin,
    [
      ...Array.from({ length: 24 }, () => ({ token: cats, amount: null, owner: HOSTILE })),
      { token: art, amount: null },
    ],
    () => stand.anvil.call('anvil_setCode', [HOSTILE, burner]),
  );
  const transactions = await transactionsOf(ids);
  expect(transactions[0]).toEqual({ selector: EXECUTE_MINTS, calls: 25 });
  const [first] = await query<{ hash: Hex }>(
    stand.mintmark.service.context.db,
    'select mined_hash as hash from transactions where cardinality(intent_numbers) = 25',
  );
  const receipt = await stand.anvil.call<{ status: string }>('eth_getTransactionReceipt', [first!.hash]);
  expect(receipt.status).toBe('0x1');
  await waitForStatus(account, ids.at(-1)!, 'confirmed');
});
