import type { CallResult } from '../../chain/abi/execution.ts';
import { isCanonical } from '../../chain/follower/follower.ts';
import { decodeExecuted, executedTopics, findExecutedCall } from '../../chain/abi/operator.ts';
import type { Log } from '../../chain/abi/operator.ts';
import { RpcRefused, RpcUnreachable, unlessRefused } from '../../chain/rpc/rpc.ts';
import { readTimestamp } from '../../chain/rpc/timestamp.ts';
import { isDone } from '../../chain/system/done-intents.ts';
import type { Cursor } from '../../lib/block-id.ts';
import type { Hex } from '../../lib/hex.ts';
import { keyOf } from '../intent.ts';
import type { Lane } from '../lane/lane.ts';
import type { NumberedCall } from '../store/queue.ts';
import type { EarlierEffect, NumberedEffect } from '../store/unknown-effects.ts';
import { noteInDoubt } from '../store/unknown-effects.ts';
import { findHashesOf } from '../store/transactions.ts';
import { readReceipts, readShownReceipts } from '../verdict/receipts.ts';
import { confirmElsewhere, failQueued } from '../verdict/verdict.ts';

type ExecutionLog = Log & { transactionHash: Hex; blockNumber: Hex };

/** The execution of an intent on the canonical fork. */
interface CanonicalExecution {
  result: CallResult;
  transactionHash: Hex;
  blockNumber: bigint;
}

/** A search that takes longer, and finds nothing, holds up what is sent. */
const SLOW_SEARCH_MS = 1_000;
/** After such a search, nothing is searched for during so many times as long. */
const SEARCH_PAUSE = 10;
/** How long a key of a client is kept after the verdict, and an hour for clocks that differ. */
const KEY_SECONDS = 90_000;

const OTHER_CALL = {
  code: 'CHAIN_ERROR',
  message: 'The number of this request was used before this database was restored; ask again',
} as const;

/**
 * Settles an intent that the Operator did already, in a transaction that is not known to have done it: an attempt whose
 * event no endpoint has shown, or one that this database does not connect with it, which its event names. Returns
 * false while that is not final, or cannot be found. Until it has its verdict nobody can cancel the intent, whatever
 * becomes of the questions here.
 *
 * A number whose call was another one belonged to an intent that a restored database does not know: then this intent
 * has had no effect, and can have none.
 * @param cursor null while nobody reads the chain
 */
export async function settleAlreadyDone(
  lane: Lane,
  cursor: Cursor | null,
  intent: NumberedCall,
): Promise<boolean> {
  await noteInDoubt(lane.db, intent, [intent.number]);
  const settled = cursor === null ? 'not-yet' : await settleInEpoch(lane, cursor, intent);
  if (settled === 'another') {
    lane.log.error(
      { number: String(intent.number) },
      'the chain did another call under the number of an intent',
    );
    await failQueued(lane, [{ number: intent.number, error: OTHER_CALL, transactionHash: null }]);
  }
  return settled !== 'not-yet';
}

/** `another`: that was another call, and nothing is written; `not-yet`: it is not final, or cannot be found. */
type Found = 'confirmed' | 'another' | 'not-yet';

/**
 * Confirms an intent that the Operator did in an epoch, in which its bit is set. What is refused of it holds up no
 * other intent.
 */
export const settleInEpoch = async (lane: Lane, cursor: Cursor, intent: NumberedCall): Promise<Found> =>
  (await unlessRefused(settleFound(lane, cursor, intent))) ?? 'not-yet';

/**
 * Confirms an intent by an effect that has its key, when that is of the same call; `gone`: a deep reorg has removed it.
 */
export const settleByEffect = async (
  lane: Lane,
  cursor: Cursor,
  intent: NumberedCall,
  effect: EarlierEffect,
): Promise<Found | 'gone'> =>
  (await unlessRefused(settleFoundByKey(lane, cursor, intent, effect))) ?? 'not-yet';

async function settleFoundByKey(
  lane: Lane,
  { final, head }: Cursor,
  intent: NumberedCall,
  { askedSecondsAgo, ...effect }: EarlierEffect,
): Promise<Found | 'gone'> {
  const { rpc } = lane;
  const done = { ...intent, ...effect };
  if (!(await isDone(rpc, { final, head }, done))) return 'gone';
  const [receipt] = await readReceipts(rpc, [effect.transactionHash]);
  const result = receipt && decodeExecuted(receipt.logs, done).get(effect.number);
  if (!result?.ok || receipt!.block.number > final.number) return 'not-yet';
  const [then, now] = await Promise.all([receipt!.block, head].map(({ hash }) => readTimestamp(rpc, hash)));
  if (then === null || now === null) return 'not-yet';
  // Its key was free again when it was asked.
  if (now! - askedSecondsAgo - then! > KEY_SECONDS) return 'another';
  return confirmByCall(lane, intent, { ...done, blockNumber: receipt!.block.number }, result);
}

