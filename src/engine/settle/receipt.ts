import type { Tx } from '../../db/client.ts';
import type { Lane } from '../lane/lane.ts';
import { countLoneFailures, findBehind, unchanged } from '../store/requeue.ts';
import type { Transaction } from '../store/transactions.ts';
import { confirmIntents, failIntents } from '../store/verdicts.ts';
import type { Failure, SettledIntent } from '../store/verdicts.ts';
import type { Receipt } from './find-receipts.ts';
import { moveTransaction, requeueMembers } from './move-transaction.ts';
import { sortResults } from './results.ts';
import type { Results } from './results.ts';
import { applyVerdicts, toVerdicts } from './verdict.ts';
import { wasRefused } from './whole-revert.ts';

/** A call that was alone in its transaction when that was reverted as a whole, so often, has failed. */
const MAX_LONE_FAILURES = 2;
const LONE_FAILURE = {
  code: 'CHAIN_ERROR',
  message: 'The transaction was reverted as a whole, twice',
} as const;

/**
 * Writes what a receipt says, in one database transaction: successes at once, failures and the end of every hold only
 * when the receipt is `final`.
 */
export async function settleReceipt(
  lane: Lane,
  transaction: Transaction,
  receipt: Receipt,
  final: boolean,
): Promise<void> {
  const { reach } = lane.config;
  const mined = {
    hash: receipt.transactionHash,
    blockNumber: BigInt(receipt.blockNumber),
    blockHash: receipt.blockHash,
    gasUsed: BigInt(receipt.gasUsed),
  };
  reach('receipt-found');
  const refused = final && (await wasRefused(lane, transaction, receipt));
  const results = sortResults(transaction, receipt, lane.config, refused);
  await lane.db.transaction(async (tx) => {
    await moveTransaction(tx, lane, transaction, { status: final ? 'final' : 'mined', mined });
    const confirmed = await confirmIntents(tx, results.successes, final);
    const failed = final ? await settleFailures(tx, transaction, results, mined.hash) : [];
    await applyVerdicts(tx, lane.effects, [
      ...toVerdicts(confirmed, final ? 'final' : 'confirmed'),
      ...toVerdicts(failed, 'failed'),
    ]);
    reach('settle-before-commit');
  });
  reach('settled');
}

/** Puts back what goes again, and fails the rest. Returns what failed. */
async function settleFailures(
  tx: Tx,
  transaction: Transaction,
  { failures, retries }: Results,
  transactionHash: Receipt['transactionHash'],
): Promise<SettledIntent[]> {
  await requeueMembers(tx, transaction, retries);
  // A call that failed while an earlier one of its contract goes again may have needed that one.
  const behind = await findBehind(
    tx,
    failures.map(({ number }) => number),
  );
  await requeueMembers(tx, transaction, [...behind].map(unchanged));
  const loneFailures = await countLoneFailures(
    tx,
    retries.flatMap(({ number, alone }) => (alone ? [number] : [])),
  );
  const hopeless = [...loneFailures].flatMap(([number, count]): Failure[] =>
    count < MAX_LONE_FAILURES ? [] : [{ number, error: LONE_FAILURE, transactionHash }],
  );
  const failed = failures.filter(({ number }) => !behind.has(number));
  return [
    ...(await failIntents(tx, failed, ['submitted'])),
    ...(await failIntents(tx, hopeless, ['queued'])),
  ];
}
