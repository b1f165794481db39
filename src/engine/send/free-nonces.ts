import { goodFees } from '../../chain/fees.ts';
import type { Fees } from '../../lib/fees.ts';
import { broadcast } from '../lane/broadcast.ts';
import { costOf, expectedFee, promiseFunds } from '../lane/funds.ts';
import { hasCallOf } from '../lane/in-flight.ts';
import type { Lane } from '../lane/lane.ts';
import { LaneLost, noteStored, noteUnstored } from '../lane/lease.ts';
import { signAttempt } from '../lane/sign.ts';
import type { Hex } from '../../lib/hex.ts';
import type { OperatorEpoch } from '../../lib/operator-epoch.ts';
import { readCurrent } from '../store/chain-identity.ts';
import { findHighestBids } from '../store/find-unfinished.ts';
import { insertNoops, turnIntoNoops } from '../store/insert-transaction.ts';
import { endHealing } from '../store/lanes.ts';
import { findOutOfOrder } from '../store/overtaken.ts';
import type { Attempt, Transaction } from '../store/transactions.ts';
import { readMarket } from './bid.ts';
import { outbid } from './fees.ts';

/** Gas of a transfer without data (EIP-2028); chains that count L1 data as gas say more when they are asked. */
const TRANSFER_GAS = 21_000n;

/**
 * Fills nonces below the last open transaction that the chain waits for and this service never used: a count that was too
 * high once skipped them, or a database that was restored does not know them. Returns whether some remain for a later look.
 */
export async function fillGap(lane: Lane): Promise<boolean> {
  const last = lane.inFlight.open().at(-1);
  return last ? fillBelow(lane, last.nonce, last) : false;
}

/** Fills all such nonces below the lane's next one, since a person asked for it, as soon as the chain can be read. */
export async function healLane(lane: Lane): Promise<void> {
  const { db, key, inFlight, healing } = lane;
  if (await fillBelow(lane, inFlight.nextNonce, await readCurrent(db))) return;
  healing.isAsked = false;
  await endHealing(db, key);
}

/**
 * As far ahead of the chain as transactions may be in flight. Later nonces that are open take no room, for they wait for
 * these. Returns whether some remain, also when nobody read the chain in time.
 */
