import { countUsedByAll } from '../../chain/rpc/used-nonces.ts';
import type { Fees } from '../../lib/fees.ts';
import { broadcast } from '../lane/broadcast.ts';
import { costOf, expectedFee, promiseFunds } from '../lane/funds.ts';
import type { Lane } from '../lane/lane.ts';
import { LaneLost, noteStored, noteUnstored } from '../lane/lease.ts';
import { signAttempt } from '../lane/sign.ts';
import type { BlockId } from '../../lib/block-id.ts';
import type { Hex } from '../../lib/hex.ts';
import type { OperatorEpoch } from '../../lib/operator-epoch.ts';
import { readCurrent } from '../store/operators.ts';
import { findFirstDisplaced, findHighestBids } from '../store/transactions.ts';
import type { Attempt, Transaction } from '../store/transactions.ts';
import { insertNoops, turnIntoNoops } from '../store/insert-transaction.ts';
import { outbid, findNoopPrice } from './bid.ts';
import type { NoopPrice } from './bid.ts';

/**
 * Fills nonces below the last open transaction that the chain waits for and this service never used: a count that was
 * too high once skipped them, or a database that was restored does not know them. Returns whether some remain for a
 * later look.
 */
export async function fillGap(lane: Lane): Promise<boolean> {
  const last = lane.inFlight.open().at(-1);
  return last ? fillBelow(lane, last.nonce, last) : false;
}

/**
 * As far ahead of the chain as transactions may be in flight. Later nonces that are open take no room, for they wait
 * for these. Returns whether some remain, also when nobody read the chain in time.
 */
async function fillBelow(lane: Lane, end: bigint, of: OperatorEpoch): Promise<boolean> {
  const { config, inFlight, key, log } = lane;
  const cursor = await lane.chain.fresh();
  if (!cursor) return true;
  const count = await countUsed(lane, cursor.head);
  const nonces = inFlight.unfinished.map(({ nonce }) => nonce);
  const known = new Set(nonces.filter((nonce) => nonce >= count && nonce < end));
  const missing = Number(end - count) - known.size;
  if (missing <= 0) return false;
  const farthest = count + BigInt(config.maxInFlight);
  const near = rangeOf(count, end < farthest ? end : farthest).filter((nonce) => !known.has(nonce));
  const filled = near.length > 0 ? await sendNoops(lane, near, { count, end, of }) : 0;
  if (filled > 0) {
    config.observe.gapFilled(filled);
    log.error(
      { signer: key.signer, first: String(near[0]), filled },
      'filled nonces that this service never used and the chain waits for',
    );
  }
  return filled < missing;
}

/**
 * How many nonces are used at a block. When the lane stands still though blocks come, the lowest count counts: an
 * endpoint that tells too high ones hides what the chain waits for.
 */
async function countUsed({ rpc, key, health }: Lane, { hash: blockHash }: BlockId): Promise<bigint> {
  if (health.isStuck) return countUsedByAll(rpc, key.signer, blockHash);
  return BigInt(await rpc.call<Hex>('eth_getTransactionCount', [key.signer, { blockHash }]));
}

/** How often no-ops are signed at one look while calls are stored behind their nonces. */
const MAX_TIMES = 4;

/**
 * Returns how many: those that the signer can pay besides all that is open. Bytes that wrong counts had given up may be
 * in a pool, and be mined as soon as what is before them is: so all that is behind them is given up before, and the
 * last nonce of them is sent first.
 */
async function sendNoops(
  lane: Lane,
  nonces: readonly bigint[],
  { count, end, of }: { count: bigint; end: bigint; of: OperatorEpoch },
): Promise<number> {
  const { db, key } = lane;
  const bids = await findHighestBids(db, key.signer, nonces);
  const firstUsed = await findFirstDisplaced(db, key.signer, { from: count, end });
  const store = async (): Promise<Transaction[] | null> => {
    const [behind] = findTail(lane, firstUsed);
    if (behind) await giveUpCalls(lane, behind);
    return storeNoops(lane, await planNoops(lane, nonces, { count, of, bids }), firstUsed);
  };
  let stored: Transaction[] | null = null;
  // What was stored while the first ones were signed is given up before the next ones are.
  for (let time = 0; !stored && time < MAX_TIMES; time += 1) stored = await store();
  if (!stored) return 0;
  const isUsed = ({ nonce }: Transaction): boolean => bids.has(nonce);
  const unused = stored.filter((transaction) => !isUsed(transaction));
  for (const transaction of [...stored.filter(isUsed).toReversed(), ...unused])
    await broadcast(lane, transaction);
  return stored.length;
}

