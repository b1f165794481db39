import type { Hex } from '../../lib/hex.ts';
import { resend } from '../lane/broadcast.ts';
import type { Head } from '../lane/head.ts';
import type { Lane } from '../lane/lane.ts';
import type { Transaction } from '../store/transactions.ts';
import { findReceipts } from './find-receipts.ts';
import type { Receipt } from './find-receipts.ts';
import { settleReceipt } from './receipt.ts';
import { isFinal, isHeadInChain, isInChain, retract } from './reorg.ts';

/** A look at the receipts of everything unfinished. */
export interface ReceiptLook {
  /** Depth was counted from this block. */
  head: Head;
  /** When it began, in milliseconds. */
  at: number;
  /** Whether something was settled. */
  moved: boolean;
}

/**
 * Looks for the receipts of everything unfinished when there is a new block, and settles what they say. Returns null
 * when there was nothing to look for, or nobody could tell.
 */
export async function confirm(lane: Lane, last: { block: Hex; at: number }): Promise<ReceiptLook | null> {
  if (lane.inFlight.unfinished.length === 0) return null;
  await lane.head.refresh();
  // Depth counts from a block that was there before the receipts were asked for: the other loop of the lane reads on.
  const head = lane.head.newest;
  const at = Date.now();
  if (head.hash === last.block && at - last.at < lane.config.timings.receiptLookMs) return null;
  const unfinished = [...lane.inFlight.unfinished];
  const receipts = await findReceipts(lane, unfinished);
  const isAnyFinal = receipts.some((receipt) => receipt && isFinal(lane, receipt, head));
  if (isAnyFinal && !(await isHeadInChain(lane, head))) return null;

  // Before anything new is settled all that no longer holds is taken back: a deployment that turned into a failure must
  // not meet the mints that its first block had confirmed.
  for (const [index, transaction] of unfinished.entries()) await takeBack(lane, transaction, receipts[index]);
  let moved = false;
  for (const [index, transaction] of unfinished.entries()) {
    const receipt = receipts[index];
    if (receipt && (await settle(lane, transaction, receipt, head))) moved = true;
  }
  return { head, at, moved };
}

/** Takes back what was said of a transaction whose block is no longer in the chain, or holds it no longer. */
async function takeBack(
  lane: Lane,
  transaction: Transaction,
  receipt: Receipt | null | undefined,
): Promise<void> {
  const { mined } = transaction;
  if (receipt === undefined || !mined || receipt?.blockHash === mined.blockHash) return;
  if (!receipt && (await isInChain(lane, mined)) !== false) return;
  lane.log.warn({ nonce: String(transaction.nonce) }, 'a reorg took back a transaction');
  await retract(lane, transaction);
  transaction.mined = null;
  if (!receipt) await resend(lane, transaction);
}

/** Returns whether the receipt says something new. */
async function settle(lane: Lane, transaction: Transaction, receipt: Receipt, head: Head): Promise<boolean> {
  const final = isFinal(lane, receipt, head);
  if (!final && transaction.mined) return false;
  const { observe } = lane.config;
  const step = {
    name: 'settle',
    transaction: transaction.attempts[0]!.hash,
    details: { hash: receipt.transactionHash, block: Number(receipt.blockNumber), final: String(final) },
  };
  await observe.step(step, () => settleReceipt(lane, transaction, receipt, final));
  if (final) observe.mined(Number(receipt.gasUsed), transaction.members.length);
  transaction.mined = {
    hash: receipt.transactionHash,
    blockNumber: BigInt(receipt.blockNumber),
    blockHash: receipt.blockHash,
  };
  if (final) lane.inFlight.remove(transaction);
  return true;
}