async function settleFound(lane: Lane, cursor: Cursor, intent: NumberedCall): Promise<Found> {
  const { number, operator } = intent;
  if (!(await isDone(lane.rpc, cursor, intent))) return 'not-yet';
  const own = await findOwnExecution(lane, intent);
  if (own && own.blockNumber > cursor.final.number) return 'not-yet';
  if (own) {
    const { transactionHash, result } = own;
    const success = { operator, number, transactionHash, result: result.returnData };
    await confirmElsewhere(lane, success, result.gasUsed, { ...intent, ...own });
    return 'confirmed';
  }
  const execution = await findFinalExecution(lane, cursor, intent);
  if (!execution) return 'not-yet';
  return confirmByCall(lane, intent, { ...intent, ...execution }, execution.result);
}

/** Confirms an intent by what a transaction did under a number, if that is its call. */
async function confirmByCall(
  lane: Lane,
  intent: NumberedCall,
  effect: NumberedEffect,
  result: CallResult,
): Promise<Found> {
  const { operator } = intent;
  const { epoch, number, transactionHash } = effect;
  const transaction = await lane.rpc.call<{ to: Hex | null; input: Hex } | null>('eth_getTransactionByHash', [
    transactionHash,
  ]);
  if (!transaction) return 'not-yet';
  // The account of an executor may have code (EIP-7702), which calls the Operator with other calldata than it was
  // given.
  const calldata = transaction.to?.toLowerCase() === operator ? transaction.input : '0x';
  const call = findExecutedCall(calldata, epoch, number);
  if (call?.target !== intent.target || call.data !== intent.data) return 'another';
  // The other request is asked again under its key.
  if (call.key !== keyOf(intent.id)) return 'another';
  const success = { operator, number: intent.number, transactionHash, result: result.returnData };
  await confirmElsewhere(lane, success, result.gasUsed, { ...effect, operator });
  return 'confirmed';
}

/** By the receipts of the attempts of the intent, which an endpoint may have when it searches no old events. */
async function findOwnExecution(
  { db, rpc }: Lane,
  intent: NumberedCall,
): Promise<CanonicalExecution | undefined> {
  const { receipts } = await readShownReceipts(rpc, await findHashesOf(db, intent.number));
  for (const { transactionHash, block, logs } of receipts) {
    const result = decodeExecuted(logs, intent).get(intent.number);
    if (result?.ok && (await isCanonical({ rpc }, block)))
      return { result, transactionHash, blockNumber: block.number };
  }
  return undefined;
}

async function findFinalExecution(
  lane: Lane,
  { final }: Cursor,
  intent: NumberedCall,
): Promise<CanonicalExecution | undefined> {
  for (const log of await findExecutionLogs(lane, intent)) {
    const result = decodeExecuted([log], intent).get(intent.number);
    const blockNumber = BigInt(log.blockNumber);
    if (result?.ok && blockNumber <= final.number)
      return { result, transactionHash: log.transactionHash, blockNumber };
  }
  return undefined;
}

/**
 * The Operator's events of an intent; none when the endpoint does not search as far back as it must, or takes too long
 * for that: what else is sent waits for it.
 */
async function findExecutionLogs(
  { rpc, log, search }: Lane,
  { number, operator, epoch }: NumberedCall,
): Promise<ExecutionLog[]> {
  const begunAt = performance.now();
  if (begunAt < search.notBefore) return [];
  const filter = {
    address: operator,
    topics: executedTopics(epoch, number),
    fromBlock: 'earliest',
    toBlock: 'latest',
  };
  let found: ExecutionLog[] = [];
  try {
    found = await rpc.call<ExecutionLog[]>('eth_getLogs', [filter]);
  } catch (error) {
    if (!(error instanceof RpcRefused || error instanceof RpcUnreachable)) throw error;
    log.error(
      { number: String(number), error: error.message },
      'the chain did a request that this database does not know of, and the endpoint does not search for it',
    );
  }
  const tookMs = performance.now() - begunAt;
  if (found.length === 0 && tookMs > SLOW_SEARCH_MS)
    search.notBefore = performance.now() + SEARCH_PAUSE * tookMs;
  return found;
}
