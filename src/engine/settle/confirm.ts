import { setTimeout as sleep } from 'node:timers/promises';
import type { Hex } from '../../lib/hex.ts';
import { firstFees, replacementFees } from '../send/fees.ts';
import { LaneLost } from '../lane/lane.ts';
import type { Head, Lane } from '../lane/lane.ts';
import { findForeign, headStands, standsInChain } from './reorg.ts';
import { displace, isDeep, retract, settleReceipt } from './receipt.ts';
import type { Receipt } from './receipt.ts';
import { insertAttempt } from '../store/transactions.ts';
import type { Transaction } from '../store/transactions.ts';

/** New blocks without a receipt after which a transaction gets another attempt with higher fees. */
const STUCK_BLOCKS = 3n;

/** What `confirm` remembers from one look to the next. */
export interface Watch {
  /** The newest block whose receipts were looked at. */
  block: Hex;
  /** When that was, in milliseconds. */
  lookedAt: number;
  /** When everything open was sent the last time. */
  sentAt: number;
  /** Block number since which a transaction is waited for. */
  since: Map<bigint, bigint>;
}

/**
 * Looks for the receipts of everything unfinished when there is a new block, and settles what they say.
 * Returns whether something moved.
 */
export async function confirm(lane: Lane, watch: Watch): Promise<boolean> {
  if (lane.unfinished.length === 0) return false;
  const { timings } = lane.config;
  await lane.refreshHead();
  // Depth counts from a block that was there before the receipts were asked for: the other side of the lane reads on.
  const { head } = lane;
  const now = Date.now();
  if (head.hash === watch.block && now - watch.lookedAt < timings.receiptLookMs) return false;
  const looked = [...lane.unfinished];
  const receipts = await gather(
    looked.map((transaction) => findReceipt(lane, transaction)),
    timings.stragglerMs,
  );
  const deepest = receipts.some((receipt) => receipt && isDeep(lane, receipt, head));
  if (deepest && !(await headStands(lane, head))) return false;

  // Before anything new is settled all that no longer holds is taken back: a deployment that turned into a failure must
  // not meet the mints that its first block had confirmed.
  for (const [index, transaction] of looked.entries()) await takeBack(lane, transaction, receipts[index]);
  let moved = false;
  for (const [index, transaction] of looked.entries()) {
    const receipt = receipts[index];
    if (!receipt) continue;
    watch.since.delete(transaction.id);
    moved = (await settleOne(lane, transaction, receipt, head)) || moved;
  }
  if (head.hash !== watch.block) await unstick(lane, watch.since, head);
  watch.block = head.hash;
  watch.lookedAt = now;
  if (moved || lane.open().length === 0) watch.sentAt = now;
  else if (now - watch.sentAt > timings.resendMs) {
    watch.sentAt = now;
    await Promise.all(lane.open().map(lane.resend));
    // By time as well: where each transaction makes its block, none comes after one that lost its nonce.
    await freeDisplaced(lane);
  }
  return moved;
}

/**
 * The answers in order, undefined for one that did not come: that says nothing of its transaction.
 * @throws what the first one threw when all did
 */
async function gather<Answer>(
  asked: readonly Promise<Answer>[],
  stragglerMs: number,
): Promise<(Answer | undefined)[]> {
  const answers: (Answer | undefined)[] = asked.map(() => undefined);
  const coming = asked.map(async (answer, index) => {
    answers[index] = await answer;
  });
  await Promise.any(coming).catch((error: unknown) => {
    throw (error as AggregateError).errors[0];
  });
  await Promise.race([Promise.allSettled(coming), sleep(stragglerMs, undefined, { ref: false })]);
  // What comes later must not be taken for an answer from before the head was looked at.
  return [...answers];
}

/** The receipt of any attempt of the slot. */
async function findReceipt(lane: Lane, { attempts }: Transaction): Promise<Receipt | null> {
  const receipts = await Promise.all(
    attempts.map(({ hash }) => lane.rpc.call<Receipt | null>('eth_getTransactionReceipt', [hash])),
  );
  return receipts.find((receipt) => receipt?.blockHash) ?? null;
}

/** Takes back what was said of a transaction whose block is no longer in the chain, or holds it no longer. */
async function takeBack(
  lane: Lane,
  transaction: Transaction,
  receipt: Receipt | null | undefined,
): Promise<void> {
  const { mined } = transaction;
  if (receipt === undefined || !mined || receipt?.blockHash === mined.blockHash) return;
  if (!receipt && (await standsInChain(lane, mined)) !== false) return;
  lane.log.warn({ nonce: String(transaction.nonce) }, 'a reorg took back a transaction');
  await retract(lane, transaction);
  transaction.mined = null;
  if (!receipt) await lane.resend(transaction);
}

async function settleOne(
  lane: Lane,
  transaction: Transaction,
  receipt: Receipt,
  head: Head,
): Promise<boolean> {
  const deep = isDeep(lane, receipt, head);
  if (!deep && transaction.mined) return false;
  const step = {
    name: 'settle',
    transaction: transaction.attempts[0]!.hash,
    details: { hash: receipt.transactionHash, block: Number(receipt.blockNumber), final: String(deep) },
  };
  await lane.config.observe.step(step, () => settleReceipt(lane, transaction, receipt, deep));
  if (deep) lane.config.observe.mined(Number(receipt.gasUsed), transaction.members.length);
  transaction.mined = {
    hash: receipt.transactionHash,
    blockNumber: BigInt(receipt.blockNumber),
    blockHash: receipt.blockHash,
  };
  if (deep) lane.remove(transaction);
  return true;
}

/**
 * A transaction that saw blocks go by without it: either somebody else used its nonce, or its fees are too low, then
 * another attempt with the same nonce and calldata bids more.
 */
async function unstick(lane: Lane, since: Map<bigint, bigint>, head: Head): Promise<void> {
  const [first, ...rest] = lane.open();
  for (const { id } of rest) since.delete(id);
  if (!first) return;
  const firstSeen = since.get(first.id) ?? head.number;
  since.set(first.id, firstSeen);
  if (head.number - firstSeen < STUCK_BLOCKS) return;
  since.set(first.id, head.number);
  await freeDisplaced(lane);
  await outbid(lane, first, head);
}

/**
 * Frees the intents of the first transactions whose nonces somebody else used, at depth.
 * @throws LaneLost when there were any: taking the lane again finds the next nonce that is free
 */
async function freeDisplaced(lane: Lane): Promise<void> {
  let count = 0;
  for (const transaction of lane.open()) {
    if (!(await findForeign(lane, transaction))) break;
    lane.log.error(
      { nonce: String(transaction.nonce) },
      'another program sent a transaction with the key of this signer',
    );
    await displace(lane, transaction);
    lane.remove(transaction);
    count += 1;
  }
  if (count > 0) throw new LaneLost('another program used nonces of this signer');
}

async function outbid(lane: Lane, first: Transaction, { baseFee }: Head): Promise<void> {
  // A bid that cannot be paid for would only ask for more ether than the one before.
  if (!lane.isFunded) return lane.resend(first);
  const previous = first.attempts.at(-1)!;
  const fees = replacementFees(previous, firstFees(baseFee, await lane.tip()), first.gasLimit);
  if (!fees) return lane.resend(first);
  const attempt = await lane.sign(first, fees);
  if (!(await insertAttempt(lane.db, lane.key, first.id, attempt))) return lane.renew();
  first.attempts.push(attempt);
  lane.config.observe.replaced();
  lane.log.info(
    { nonce: String(first.nonce), hash: attempt.hash },
    'bid more for a transaction that is not mined',
  );
  await lane.broadcast(first);
}
