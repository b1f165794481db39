import type { Tx } from '../../db/client.ts';
import type { Hex } from '../../lib/hex.ts';
import { decodeExecuted, executedTopics, findExecutedCall } from '../../chain/abi/operator.ts';
import { describeRevert, isAlreadyDone } from '../../chain/abi/reverts.ts';
import type { Log } from '../../chain/abi/operator.ts';
import type { CallResult } from '../../chain/abi/execution.ts';
import { RpcRefused } from '../../chain/rpc/rpc.ts';
import { usedUpCap } from '../send/batch.ts';
import type { Verdict } from '../intent.ts';
import type { Effects } from '../ports.ts';
import { LaneLost } from '../lane/lane.ts';
import type { Head, Lane, LaneConfig } from '../lane/lane.ts';
import { headStands } from './reorg.ts';
import { keepLane, releaseMembers, updateTransaction } from '../store/transactions.ts';
import {
  confirmIntents,
  countLoneFailures,
  failIntents,
  findBehind,
  notifySettled,
  requeueIntents,
  retractIntents,
} from '../store/verdicts.ts';
import type { QueuedIntent } from '../store/queue.ts';
import type { Transaction } from '../store/transactions.ts';
import type { Failure, Judged, Requeue, Success } from '../store/verdicts.ts';

/** A receipt, as far as the engine reads it. */
export interface Receipt {
  transactionHash: Hex;
  blockNumber: Hex;
  blockHash: Hex;
  status: Hex;
  gasUsed: Hex;
  logs: Log[];
}

const MAX_LONE_FAILURES = 2;

/** Whether what is in a block is final, counted from `head`. */
export const isDeep = (
  { config }: Pick<Lane, 'config'>,
  { blockNumber }: { blockNumber: Hex },
  head: Head,
): boolean => head.number - BigInt(blockNumber) + 1n >= BigInt(config.confirmations);

/**
 * Writes what a receipt says, in one database transaction: successes at once, failures and the end of every hold only
 * when the receipt is `deep` enough.
 */
export async function settleReceipt(
  lane: Lane,
  transaction: Transaction,
  receipt: Receipt,
  deep: boolean,
): Promise<void> {
  const mined = {
    hash: receipt.transactionHash,
    blockNumber: BigInt(receipt.blockNumber),
    blockHash: receipt.blockHash,
    gasUsed: BigInt(receipt.gasUsed),
  };
  lane.config.reach('receipt-found');
  const sorted = sortResults(transaction, receipt, lane.config);
  await lane.db.transaction(async (tx) => {
    // Another state than the one known here was written by somebody else, who may have said more than can be seen.
    const known = transaction.mined ? 'mined' : 'open';
    const moved = await updateTransaction(tx, lane.key, transaction.id, known, {
      status: deep ? 'final' : 'mined',
      mined,
    });
    if (!moved) throw new LaneLost();
    const confirmed = await confirmIntents(tx, sorted.successes, deep);
    const failed = deep ? await settleFailures(tx, transaction, sorted) : [];
    await tellVerdicts(tx, lane.settle, [
      ...confirmed.map((judged): Verdict => ({ ...judged, outcome: deep ? 'final' : 'confirmed' })),
      ...failed.map((judged): Verdict => ({ ...judged, outcome: 'failed' })),
    ]);
    lane.config.reach('settle-before-commit');
  });
  lane.config.reach('settled');
}

interface SortedResults {
  successes: Success[];
  failures: Failure[];
  /** They go back into the queue. */
  retries: Requeue[];
  /** The transaction as a whole was reverted. */
  reverted: boolean;
}

