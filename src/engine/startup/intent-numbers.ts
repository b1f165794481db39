import { EPOCH, encodeIntentWord } from '../../chain/abi/operator.ts';
import type { Rpc } from '../../chain/rpc/rpc.ts';
import type { Db } from '../../db/client.ts';
import type { Hex } from '../../lib/hex.ts';
import type { OperatorEpoch } from '../../lib/operator-epoch.ts';
import { raiseEpoch, readCurrent } from '../store/chain-identity.ts';
import {
  findOpenGroups,
  markSeenDone,
  raiseNewestNumber,
  readNewestNumber,
} from '../store/intent-numbers.ts';

/** Intents in one word of the Operator's bitmap. */
const WORD = 256n;
/**
 * Words that are asked for at once. When none of them has a bit, the chain is taken to know nothing more: numbers are
 * handed out in sequence, though what needs nothing sent, as in the sandbox, leaves no bit.
 */
const WORDS = 64n;

/** Words of an epoch's bitmap at the newest block, by their indexes. */
const readWords = (
  rpc: Rpc,
  { operator, epoch }: OperatorEpoch,
  indexes: readonly bigint[],
): Promise<{ index: bigint; bits: bigint }[]> =>
  Promise.all(
    indexes.map(async (index) => {
      const call = { to: operator, data: encodeIntentWord(epoch, index) };
      return { index, bits: BigInt(await rpc.call<Hex>('eth_call', [call, 'latest'])) };
    }),
  );

/** The largest number above `from` that is marked in an epoch; null when there is none. */
async function largestDoneIn(rpc: Rpc, at: OperatorEpoch, from: bigint): Promise<bigint | null> {
  let largest: bigint | null = null;
  for (let first = from / WORD; ; first += WORDS) {
    const indexes = Array.from({ length: Number(WORDS) }, (_, offset) => first + BigInt(offset));
    const words = await readWords(rpc, at, indexes);
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
 * The largest number above `from` whose intent the Operator has done, in the epoch that the database knows or a later
 * one; null when there is none. Numbers go on over epochs.
 */
async function largestDone(db: Db, rpc: Rpc, operator: Hex, from: bigint): Promise<bigint | null> {
  const known = await readCurrent(db);
  const current = await readEpoch(rpc, operator);
  let largest: bigint | null = null;
  for (let { epoch } = known; epoch <= current; epoch += 1n) {
    largest = (await largestDoneIn(rpc, { operator, epoch }, largest ?? from)) ?? largest;
  }
  return largest;
}

/** The epoch of an Operator at the newest block. */
const readEpoch = async (rpc: Rpc, operator: Hex): Promise<bigint> =>
  EPOCH.decode(await rpc.call<Hex>('eth_call', [{ to: operator, data: EPOCH.data }, 'latest']));

/** Lets new intents belong to the epoch that the Operator has now. To be done after `checkIntentNumbers`. */
export async function learnEpoch(db: Db, rpc: Rpc, operator: Hex): Promise<void> {
  await raiseEpoch(db, { operator, epoch: await readEpoch(rpc, operator) });
}

/**
 * Refuses a database that is older than the chain: a backup that was restored. Its next numbers were used already, and
 * the Operator would answer new requests with "already done".
 * @throws Error with one sentence that says how to go on.
 */
export async function checkIntentNumbers(db: Db, rpc: Rpc, operator: Hex): Promise<void> {
  // Another replica may be accepting meanwhile: what it writes now is above this number, and on the chain only later.
  const before = await readNewestNumber(db);
  const done = await largestDone(db, rpc, operator, before);
  if (done === null || done <= (await readNewestNumber(db))) return;
  throw new Error(
    `The chain knows intent ${done}, but the database only ${before}: it is an older backup. ` +
      'What it does not know stays unknown to it; to continue after the gap, run "npm run admin -- recover --accept-gap"',
  );
}

/**
 * Marks what is open here though the chain has done it: a restored backup may know nothing of its transaction. Until a
 * lane has found out what became of it, nobody can cancel it, and no silence of the chain fails it.
 */
export async function markDone(db: Db, rpc: Rpc): Promise<void> {
  const open = await findOpenGroups(db, WORD);
  // As many at a time as travel well together.
  for (let first = 0; first < open.length; first += Number(WORDS)) {
    await Promise.all(
      open.slice(first, first + Number(WORDS)).map(async ({ group, ...at }) => {
        const [word] = await readWords(rpc, at, [group]);
        const done = Array.from({ length: Number(WORD) }, (_, bit) => BigInt(bit))
          .filter((bit) => (word!.bits >> bit) & 1n)
          .map((bit) => group * WORD + bit);
        if (done.length > 0) await markSeenDone(db, at, done);
      }),
    );
  }
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
  const newest = await readNewestNumber(db);
  const done = await largestDone(db, rpc, operator, newest);
  if (done === null) return { newest, next: newest + 1n, hadGap: false };
  // A service that runs all the same may have handed out more meanwhile.
  await raiseNewestNumber(db, done);
  return { newest, next: done + 1n, hadGap: true };
}
