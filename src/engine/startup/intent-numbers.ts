import { EPOCH, decodeExecutedCalls } from '../../chain/abi/operator.ts';
import type { Log } from '../../chain/abi/operator.ts';
import { NotLinked, findFinal } from '../../chain/follower/follower.ts';
import type { ChainProfile } from '../../chain/profile.ts';
import { RpcRefused, RpcUnreachable } from '../../chain/rpc/rpc.ts';
import type { Rpc } from '../../chain/rpc/rpc.ts';
import { INTENTS_PER_WORD, readDoneWords } from '../../chain/system/done-intents.ts';
import type { Db } from '../../db/client.ts';
import type { StateBlock } from '../../lib/block-id.ts';
import { pagesOf } from '../../lib/pages.ts';
import type { Hex } from '../../lib/hex.ts';
import type { OperatorEpoch } from '../../lib/operator-epoch.ts';
import { findOperators, raiseEpoch } from '../store/chain-identity.ts';
import { findOpenGroups, markFoundDone, readNewestNumber } from '../store/intent-numbers.ts';
import { readCursor } from '../store/follower.ts';
import { GENERATION_BITS } from '../store/server.ts';

/** Generations after the newest one of the database that are looked into, should several gaps have been accepted. */
const GENERATIONS_AHEAD = 4n;
/** Words at the beginning of each of them. */
const WORDS_OF_GENERATION = 16n;

/** Which generation a number is of, from 0 on. */
export const generationOf = (number: bigint): bigint => number >> GENERATION_BITS;

/**
 * Words that are asked for at once. When none of them has a bit, the chain is taken to know nothing more: numbers are
 * handed out in sequence, though what needs nothing sent leaves no bit.
 */
const WORDS = 64n;

/** The largest number above `from` that is marked in an epoch; null when there is none. */
async function largestDoneIn(
  rpc: Pick<Rpc, 'call'>,
  at: OperatorEpoch,
  from: bigint,
): Promise<bigint | null> {
  let largest = await largestInSequence(rpc, at, from, WORDS);
  for (let ahead = 1n; ahead <= GENERATIONS_AHEAD; ahead += 1n) {
    const first = (generationOf(from) + ahead) << GENERATION_BITS;
    largest = (await largestInSequence(rpc, at, first - 1n, WORDS_OF_GENERATION)) ?? largest;
  }
  return largest;
}

/** The same for numbers that follow on `from`, up to the first `count` words without a bit. */
async function largestInSequence(
  rpc: Pick<Rpc, 'call'>,
  at: OperatorEpoch,
  from: bigint,
  count: bigint,
): Promise<bigint | null> {
  let largest: bigint | null = null;
  for (let first = (from + 1n) / INTENTS_PER_WORD; ; first += count) {
    const indexes = Array.from({ length: Number(count) }, (_, offset) => first + BigInt(offset));
    const done = (await readDoneWords(rpc, at, indexes, 'latest')).flat().filter((number) => number > from);
    if (done.length === 0) return largest;
    largest = done.at(-1)!;
  }
}

/**
 * Blocks of which the events are asked for at once at the least. Endpoints limit how many they search: a range that is refused is
 * asked for in halves.
 */
const MIN_RANGE = 500n;
/** Questions for events at a start; what is left then, the bits alone tell. */
const MAX_QUESTIONS = 256;
/** So many of them one counts that is not answered: that takes 20 seconds. */
const UNANSWERED_QUESTIONS = 32;

/**
 * The largest number above `from` of which an event of these Operators tells, in a block above the last final one that the database
 * knows; null when there is none, and where no endpoint tells. What no sequence leads to has no event either.
 */
async function largestTold(db: Db, rpc: Pick<Rpc, 'call'>, from: bigint): Promise<bigint | null> {
  const cursor = await readCursor(db);
  if (!cursor) return null;
  const address = (await findOperators(db)).map(({ operator }) => operator);
  const most = (generationOf(from) + GENERATIONS_AHEAD + 1n) << GENERATION_BITS;
  let largest: bigint | null = null;
  let left = MAX_QUESTIONS;
  const read = async (first: bigint, last: bigint): Promise<void> => {
    if (first > last || left === 0) return;
    left -= 1;
    try {
      const range = { fromBlock: toQuantity(first), toBlock: toQuantity(last) };
      for (const log of await rpc.call<Log[]>('eth_getLogs', [{ address, ...range }]))
        for (const { number } of decodeExecutedCalls(log, address))
          if (number > (largest ?? from) && number < most) largest = number;
    } catch (error) {
      if (error instanceof RpcUnreachable) {
        // An endpoint that answers otherwise may search for longer than a call has, or answer with more than fits into one.
        await rpc.call('eth_blockNumber', []);
        left = Math.max(0, left - UNANSWERED_QUESTIONS);
      } else if (!(error instanceof RpcRefused)) throw error;
      if (last - first < MIN_RANGE) return;
      const middle = (first + last) / 2n;
      await read(middle + 1n, last);
      await read(first, middle);
    }
  };
  await read(cursor.final.number + 1n, BigInt(await rpc.call<Hex>('eth_blockNumber', [])));
  return largest;
}