function sortResults(
  transaction: Transaction,
  receipt: Receipt,
  { operator, factories }: LaneConfig,
): SortedResults {
  const sorted: SortedResults = {
    successes: [],
    failures: [],
    retries: [],
    reverted: BigInt(receipt.status) === 0n,
  };
  const results = sorted.reverted ? new Map<bigint, CallResult>() : decodeExecuted(receipt.logs, operator);
  const halved = Math.max(1, Math.ceil(transaction.members.length / 2));
  for (const { number, gasCap, fullGas } of transaction.members) {
    const result = results.get(number);
    if (!result) {
      const alone = transaction.members.length === 1;
      sorted.retries.push({ number, fullGas: false, batchLimit: halved, alone });
    } else if (result.ok) {
      sorted.successes.push({ number, result: result.returnData, transactionHash: receipt.transactionHash });
    } else if (isAlreadyDone(result, number)) {
      // It had its effect in another transaction, which the next simulation finds.
      sorted.retries.push({ number, fullGas: false, batchLimit: 1, alone: false });
    } else if (usedUpCap(result.gasUsed, gasCap) && !fullGas) {
      sorted.retries.push({ number, fullGas: true, batchLimit: 1, alone: false });
    } else {
      const error = describeRevert(result.returnData, factories);
      sorted.failures.push({ number, error, transactionHash: receipt.transactionHash });
    }
  }
  return sorted;
}

async function settleFailures(tx: Tx, transaction: Transaction, sorted: SortedResults): Promise<Judged[]> {
  await sendAgain(tx, transaction, sorted.retries);
  // A call that failed while an earlier one of its contract goes again may have needed that one.
  const behind = await findBehind(
    tx,
    sorted.failures.map(({ number }) => number),
  );
  await sendAgain(tx, transaction, [...behind].map(unchanged));
  const lone = await countLoneFailures(
    tx,
    sorted.retries.flatMap(({ number, alone }) => (alone ? [number] : [])),
  );
  const hopeless = [...lone].flatMap(([number, failures]): Failure[] =>
    failures < MAX_LONE_FAILURES
      ? []
      : [
          {
            number,
            error: { code: 'CHAIN_ERROR', message: 'The transaction was reverted as a whole, twice' },
            transactionHash: transaction.mined?.hash ?? transaction.attempts.at(-1)!.hash,
          },
        ],
  );
  return [
    ...(await failIntents(
      tx,
      sorted.failures.filter(({ number }) => !behind.has(number)),
      ['submitted'],
    )),
    ...(await failIntents(tx, hopeless, ['queued'])),
  ];
}

/** Frees intents of a transaction and puts them back into the queue. */
async function sendAgain(tx: Tx, transaction: Transaction, intents: readonly Requeue[]): Promise<void> {
  if (intents.length === 0) return;
  const numbers = intents.map(({ number }) => number);
  await releaseMembers(tx, transaction.id, numbers);
  await requeueIntents(tx, intents, 'submitted');
}

/** Back into the queue as it was. */
const unchanged = (number: bigint): Requeue => ({
  number,
  fullGas: false,
  batchLimit: 1_000,
  alone: false,
});

/** Runs `work` in a database transaction in which nobody takes the lane over. @throws LaneLost when that happened before */
const asHolder = <Result>(
  { db, key }: Pick<Lane, 'db'> & Partial<Pick<Lane, 'key'>>,
  work: (tx: Tx) => Promise<Result>,
): Promise<Result> =>
  db.transaction(async (tx) => {
    if (key && !(await keepLane(tx, key))) throw new LaneLost();
    return work(tx);
  });

/** A reorg took the receipt back: the transaction is open again, and so is what it had confirmed. */
export async function retract(lane: Lane, transaction: Transaction): Promise<void> {
  await lane.db.transaction(async (tx) => {
    const moved = await updateTransaction(tx, lane.key, transaction.id, 'mined', {
      status: 'open',
      mined: null,
    });
    if (!moved) throw new LaneLost();
    const numbers = transaction.members.map(({ number }) => number);
    const retracted = await retractIntents(tx, numbers, transaction.attempts.at(-1)!.hash);
    await lane.settle(
      tx,
      retracted.map((judged): Verdict => ({ ...judged, outcome: 'retracted' })),
    );
  });
}

