import { setTimeout as sleep } from 'node:timers/promises';
import { toBytes } from '../../src/lib/hex.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { query } from '../../src/db/client.ts';
import type { Db } from '../../src/db/client.ts';
import type { TestAccount } from '../stage/service.ts';
import type { Anvil } from '../stage/anvil.ts';
import type { ClientLog } from './judge.ts';
import { deployTargets, mintOnce } from '../load/load.ts';
import type { Fault } from './outcome.ts';
import { say } from './outcome.ts';
import { OWNER, signPause } from './owner-pause.ts';
import { judgeStage, mintAll, prepare, withAnvil } from './stage.ts';

/** A mint that stands in a block. */
interface Mined {
  blockNumber: bigint;
  blockHash: Hex;
}

/**
 * Mints once, and lets reorgs of the mint's block turn its success into a failure, back into a success, and with `ends`
 * "failure" into a failure for good: the token's owner pauses it before the mint in the same block, or does not.
 * Returns how many reorgs it took.
 */
export async function turnAround(
  { anvil, db, account, log }: { anvil: Anvil; db: Db; account: TestAccount; log: ClientLog },
  ends: 'success' | 'failure',
): Promise<number> {
  await account.api.PATCH('/me', { body: { walletAddress: OWNER.address } });
  const [target] = await deployTargets([account]);
  const contract = target!.address.toLowerCase() as Hex;
  await mintOnce(target!, log);
  let mined = await waitUntilMined(db, contract, null);
  const turns = ends === 'success' ? [true, false] : [true, false, true];
  for (const paused of turns) {
    await replaceBlocks(anvil, db, mined.blockNumber, paused ? [await signPause(anvil, contract)] : []);
    mined = await waitUntilMined(db, contract, mined.blockHash);
    const [intent] = await query<{ status: string }>(
      db,
      `select status from intents where contract = :contract and kind = 'mint'`,
      { contract: toBytes(contract) },
    );
    const expected = paused ? 'submitted' : 'confirmed';
    if (intent!.status !== expected) {
      throw new Error(`after a reorg the mint is ${intent!.status}, not ${expected}`);
    }
  }
  return turns.length;
}

/** Waits until the service knows the block of the contract's mint, and that it is another one than `before`. */
async function waitUntilMined(db: Db, contract: Hex, before: Hex | null): Promise<Mined> {
  for (let look = 0; look < 6_000; look += 1) {
    const [row] = await query<{ block_number: bigint; block_hash: Hex }>(
      db,
      `select t.block_number, t.block_hash from transactions t
         join transaction_intents m on m.transaction_id = t.id and m.decides
         join intents i on i.number = m.intent_number
        where i.contract = :contract and i.kind = 'mint' and t.status = 'mined'`,
      { contract: toBytes(contract) },
    );
    const mined = row && { blockNumber: row.block_number, blockHash: row.block_hash };
    if (mined && mined.blockHash !== before) return mined;
    await sleep(50);
  }
  throw new Error('the service does not see the block of a mint');
}

/**
 * Makes new blocks in the place of those from `from` on: the first one holds `first` and then what the service had
 * there.
 */
export async function replaceBlocks(
  anvil: Anvil,
  db: Db,
  from: bigint,
  first: readonly string[],
): Promise<void> {
  const own = await query<{ raw: Hex }>(
    db,
    `select a.raw from transactions t join attempts a on a.hash = t.mined_hash
      where t.status in ('mined', 'final') and t.block_number >= :from order by t.nonce`,
    { from: String(from) },
  );
  const transactions = [...first, ...own.map(({ raw }) => raw)];
  await reorganize(anvil, from, transactions);
}

/** Replaces all blocks from one on by as many without transactions. */
export const replaceFrom = (anvil: Anvil, number: bigint): Promise<void> => reorganize(anvil, number, []);

/** @param transactions signed, of the first new block */
async function reorganize(anvil: Anvil, from: bigint, transactions: readonly string[]): Promise<void> {
  const hash = async (): Promise<Hex | null> => {
    const block = `0x${from.toString(16)}`;
    const answer = await anvil.call<{ hash: Hex } | null>('eth_getBlockByNumber', [block, false]);
    // None for a moment: after a reorg, the new chain may still be shorter.
    return answer?.hash ?? null;
  };
  const height = async (): Promise<bigint> => BigInt(await anvil.call<Hex>('eth_blockNumber'));
  const before = await hash();
  // Blocks come meanwhile: then fewer were replaced.
  while ((await hash()) === before) {
    const last = await height();
    let newest = last;
    // What is in a block that stays cannot be in a new one, too. Right after a block there is time until the next one.
    while (transactions.length > 0 && newest === last) {
      await sleep(10);
      newest = await height();
    }
    await anvil.call('anvil_reorg', [Number(newest - from) + 1, transactions.map((raw) => [raw, 0])]);
  }
}

/** Blocks of a second each: on a busy machine some come before a mint's block is replaced. */
const FINAL = 30;

/**
 * Every fifth time a mint is turned from a success into a failure and back, and every tenth into a failure for good.
 */
export const reorgs: Fault = ({ scaled }) =>
  withAnvil(async (anvil) => {
    const stage = await prepare(anvil.url, { variables: { CONFIRMATIONS: String(FINAL) } });
    const { db } = stage.mintmark.service.context;
    const account = stage.targets[0]!.account;
    const wanted = scaled(100);
    let made = 0;
    let turned = 0;
    let failures = 0;
    for (let turn = 0; made < wanted; turn += 1) {
      await mintAll(stage, 5, 5);
      if (turn % 5 === 4) {
        const ends = turn % 10 === 9 ? 'failure' : 'success';
        made += await turnAround({ anvil, db, account, log: stage.log }, ends);
        turned += 1;
        failures += Number(ends === 'failure');
        // Until no later reorg can change it.
        if (ends === 'failure') await anvil.call('anvil_mine', [`0x${FINAL.toString(16)}`]);
      } else {
        await sleep(1_200);
        await anvil.call('anvil_reorg', [1 + (made % 5), []]);
        made += 1;
      }
      if (turn % 10 === 9) say(`  ${made} of ${wanted} reorgs`);
    }
    const judgement = await judgeStage(stage);
    await stage.mintmark.stop();
    return {
      made: `${made} of depth 1 to 5, final after ${FINAL}`,
      judgement,
      note: `${turned} undone, ${failures} of them for good`,
      flaws: judgement.failed === failures ? [] : [`${judgement.failed} failed instead of ${failures}`],
    };
  });
