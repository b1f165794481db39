import { encodeIntentWord } from '../../chain/abi/operator.ts';
import type { Rpc } from '../../chain/rpc/rpc.ts';
import { query } from '../../db/client.ts';
import type { Db } from '../../db/client.ts';
import type { Hex } from '../../lib/hex.ts';

/** Intents in one word of the Operator's bitmap. */
const WORD = 256n;
/**
 * Words that are asked for at once. When none of them has a bit, the chain is taken to know nothing more: numbers are
 * handed out in sequence, though what needs nothing sent, as in the sandbox, leaves no bit.
 */
const WORDS = 64n;

/** The newest number that this database ever handed out; 0 when it handed out none. */
async function newestNumber(db: Db): Promise<bigint> {
  const [row] = await query<{ newest: bigint }>(
    db,
    `select case when is_called then last_value else 0 end as newest from intents_number_seq`,
  );
  return row!.newest;
}

/** Words of the bitmap at the newest block, by their indexes. */
const readWords = (
  rpc: Rpc,
  operator: Hex,
  indexes: readonly bigint[],
): Promise<{ index: bigint; bits: bigint }[]> =>
  Promise.all(
    indexes.map(async (index) => {
      const call = { to: operator, data: encodeIntentWord(index) };
      return { index, bits: BigInt(await rpc.call<Hex>('eth_call', [call, 'latest'])) };
    }),
  );

/** The largest number above `from` whose intent the Operator has done; null when there is none. */
async function largestDone(rpc: Rpc, operator: Hex, from: bigint): Promise<bigint | null> {
  let largest: bigint | null = null;
  for (let first = from / WORD; ; first += WORDS) {
    const indexes = Array.from({ length: Number(WORDS) }, (_, offset) => first + BigInt(offset));
    const words = await readWords(rpc, operator, indexes);
    const tops = words.flatMap(({ index, bits }) => {
      if (bits === 0n) return [];
      const top = index * WORD + BigInt(bits.toString(2).length - 1);
      return top > from ? [top] : [];
    });
    if (tops.length === 0) return largest;
    largest = tops.at(-1)!;
  }
}

/**
 * Refuses a database that is older than the chain: a backup that was restored. Its next numbers were used already, and
 * the Operator would answer new requests with "already done".
 * @throws Error with one sentence that says how to go on.
 */
export async function checkIntentNumbers(db: Db, rpc: Rpc, operator: Hex): Promise<void> {
  // Another replica may be accepting meanwhile: what it writes now is above this number, and on the chain only later.
  const before = await newestNumber(db);
  const done = await largestDone(rpc, operator, before);
  if (done === null || done <= (await newestNumber(db))) return;
  throw new Error(
    `The chain knows intent ${done}, but the database only ${before}: it is an older backup. ` +
      'What it does not know stays unknown to it; to continue after the gap, run "npm run admin -- recover --accept-gap"',
  );
}

/**
 * Marks what is open here though the chain has done it: a restored backup may know nothing of its transaction. Until a
 * lane has found out what became of it, nobody can cancel it, and no silence of the chain fails it.
 */
export async function markDone(db: Db, rpc: Rpc, operator: Hex): Promise<void> {
  const open = await query<{ index: bigint }>(
    db,
    `select distinct number / ?::bigint as index from intents where status in ('queued', 'submitted')`,
    [String(WORD)],
  );
  for (let first = 0; first < open.length; first += Number(WORDS)) {
    const indexes = open.slice(first, first + Number(WORDS)).map(({ index }) => index);
    const words = await readWords(rpc, operator, indexes);
    const done = words.flatMap(({ index, bits }) =>
      Array.from({ length: Number(WORD) }, (_, bit) => BigInt(bit))
        .filter((bit) => (bits >> bit) & 1n)
        .map((bit) => index * WORD + bit),
    );
    await keepFromCancel(db, done);
  }
}

/** Keeps what the chain has done from being cancelled, or given up while the chain is silent, before its verdict. */
export async function keepFromCancel(db: Db, numbers: readonly bigint[]): Promise<void> {
  await query(
    db,
    // What is locked is being settled, or marked, by another replica.
    `update intents set seen_done = true
      where number in (select number from intents
                        where number = any(?::bigint[]) and status in ('queued', 'submitted')
                          for no key update skip locked)`,
    [numbers.map(String)],
  );
}

/**
 * Continues after the gap that a restored backup left. Returns the newest number that the database knows, and the first
 * one that will be handed out; without a gap the latter is the next one, and nothing is changed.
 */
export async function acceptGap(
  db: Db,
  rpc: Rpc,
  operator: Hex,
): Promise<{ newest: bigint; next: bigint; hadGap: boolean }> {
  const newest = await newestNumber(db);
  const done = await largestDone(rpc, operator, newest);
  if (done === null) return { newest, next: newest + 1n, hadGap: false };
  // A service that runs all the same may have handed out more meanwhile: the numbers never go back.
  await query(
    db,
    `select setval('intents_number_seq', greatest(?::bigint, last_value)) from intents_number_seq`,
    [String(done)],
  );
  return { newest, next: done + 1n, hadGap: true };
}