async function fillBelow(lane: Lane, end: bigint, of: OperatorEpoch): Promise<boolean> {
  const { config, inFlight, key, log } = lane;
  const cursor = await lane.chain.fresh();
  if (!cursor) return true;
  const block = { blockHash: cursor.head.hash };
  const count = BigInt(await lane.rpc.call<Hex>('eth_getTransactionCount', [key.signer, block]));
  const nonces = inFlight.unfinished.map(({ nonce }) => nonce);
  const known = new Set(nonces.filter((nonce) => nonce >= count && nonce < end));
  const missing = Number(end - count) - known.size;
  if (missing <= 0) return false;
  const farthest = count + BigInt(config.maxInFlight);
  const near = rangeOf(count, end < farthest ? end : farthest).filter((nonce) => !known.has(nonce));
  const filled = near.length > 0 ? await sendNoops(lane, near, { count, of }) : 0;
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
 * Returns how many: those that the signer can pay besides all that is open. Bytes that wrong counts had given up may be in
 * a pool, and be mined as soon as what is before them is: so what may not come after them is given up, and the last nonce
 * of them sent first.
 */
async function sendNoops(
  lane: Lane,
  nonces: readonly bigint[],
  { count, of }: { count: bigint; of: OperatorEpoch },
): Promise<number> {
  await giveUpMisplaced(lane, count);
  const plan = await planNoop(lane, of);
  const bids = await findHighestBids(lane.db, lane.key.signer, nonces);
  const noops: NoopPlan[] = [];
  for (const nonce of nonces) {
    const fees = await affordNoop(lane, plan, { previous: bids.get(nonce), isNext: nonce === count });
    if (!fees) break;
    noops.push({ ...plan, nonce, fees });
  }
  if (noops.length === 0) return 0;
  const stored = await storeNoops(lane, noops);
  // What was stored while they were signed; nothing more is once they stand.
  await giveUpMisplaced(lane, count);
  const isUsed = ({ nonce }: Transaction): boolean => bids.has(nonce);
  const unused = stored.filter((transaction) => !isUsed(transaction));
  for (const transaction of [...stored.filter(isUsed).toReversed(), ...unused])
    await broadcast(lane, transaction);
  return stored.length;
}

async function giveUpMisplaced(lane: Lane, count: bigint): Promise<void> {
  const misplaced = await findOutOfOrder(lane.db, lane.key.signer, count);
  for (const transaction of lane.inFlight.open())
    if (misplaced.has(transaction.id) && !transaction.isNoop) await giveUpCalls(lane, transaction);
}

/**
 * The bid of a no-op; null when the signer cannot pay it besides all that is open. The one that the chain takes next bids
 * what blocks ask for then, since nothing that is open can spend the money before.
 */
async function affordNoop(
  lane: Lane,
  { gasLimit, fees: good }: Pick<NoopPlan, 'gasLimit' | 'fees'>,
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
  const plan = await planNoop(lane, await readCurrent(lane.db));
  const stored = await storeNoops(lane, [{ ...plan, nonce: lane.inFlight.nextNonce }]);
  for (const transaction of stored) await broadcast(lane, transaction);
  lane.chain.expectBlock();
}

/** A no-op that is not signed yet. */
interface NoopPlan extends OperatorEpoch {
  nonce: bigint;
  gasLimit: bigint;
  fees: Fees;
}

/** But for its nonce. */
const planNoop = async (
  lane: Lane,
  { operator, epoch }: OperatorEpoch,
): Promise<Omit<NoopPlan, 'nonce'>> => ({
  operator,
  epoch,
  gasLimit: await transferGas(lane),
  fees: await currentFees(lane),
});

/** Returns those whose nonces were free in the database. */
async function storeNoops(lane: Lane, plans: readonly NoopPlan[]): Promise<Transaction[]> {
  const noops: Omit<Transaction, 'id'>[] = [];
  for (const { fees, ...plan } of plans) {
    const unsigned = { ...plan, isNoop: true, calldata: '0x' as Hex };
    const attempts = [await signAttempt(lane, unsigned, fees)];
    noops.push({ ...unsigned, attempts, expectedGas: Number(plan.gasLimit), members: [], mined: null });
  }
  const drafts = noops.map((noop) => {
    const attempt = noop.attempts[0]!;
    return { ...noop, attempt, expectedFee: expectedFee(lane, noop, attempt) };
  });
  const stored = await lane.storeInTurn(async () => {
    const ids = await insertNoops(lane.db, lane.key, drafts);
    const transactions = noops.flatMap((noop, index) => {
      const id = ids[index] ?? null;
      return id === null ? [] : [{ ...noop, id }];
    });
    for (const transaction of transactions) lane.inFlight.add(transaction);
    return transactions;
  });
  for (const { nonce } of stored) noteStored(lane, nonce);
  if (stored.length < noops.length) await noteUnstored(lane);
  return stored;
}

/**
 * Gives up the calls of an open transaction that cannot be mined: its nonce goes to a no-op, its intents are sent in a
 * later transaction once the nonce is used. The later open transactions that share a contract with it go along, so that
 * the order within a contract holds; they are sent first, for none of them can be mined before the one in front.
 */
export async function giveUpCalls(lane: Lane, stuck: Transaction): Promise<void> {
  const gasLimit = await transferGas(lane);
  const fees = await currentFees(lane);
  const given: Transaction[] = [];
  for (let next: Transaction | undefined = stuck; next;) {
    const written = await writeNoops(lane, next, { gasLimit, fees });
    given.push(...written);
    // What was stored behind them while they were written goes along too.
    next = written.length > 0 ? findFollower(lane, given) : undefined;
  }
  if (given.length === 0) return;
  lane.log.error(
    { signer: lane.key.signer, nonces: given.map(({ nonce }) => String(nonce)) },
    'transactions cannot be mined, or not in their order: their nonces go to no-ops, and their calls to later transactions',
  );
  for (const transaction of given.toReversed()) await broadcast(lane, transaction);
}

/** Makes no-ops of a transaction and of those that go along, all or none. Returns them, in the order of their nonces. */
async function writeNoops(
  lane: Lane,
  first: Transaction,
  { gasLimit, fees: current }: { gasLimit: bigint; fees: Fees },
): Promise<Transaction[]> {
  const noops: { transaction: Transaction; attempt: Attempt }[] = [];
  // What is stored behind them while they are signed comes last.
  for (let next: Transaction | undefined = first; next;) {
    const previous = next.attempts.at(-1) ?? (await findGivenUpBid(lane, next));
    const fees = noopFees(lane, previous, current);
    const attempt = await signAttempt(lane, { ...next, isNoop: true, gasLimit }, fees);
    noops.push({ transaction: next, attempt });
    next = findFollower(
      lane,
      noops.map(({ transaction }) => transaction),
    );
  }
  const noop = { expectedGas: Number(gasLimit), calldata: '0x' as Hex };
  const drafts = noops.map(({ transaction: { id }, attempt }) => ({
    ...{ id, gasLimit, attempt },
    expectedFee: expectedFee(lane, noop, attempt),
  }));
  if (!(await turnIntoNoops(lane.db, lane.key, drafts))) {
    await noteUnstored(lane);
    return [];
  }
  for (const { transaction, attempt } of noops) {
    noteStored(lane, transaction.nonce);
    transaction.isNoop = true;
    transaction.gasLimit = gasLimit;
    transaction.expectedGas = Number(gasLimit);
    transaction.attempts.push(attempt);
  }
  return noops.map(({ transaction }) => transaction);
}

/**
 * Gives no-ops to open nonces of which nothing is sent: a deep reorg opened them again, and what was signed for them was
 * given up when another program had used them. The last one goes first, for that may be in a pool.
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

/** The first open transaction behind one of these that has calls of the same contract, and is none of them. */
const findFollower = ({ inFlight }: Lane, given: readonly Transaction[]): Transaction | undefined =>
  inFlight
    .open()
    .find(
      (transaction) =>
        !transaction.isNoop &&
        !given.includes(transaction) &&
        given.some(
          ({ nonce, members }) =>
            nonce < transaction.nonce && members.some(({ contract }) => hasCallOf(transaction, contract)),
        ),
    );

/** Beyond the profile's highest fee if it must be: what frees a nonce is worth it. */
async function currentFees(lane: Lane): Promise<Fees> {
  await lane.head.refresh(lane.config.timings.headFreshMs);
  return goodFees(await readMarket(lane), lane.config.profile.feeModel);
}

async function transferGas({ rpc, key, config }: Lane): Promise<bigint> {
  const estimate = await rpc.call<Hex>('eth_estimateGas', [{ from: key.signer, to: key.signer }]);
  const gas = (BigInt(estimate) * 5n) / 4n;
  return gas > TRANSFER_GAS && gas < config.profile.maxTransactionGas ? gas : TRANSFER_GAS;
}