/** A foreign transaction holds the nonce for good: nothing of this one can happen any more, its intents go again. */
export async function displace(lane: Lane, transaction: Transaction): Promise<void> {
  await lane.db.transaction(async (tx) => {
    const moved = await updateTransaction(tx, lane.key, transaction.id, 'open', {
      status: 'displaced',
      mined: null,
    });
    if (!moved) throw new LaneLost();
    await sendAgain(
      tx,
      transaction,
      transaction.members.map(({ number }) => unchanged(number)),
    );
  });
}

/**
 * The Operator says that it did this intent already, in a transaction that this database does not connect with it.
 * Its event tells which one; answers false while that is not deep enough. A number whose call was another one belonged to
 * an intent that a restored database does not know: then this intent has had no effect, and can have none.
 */
export async function settleElsewhere(lane: Lane, intent: QueuedIntent): Promise<boolean> {
  const { number } = intent;
  const { head } = lane;
  const logs = await findExecution(lane, number);
  if (logs.length > 0 && !(await headStands(lane, head))) return false;
  for (const log of logs) {
    const result = decodeExecuted([log], lane.config.operator).get(number);
    if (!result?.ok || !isDeep(lane, log, head)) continue;
    const carrier = await lane.rpc.call<{ input: Hex } | null>('eth_getTransactionByHash', [
      log.transactionHash,
    ]);
    if (!carrier) return false;
    const call = findExecutedCall(carrier.input, number);
    if (call?.target !== intent.target || call.data !== intent.data) {
      lane.log.error({ number: String(number) }, 'the chain did another call under the number of an intent');
      const message = 'The number of this request was used before this database was restored; ask again';
      await failQueued(lane, [{ number, error: { code: 'CHAIN_ERROR', message }, transactionHash: null }]);
      return true;
    }
    const success = { number, result: result.returnData, transactionHash: log.transactionHash };
    await asHolder(lane, async (tx) => {
      const confirmed = await confirmIntents(tx, [success], true);
      await tellVerdicts(
        tx,
        lane.settle,
        confirmed.map((judged): Verdict => ({ ...judged, outcome: 'final' })),
      );
    });
    return true;
  }
  return false;
}

/** The Operator's events of an intent; none when the endpoint does not search as far back as it must. */
async function findExecution(lane: Lane, number: bigint): Promise<ExecutionLog[]> {
  const filter = {
    address: lane.config.operator,
    topics: executedTopics(number),
    fromBlock: 'earliest',
    toBlock: 'latest',
  };
  try {
    return await lane.rpc.call<ExecutionLog[]>('eth_getLogs', [filter]);
  } catch (error) {
    if (!(error instanceof RpcRefused)) throw error;
    lane.log.error(
      { number: String(number), error: error.message },
      'the chain did a request that this database does not know of, and the endpoint refuses to search for it',
    );
    return [];
  }
}

type ExecutionLog = Log & { transactionHash: Hex; blockNumber: Hex };

/** Puts a call that used up its cap in a simulation back, so that it gets the largest cap, alone. @throws LaneLost */
export const askForFullGas = (lane: Lane, { number }: QueuedIntent): Promise<void> =>
  asHolder(lane, (tx) =>
    requeueIntents(tx, [{ number, fullGas: true, batchLimit: 1, alone: false }], 'queued'),
  );

/**
 * Verdict on intents that no live transaction carries: they had no effect and will have none.
 * @throws LaneLost when a lane gives it that is another process's by now
 */
export async function failQueued(
  lane: Pick<Lane, 'db' | 'settle'> & Partial<Pick<Lane, 'key'>>,
  failures: Failure[],
): Promise<void> {
  await asHolder(lane, async (tx) => {
    const failed = await failIntents(tx, failures, ['queued']);
    await tellVerdicts(
      tx,
      lane.settle,
      failed.map((judged): Verdict => ({ ...judged, outcome: 'failed' })),
    );
  });
}

/** Tells the features, and the requests that wait, what was decided. */
export async function tellVerdicts(tx: Tx, settle: Effects['settled'], verdicts: Verdict[]): Promise<void> {
  if (verdicts.length === 0) return;
  await settle(tx, verdicts);
  await notifySettled(
    tx,
    verdicts.map(({ intent }) => intent.number),
  );
}
