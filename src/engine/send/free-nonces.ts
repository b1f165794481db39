import { goodFees } from '../../chain/fees.ts';
import type { Fees } from '../../lib/fees.ts';
import { broadcast } from '../lane/broadcast.ts';
import { hasCallOf } from '../lane/in-flight.ts';
import type { Lane } from '../lane/lane.ts';
import { noteStored, noteUnstored } from '../lane/lease.ts';
import { signAttempt } from '../lane/sign.ts';
import type { Hex } from '../../lib/hex.ts';
import type { OperatorEpoch } from '../../lib/operator-epoch.ts';
import { readCurrent } from '../store/chain-identity.ts';
import { insertNoop, turnIntoNoop } from '../store/insert-transaction.ts';
import { endHealing } from '../store/lanes.ts';
import type { Transaction } from '../store/transactions.ts';
import { readMarket } from './bid.ts';

/** Gas of a transfer without data (EIP-2028); chains that count L1 data as gas say more when they are asked. */
const TRANSFER_GAS = 21_000n;

/**
 * Fills nonces below the first open transaction that the chain waits for and this service never used: a count that was
 * too high once skipped them, or a database that was restored does not know them. Returns how many.
 */
export const fillGap = async (lane: Lane, first: Transaction): Promise<number> =>
  (await fillBelow(lane, first.nonce, first)) ?? 0;

/** Fills all such nonces below the lane's next one, since a person asked for it, as soon as the chain can be read. */
export async function healLane(lane: Lane): Promise<void> {
  const { db, key, inFlight, healing } = lane;
  if ((await fillBelow(lane, inFlight.nextNonce, await readCurrent(db))) === null) return;
  healing.isAsked = false;
  await endHealing(db, key);
}

/** Returns how many it filled; null when nobody read the chain in time. */
async function fillBelow(lane: Lane, end: bigint, of: OperatorEpoch): Promise<number | null> {
  const cursor = await lane.chain.fresh();
  if (!cursor) return null;
  const block = { blockHash: cursor.head.hash };
  const count = BigInt(await lane.rpc.call<Hex>('eth_getTransactionCount', [lane.key.signer, block]));
  let filled = 0;
  for (let nonce = count; nonce < end; nonce += 1n) {
    if (lane.inFlight.unfinished.some((transaction) => transaction.nonce === nonce)) continue;
    if (await sendNoop(lane, nonce, of)) filled += 1;
  }
  if (filled > 0) {
    lane.config.observe.gapFilled(filled);
    lane.log.error(
      { signer: lane.key.signer, first: String(count), filled },
      'filled nonces that this service never used and the chain waits for',
    );
  }
  return filled;
}

/** Sends a no-op with the next nonce, for the block that it brings. */
export async function pushBlock(lane: Lane): Promise<void> {
  await sendNoop(lane, lane.inFlight.nextNonce, await readCurrent(lane.db));
  lane.chain.expectBlock();
}

/** Returns whether the nonce was free in the database. */
async function sendNoop(lane: Lane, nonce: bigint, { operator, epoch }: OperatorEpoch): Promise<boolean> {
  const fees = await currentFees(lane);
  const unsigned = {
    ...{ nonce, operator, epoch },
    isNoop: true,
    calldata: '0x' as Hex,
    gasLimit: await transferGas(lane),
  };
  const attempt = await signAttempt(lane, unsigned, fees);
  const id = await insertNoop(lane.db, lane.key, { ...unsigned, attempt });
  if (id === null) {
    await noteUnstored(lane);
    return false;
  }
  noteStored(lane, nonce);
  const transaction: Transaction = {
    ...unsigned,
    id,
    expectedGas: Number(unsigned.gasLimit),
    attempts: [attempt],
    members: [],
    mined: null,
  };
  lane.inFlight.add(transaction);
  await broadcast(lane, transaction);
  return true;
}

/**
 * Gives up the calls of an open transaction that cannot be mined: its nonce goes to a no-op, its intents ride again in a
 * later transaction once the nonce is used. The later open transactions that share a contract with it go along, so that
 * the order within a contract holds; they are sent first, for none of them can be mined before the one in front.
 */
export async function giveUpCalls(lane: Lane, stuck: Transaction): Promise<void> {
  const given = withFollowers(lane.inFlight.open(), stuck);
  const gasLimit = await transferGas(lane);
  const current = await currentFees(lane);
  for (const transaction of given) {
    const fees = outbid(transaction.attempts.at(-1)!, current);
    const attempt = await signAttempt(lane, { ...transaction, isNoop: true, gasLimit }, fees);
    if (!(await turnIntoNoop(lane.db, lane.key, transaction.id, { gasLimit, attempt })))
      return noteUnstored(lane);
    noteStored(lane, transaction.nonce);
    transaction.isNoop = true;
    transaction.gasLimit = gasLimit;
    transaction.expectedGas = Number(gasLimit);
    transaction.attempts.push(attempt);
  }
  lane.log.error(
    { signer: lane.key.signer, nonces: given.map(({ nonce }) => String(nonce)) },
    'transactions cannot be mined: their nonces go to no-ops, and their calls to later transactions',
  );
  for (const transaction of given.toReversed()) await broadcast(lane, transaction);
}

/** The transaction, and those behind it that share a contract with it or with one of them. */
function withFollowers(open: readonly Transaction[], stuck: Transaction): Transaction[] {
  const given = [stuck];
  for (const transaction of open) {
    if (transaction.nonce <= stuck.nonce || transaction.isNoop) continue;
    const isBehind = given.some(({ members }) =>
      members.some(({ contract }) => hasCallOf(transaction, contract)),
    );
    if (isBehind) given.push(transaction);
  }
  return given;
}

/** Beyond the profile's highest fee if it must be: what frees a nonce is worth it. */
async function currentFees(lane: Lane): Promise<Fees> {
  await lane.head.refresh(lane.config.timings.headFreshMs);
  return goodFees(await readMarket(lane), lane.config.profile.feeModel);
}

/** What replaces an attempt in every pool: geth asks for 10 % more on both fees, we give 12.5 %, rounded up. */
function outbid(previous: Fees, current: Fees): Fees {
  const raise = (fee: bigint): bigint => (fee * 9n) / 8n + 1n;
  const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b);
  return {
    maxFeePerGas: larger(raise(previous.maxFeePerGas), current.maxFeePerGas),
    maxPriorityFeePerGas: larger(raise(previous.maxPriorityFeePerGas), current.maxPriorityFeePerGas),
  };
}

async function transferGas({ rpc, key, config }: Lane): Promise<bigint> {
  const estimate = await rpc.call<Hex>('eth_estimateGas', [{ from: key.signer, to: key.signer }]);
  const gas = (BigInt(estimate) * 5n) / 4n;
  return gas > TRANSFER_GAS && gas < config.profile.maxTransactionGas ? gas : TRANSFER_GAS;
}