/** The open transactions behind a nonce that are no no-ops, in order; none without a nonce. */
const findTail = ({ inFlight }: Lane, after: bigint | undefined): Transaction[] =>
  inFlight.open().filter(({ nonce, isNoop }) => after !== undefined && nonce > after && !isNoop);

/** Those that the signer can pay, from the first nonce on. */
async function planNoops(
  lane: Lane,
  nonces: readonly bigint[],
  {
    count,
    of: { operator, epoch },
    bids,
  }: { count: bigint; of: OperatorEpoch; bids: ReadonlyMap<bigint, Fees> },
): Promise<NoopPlan[]> {
  const price = await findNoopPrice(lane);
  const noops: NoopPlan[] = [];
  for (const nonce of nonces) {
    const fees = await affordNoop(lane, price, { previous: bids.get(nonce), isNext: nonce === count });
    if (!fees) break;
    noops.push({ ...price, operator, epoch, nonce, fees });
  }
  return noops;
}

/**
 * The bid of a no-op; null when the signer cannot pay it besides all that is open. The one that the chain takes next
 * bids what blocks ask for then, since nothing that is open can spend the money before.
 */
async function affordNoop(
  lane: Lane,
  { gasLimit, fees: good }: NoopPrice,
  { previous, isNext }: { previous: Fees | undefined; isNext: boolean },
): Promise<Fees | null> {
  const fees = noopFees(lane, previous, good);
  const cost = costOf(lane, { gasLimit, calldata: '0x' }, fees.maxFeePerGas);
  if (await promiseFunds(lane, cost)) return fees;
  return isNext ? good : null;
}

/** In every pool it replaces what was signed for its nonce. Where gas costs nothing there is no higher bid. */
const noopFees = ({ config }: Pick<Lane, 'config'>, previous: Fees | undefined, good: Fees): Fees =>
  previous && config.profile.feeModel !== 'none' ? outbid(previous, good) : good;

const rangeOf = (from: bigint, end: bigint): bigint[] =>
  Array.from({ length: Number(end - from) }, (_, index) => from + BigInt(index));

/** Sends a no-op with the next nonce, for the block that it brings. */
export async function pushBlock(lane: Lane): Promise<void> {
  const plan = { ...(await readCurrent(lane.db)), ...(await findNoopPrice(lane)) };
  const stored = await storeNoops(lane, [{ ...plan, nonce: lane.inFlight.nextNonce }]);
  for (const transaction of stored ?? []) await broadcast(lane, transaction);
  lane.chain.expectBlock();
}

/** A no-op that is not signed yet. */
interface NoopPlan extends OperatorEpoch, NoopPrice {
  nonce: bigint;
}

/**
 * Returns those whose nonces were free in the database; null when none was stored, since there are calls behind
 * `firstUsed`, which are to be given up before.
 */
async function storeNoops(
  lane: Lane,
  plans: readonly NoopPlan[],
  firstUsed?: bigint,
): Promise<Transaction[] | null> {
  if (plans.length === 0) return [];
  const noops: Omit<Transaction, 'id'>[] = [];
  for (const { fees, ...plan } of plans) {
    const unsigned = { ...plan, isNoop: true, calldata: '0x' as Hex };
    const attempts = [await signAttempt(lane, unsigned, fees)];
    noops.push({ ...unsigned, attempts, expectedGas: Number(plan.gasLimit), members: [], used: null });
  }
  const drafts = noops.map((noop) => {
    const attempt = noop.attempts[0]!;
    return { ...noop, attempt, expectedFee: expectedFee(lane, noop, attempt) };
  });
  const stored = await lane.storeInOrder(async () => {
    if (findTail(lane, firstUsed).length > 0) return null;
    const ids = await insertNoops(lane.db, lane.key, drafts);
    const transactions = noops.flatMap((noop, index) => {
      const id = ids[index] ?? null;
      return id === null ? [] : [{ ...noop, id }];
    });
    for (const transaction of transactions) lane.inFlight.add(transaction);
    return transactions;
  });
  if (!stored) return null;
  for (const { nonce } of stored) noteStored(lane, nonce);
  if (stored.length < noops.length) await noteUnstored(lane);
  return stored;
}