const toQuantity = (number: bigint): Hex => `0x${number.toString(16)}`;

/**
 * The largest number above `from` whose intent an Operator of this database has done, in the epoch that it knows or a later
 * one, or of which its events tell since the last final block; null when there is none. Numbers go on over epochs, and over
 * Operators.
 * @throws Error with one sentence while an Operator is not on the chain
 */
export async function largestDone(db: Db, rpc: Pick<Rpc, 'call'>, from: bigint): Promise<bigint | null> {
  let largest: bigint | null = null;
  for (const { operator, epoch: known } of await findOperators(db)) {
    const answer = await askEpoch(rpc, operator, 'latest');
    if (answer === '0x')
      throw new Error(
        `The Operator ${operator} is not on the chain behind RPC_URL yet: start an engine first, which deploys it`,
      );
    const current = EPOCH.decode(answer);
    for (let epoch = known; epoch <= current; epoch += 1n) {
      largest = (await largestDoneIn(rpc, { operator, epoch }, largest ?? from)) ?? largest;
    }
  }
  return (await largestTold(db, rpc, largest ?? from)) ?? largest;
}

/** What the Operator says of its epoch at a block; `0x` where there is no Operator. */
const askEpoch = (rpc: Pick<Rpc, 'call'>, operator: Hex, block: StateBlock): Promise<Hex> =>
  rpc.call<Hex>('eth_call', [{ to: operator, data: EPOCH.data }, block]);

/** Whom the epoch is asked of, and which block is final there. */
interface EpochParts {
  rpc: Pick<Rpc, 'call'>;
  profile: Pick<ChainProfile, 'finality'>;
}

/**
 * Lets new intents belong to the epoch that the Operator has for good. They never go back to an earlier one, and a reorg may
 * take back what is not final. A later epoch is found by the lanes. To be done after `checkIntentNumbers`.
 */
export async function learnEpoch(db: Db, parts: EpochParts, operator: Hex): Promise<void> {
  const epoch = await readFinalEpoch(parts, operator);
  if (epoch !== null) await raiseEpoch(db, { operator, epoch });
}

/**
 * The epoch in the last final block, or in the newest one where the node has forgotten the state of that; null when nobody
 * can tell.
 */
async function readFinalEpoch({ rpc, profile }: EpochParts, operator: Hex): Promise<bigint | null> {
  try {
    const { hash: blockHash } = await findFinal({ rpc, profile });
    const answer = await askEpoch(rpc, operator, { blockHash });
    // The Operator may be newer than that block.
    return answer === '0x' ? null : EPOCH.decode(answer);
  } catch (error) {
    if (error instanceof NotLinked) return null;
    if (!(error instanceof RpcRefused)) throw error;
    return error.kind === 'unavailable' ? EPOCH.decode(await askEpoch(rpc, operator, 'latest')) : null;
  }
}

/**
 * Refuses a database that is older than the chain: a backup that was restored. Its next numbers were used already, and
 * the Operator would answer new requests with "already done".
 * @throws Error with one sentence that says how to go on.
 */
export async function checkIntentNumbers(db: Db, rpc: Pick<Rpc, 'call'>): Promise<void> {
  // Another replica may be accepting meanwhile: what it writes now is above this number, and on the chain only later.
  const before = await readNewestNumber(db);
  const done = await largestDone(db, rpc, before);
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
export async function markDone(db: Db, rpc: Pick<Rpc, 'call'>): Promise<void> {
  const open = await findOpenGroups(db, INTENTS_PER_WORD);
  // As many at a time as one batch of calls takes.
  for (const some of pagesOf(open, Number(WORDS))) {
    await Promise.all(
      some.map(async ({ group, ...at }) => {
        const done = (await readDoneWords(rpc, at, [group], 'latest')).flat();
        if (done.length > 0) await markFoundDone(db, at, done);
      }),
    );
  }
}
