import { setTimeout as sleep } from 'node:timers/promises';
import { classifySubmission } from '../../chain/rpc/classify.ts';
import type { SubmissionKind } from '../../chain/rpc/classify.ts';
import { RpcRefused } from '../../chain/rpc/rpc.ts';
import type { Attempt, Transaction } from '../store/transactions.ts';
import { findUnfinished } from '../store/transactions.ts';
import { checkFunds } from './funds.ts';
import type { Lane } from './lane.ts';
import { findAbandonedLanes } from '../store/lanes.ts';
import { carryAbandoned } from '../store/requeue.ts';

/** What a node says that has the transaction, a higher bid for it, or has used its nonce: no error. */
const NOT_WANTED: readonly SubmissionKind[] = ['known', 'nonce-used', 'underpriced'];

/** Sends the newest attempt. An error is logged and is no verdict: blocks show it anyway. */
export const broadcast = (lane: Lane, transaction: Transaction): Promise<void> =>
  sendAttempts(lane, transaction, transaction.attempts.slice(-1));

/** Sends every attempt again, oldest first: the last one may be more than the node takes, or the signer can pay. */
export const resend = (lane: Lane, transaction: Transaction): Promise<void> =>
  sendAttempts(lane, transaction, transaction.attempts);

/** Sends all that is open again. */
export const resendOpen = (lane: Lane): Promise<void> => resendAll(lane, lane.inFlight.open());

/**
 * Sends transactions of one signer again. No-ops but the first go before that, as `giveUpCalls` sends them: a pool that
 * has not got one yet may have what was signed before, and mine that once the nonce in front is used.
 * @param transactions in the order of their nonces
 */
export async function resendAll(lane: Lane, transactions: readonly Transaction[]): Promise<void> {
  const [first, ...noops] = transactions.filter(({ isNoop }) => isNoop);
  await Promise.all(noops.map((noop) => resend(lane, noop)));
  if (first) await resend(lane, first);
  await Promise.all(transactions.filter(({ isNoop }) => !isNoop).map((each) => resend(lane, each)));
}

async function sendAttempts(
  lane: Lane,
  transaction: Transaction,
  attempts: readonly Attempt[],
): Promise<void> {
  const unpaid = await Promise.all(attempts.map((attempt) => sendAttempt(lane, transaction, attempt)));
  if (unpaid.includes(true)) await checkFunds(lane);
}

/** Returns whether the node said that the signer cannot pay for it. */
async function sendAttempt(
  { rpc, log, config }: Lane,
  transaction: Transaction,
  { raw }: Attempt,
): Promise<boolean> {
  const { nonce, attempts } = transaction;
  const isLast = raw === attempts.at(-1)!.raw;
  try {
    transaction.isAhead = false;
    if (isLast) transaction.isOutbid = false;
    const step = { name: 'broadcast', transaction: attempts[0]!.hash, details: { nonce: String(nonce) } };
    const answer = config.observe.step(step, () => rpc.call('eth_sendRawTransaction', [raw]));
    await Promise.race([answer, sleep(config.timings.broadcastMs, undefined, { ref: false })]);
    return false;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const reason = error instanceof RpcRefused ? classifySubmission(message) : 'other';
    log[NOT_WANTED.includes(reason) ? 'debug' : 'warn'](
      { nonce: String(nonce), error: message },
      'the node did not take a transaction',
    );
    if (reason === 'nonce-ahead') transaction.isAhead = true;
    if (reason === 'underpriced' && isLast) transaction.isOutbid = true;
    return reason === 'unpaid';
  }
}

/** Calls that are carried at one look. */
const MAX_CALLS = 1_000;

/**
 * Minds what was signed by lanes that nobody holds, such as that of a process whose endpoints do not answer. Their
 * bytes are sent again, which needs no key; to bid more for them takes their signer. What is open for the stuck time is
 * carried by the sender too.
 */
export async function mindAbandoned(lane: Lane): Promise<void> {
  const { db, key, health, config, log } = lane;
  if (performance.now() < health.resendAt) return;
  health.resendAt = performance.now() + config.timings.resendMs;
  for (const signer of await findAbandonedLanes(db)) {
    const transactions = await findUnfinished(db, signer);
    await resendAll(
      lane,
      transactions.filter(({ used }) => !used),
    );
  }
  const calls = await carryAbandoned(db, key, { stuckMs: config.profile.stuckMs, limit: MAX_CALLS });
  if (calls > 0) log.warn({ calls }, 'calls of a signer that nobody sends for go with the sender too');
}