/**
 * Gives up the calls of an open transaction that cannot be mined, and of all that are open behind it: their nonces go
 * to no-ops, and their intents are sent in later transactions once these nonces are used. So the order within a
 * contract holds, whatever they share. The last one is sent first, for none of them can be mined before the one in
 * front.
 */
export async function giveUpCalls(lane: Lane, first: Transaction): Promise<void> {
  const price = await findNoopPrice(lane);
  const noops: SignedNoop[] = [await signNoop(lane, first, price)];
  const findNext = (): Transaction | undefined =>
    findTail(lane, first.nonce).find((one) => noops.every(({ transaction }) => transaction !== one));
  let areStored: boolean | null = null;
  while (areStored === null) {
    for (let next = findNext(); next; next = findNext()) noops.push(await signNoop(lane, next, price));
    // What was stored behind them while they were signed goes along too. Nothing is stored until they are.
    areStored = await lane.storeInOrder(async () => (findNext() ? null : storeSigned(lane, noops, price)));
  }
  if (!areStored) return noteUnstored(lane);
  const given = noops.map(({ transaction }) => transaction);
  for (const { nonce } of given) noteStored(lane, nonce);
  lane.log.error(
    { signer: lane.key.signer, nonces: given.map(({ nonce }) => String(nonce)) },
    'transactions cannot be mined, or not in their order: their nonces go to no-ops, and their calls to later transactions',
  );
  for (const transaction of given.toReversed()) await broadcast(lane, transaction);
}

/** An open transaction, and what was signed to make it a no-op. */
interface SignedNoop {
  transaction: Transaction;
  attempt: Attempt;
}

async function signNoop(
  lane: Lane,
  transaction: Transaction,
  { gasLimit, fees }: NoopPrice,
): Promise<SignedNoop> {
  const previous = transaction.attempts.at(-1) ?? (await findGivenUpBid(lane, transaction));
  const unsigned = { ...transaction, isNoop: true, gasLimit };
  return { transaction, attempt: await signAttempt(lane, unsigned, noopFees(lane, previous, fees)) };
}

/** Makes no-ops of transactions, all or none. Returns whether it did. */
async function storeSigned(
  lane: Lane,
  noops: readonly SignedNoop[],
  { gasLimit }: NoopPrice,
): Promise<boolean> {
  const expectedGas = Number(gasLimit);
  const drafts = noops.map(({ transaction: { id }, attempt }) => ({
    ...{ id, gasLimit, attempt },
    expectedFee: expectedFee(lane, { expectedGas, calldata: '0x' }, attempt),
  }));
  if (!(await turnIntoNoops(lane.db, lane.key, drafts))) return false;
  for (const { transaction, attempt } of noops) {
    transaction.isNoop = true;
    transaction.gasLimit = gasLimit;
    transaction.expectedGas = expectedGas;
    transaction.attempts = [attempt];
  }
  return true;
}

/**
 * Gives no-ops to open nonces of which nothing is sent: a deep reorg opened them again, and what was signed for them
 * was given up when another program had used them. The last one goes first, for that may be in a pool.
 * @throws LaneLost when one cannot be filled, for then it is not as it was loaded
 */
export async function fillGivenUp(lane: Lane): Promise<void> {
  for (const transaction of lane.inFlight.open().toReversed()) {
    if (transaction.attempts.length > 0) continue;
    await giveUpCalls(lane, transaction);
    if (transaction.attempts.length === 0) throw new LaneLost('a nonce that was given up was used meanwhile');
  }
}

const findGivenUpBid = async ({ db, key }: Lane, { nonce }: Transaction): Promise<Fees | undefined> =>
  (await findHighestBids(db, key.signer, [nonce])).get(nonce);
