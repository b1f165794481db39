import type { CallResult } from '../../chain/abi/execution.ts';
import { decodeExecuted } from '../../chain/abi/operator.ts';
import { describeRevert } from '../../chain/abi/reverts.ts';
import type { LaneConfig } from '../lane/config.ts';
import { unchanged } from '../store/requeue.ts';
import type { Requeue } from '../store/requeue.ts';
import type { Transaction } from '../store/transactions.ts';
import type { Failure, Success } from '../store/verdicts.ts';
import { readOutcome } from './call-outcome.ts';
import type { Receipt } from './find-receipts.ts';

/** What a receipt says of the intents of its transaction. */
export interface Results {
  successes: Success[];
  failures: Failure[];
  /** They go back into the queue. */
  retries: Requeue[];
}

/**
 * Sorts the calls of a mined transaction by what the Operator's events say of them.
 * @param refused the Operator executed nothing of it, whatever the calls
 */
export function sortResults(
  transaction: Transaction,
  receipt: Receipt,
  { factories }: Pick<LaneConfig, 'factories'>,
  refused: boolean,
): Results {
  const results: Results = { successes: [], failures: [], retries: [] };
  const { transactionHash } = receipt;
  const { epoch } = transaction;
  const executed = readExecuted(receipt, transaction);
  const isAlone = transaction.members.length === 1;
  const half = Math.max(1, Math.ceil(transaction.members.length / 2));
  for (const member of transaction.members) {
    const { number } = member;
    const result = executed.get(number);
    if (!result) {
      results.retries.push(
        refused ? unchanged(number) : { number, fullGas: false, batchLimit: half, alone: isAlone },
      );
      continue;
    }
    switch (readOutcome(result, { ...member, epoch })) {
      case 'success':
        results.successes.push({ number, result: result.returnData, transactionHash });
        break;
      case 'reverted':
        results.failures.push({
          number,
          error: describeRevert(result.returnData, factories),
          transactionHash,
        });
        break;
      case 'gas-cap-used':
        results.retries.push({ number, fullGas: true, batchLimit: 1, alone: false });
        break;
      case 'already-done':
        // The next simulation finds the transaction in which it had its effect.
        results.retries.push({ number, fullGas: false, batchLimit: 1, alone: false });
    }
  }
  return results;
}

/** Results by intent; none when the transaction was reverted as a whole. */
const readExecuted = ({ status, logs }: Receipt, transaction: Transaction): Map<bigint, CallResult> =>
  BigInt(status) === 0n ? new Map<bigint, CallResult>() : decodeExecuted(logs, transaction);
