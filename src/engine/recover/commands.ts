import type { Rpc } from '../../chain/rpc/rpc.ts';
import { unlessRefused } from '../../chain/rpc/rpc.ts';
import type { Db, Tx } from '../../db/client.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { FollowUps } from '../ports.ts';
import { isExecutorOfAny } from '../../chain/system/roles.ts';
import type { BlockId, Cursor } from '../../lib/block-id.ts';
import type { Hex } from '../../lib/hex.ts';
import { operatorsOf } from '../../lib/operators.ts';
import type { Operators } from '../../lib/operators.ts';
import { lockCursor, readCursor } from '../store/reader.ts';
import { noteBuried, setRetiring, returnLane, seizeLane, findLane } from '../store/lanes.ts';
import type { LaneState } from '../store/lanes.ts';
import { endOpen } from '../store/mined.ts';
import { notifyLook, notifyQueued } from '../store/notices.ts';
import { settleExecutions } from '../settle/apply-step.ts';
import { withLookups, withQuarantine, applyVerdicts, toSuccessVerdicts } from '../verdict/verdict.ts';
import type { Lookups } from '../verdict/verdict.ts';
import { findQueuedCall } from '../store/inspect.ts';
import { confirmIntents } from '../store/verdicts.ts';
import { isDone } from '../../chain/system/done-intents.ts';
import { isDeepStrictEqual } from 'node:util';
import type { BlockLog } from '../../chain/follower/follower.ts';
import { readRefusedWrite } from '../../db/refused-write.ts';
import { findQuarantinedIn, lockTransactionOf, releaseIntent } from '../store/quarantine.ts';
import type { QuarantinedIn } from '../store/quarantine.ts';
import { readExecutions, readReceipts } from '../verdict/receipts.ts';

/** Dependencies of the commands of a person that settle intents (`resolve`, `retry`, `bury`). */
export interface CommandParts {
  db: Db;
  rpc: Pick<Rpc, 'call' | 'callEach'>;
  log: Logger;
  config: Operators;
  followUps: Pick<FollowUps, 'settled'>;
}

export const LANE_IS_HELD = 'A process holds the lane of this signer: end it, or use "signers rotate"';

/**
 * Gives up the lane of a signer whose key is lost. Once its role is revoked in a final block, nothing that it signed
 * can have an effect any more: its open transactions end there, and another signer sends their calls. Returns how many
 * these are; null while the last final block has the role still, or nobody can tell.
 * @throws Error with one sentence when a process holds the lane
 */
export async function buryLane(parts: CommandParts, signer: Hex): Promise<number | null> {
  const cursor = await readCursor(parts.db);
  if (!cursor || !(await isRevoked(parts, signer, cursor))) {
    // While nothing is under way nobody reads the chain, and the same block stays the final one.
    await notifyLook(parts.db);
    return null;
  }
  const write = (lookups: Lookups) =>
    withQuarantine(parts, async (tx, writeInParts) => {
      if (!(await noteBuried(tx, signer))) throw new Error(LANE_IS_HELD);
      // Everything up to the final block is settled: what is open is in none of these blocks.
      const finished = await endOpen(tx, signer, cursor.final);
      const findings = { finished, executions: [], early: [] };
      await settleExecutions(tx, { ...parts, ...lookups }, writeInParts, findings);
      await notifyQueued(tx);
      return finished.length;
    });
  return withLookups(parts, async () => cursor, write);
}

async function isRevoked(
  { rpc, config }: Pick<CommandParts, 'rpc' | 'config'>,
  signer: Hex,
  { final, head }: Cursor,
): Promise<boolean> {
  const hasRole = ({ hash: blockHash }: BlockId): Promise<boolean> =>
    isExecutorOfAny(rpc, operatorsOf(config), signer, { blockHash });
  // An Operator may be newer than the final block, and say nothing there; or the node has forgotten the state of that
  // block.
  const roles = await unlessRefused(Promise.all([hasRole(final), hasRole(head)]));
  return roles !== null && !roles.includes(true);
}

/**
 * Confirms an intent that the Operator has done for good, though no endpoint has its event any more, so that its result
 * is unknown.
 * @param transaction in which it was done, when a person knows that; else the last one that was signed for it
 * @throws Error with one sentence when it is in flight, has a verdict, or is not done in the final block
 */
export async function resolveIntent(
  { db, rpc, followUps }: Pick<CommandParts, 'db' | 'rpc' | 'followUps'>,
  intent: { id: string; number: bigint },
  transaction: Hex | null,
): Promise<Hex> {
  const call = await findQueuedCall(db, intent.number);
  if (!call)
    throw new Error(
      'Only what is queued is resolved: this intent has a verdict, or gets it from its transaction',
    );
  const cursor = await readCursor(db);
  if (!cursor || !(await isDone(rpc, cursor, call)))
    throw new Error('The Operator has not done this intent for good: nothing is to be resolved');
  const transactionHash = transaction ?? call.lastHash;
  if (transactionHash === null)
    throw new Error('Name the transaction in which an explorer shows it: --transaction HASH');
  await db.transaction(async (tx) => {
    if (!(await lockCursor(tx, cursor)))
      throw new Error('The final block may have changed meanwhile: run the command again');
    const success = { number: intent.number, result: null, transactionHash };
    const confirmed = await confirmIntents(tx, [success], true);
    await applyVerdicts(tx, followUps, toSuccessVerdicts(confirmed, 'final'));
  });
  return transactionHash;
}

/**
 * Settles a quarantined intent again, as if the reader had just read what became of it.
 * @throws Error with one sentence when it is in no quarantine, or the database refuses the verdict still
 */
export async function retryIntent(
  parts: CommandParts,
  intent: { id: string; number: bigint },
): Promise<void> {
  const transaction = await findQuarantinedIn(parts.db, intent.number);
  if (transaction === undefined)
    throw new Error('This intent is in no quarantine; "intents show" explains it');
  const { isFinished = false, minedHash = null, blockHash = null } = transaction ?? {};
  const logs = isFinished && minedHash ? await readLogs(parts.rpc, minedHash, blockHash) : [];
  const write = (lookups: Lookups) =>
    parts.db.transaction(async (tx) => {
      // The reader of the chain, which may be about to end it, waits: its verdict is either seen here, or finds the
      // intent.
      await lockTransactionOf(tx, intent.number);
      const released = await releaseIntent(tx, intent.number);
      if (!isDeepStrictEqual(released, transaction))
        throw new Error('The chain has just changed what became of this intent: run the command again');
      await settleAgain(tx, { ...parts, ...lookups }, intent.number, { transaction: released ?? null, logs });
    });
  try {
    await withLookups(parts, () => findCursor(parts.db), write);
  } catch (error) {
    const refusal = readRefusedWrite(error);
    if (refusal === null) throw error;
    throw new Error(`The database refuses the verdict still: ${refusal}`, { cause: error });
  }
}

async function findCursor(db: Db): Promise<Cursor> {
  const cursor = await readCursor(db);
  if (!cursor) throw new Error('Nobody has read the chain yet: start the service, and run the command again');
  return cursor;
}

async function readLogs(rpc: Pick<Rpc, 'call'>, minedHash: Hex, blockHash: Hex | null): Promise<BlockLog[]> {
  const [receipt] = await readReceipts(rpc, [minedHash]);
  if (receipt?.block.hash === blockHash) return receipt.logs;
  throw new Error(
    `No endpoint of RPC_URL shows the receipt of the transaction ${minedHash} in its block: add one that does`,
  );
}

async function settleAgain(
  tx: Tx,
  parts: Pick<CommandParts, 'log' | 'config' | 'followUps'> & Lookups,
  number: bigint,
  { transaction, logs }: { transaction: QuarantinedIn | null; logs: readonly BlockLog[] },
): Promise<void> {
  if (transaction?.isFinished) {
    const executions = readExecutions([{ logs }], operatorsOf(parts.config));
    const findings = { finished: [transaction], executions, early: [] };
    return settleExecutions(
      tx,
      parts,
      (part, _find, write) => write(part, (candidate) => candidate === number),
      findings,
    );
  }
  // What is under way gets its verdict by itself; what is in no transaction is sent and settled like others in the
  // queue.
  if (!transaction) await notifyQueued(tx);
}

/**
 * One step of moving from one signer to the next: its lane takes no new calls from here on, and another one does. To be
 * repeated until the lane has no transactions; its holder goes on confirming those. Returns the lane; undefined when
 * its signer never had one.
 */
export async function retireLane(db: Db, from: Hex): Promise<LaneState | undefined> {
  await setRetiring(db, from, true);
  return findLane(db, from);
}

/** Lets the lane of a signer send again; nothing happens when it does already, or has none yet. */
export async function resumeLane(db: Db, signer: Hex): Promise<void> {
  await setRetiring(db, signer, false);
}

/**
 * Borrows the lane of a signer for one transaction that is not the lane's own, so that no other process uses its nonce.
 * A service that held the lane takes it again afterwards. Of a signer without a lane the work is simply done.
 * @param seconds that the work takes at most
 * @param work gets the least nonce that it may use, and returns the one that it used
 */
export async function borrowLane<Result extends { nonce: bigint }>(
  db: Db,
  signer: Hex,
  seconds: number,
  work: (leastNonce: bigint) => Promise<Result>,
): Promise<Result> {
  const lane = await seizeLane(db, signer, seconds);
  if (!lane) return work(0n);
  let least: bigint | null = null;
  try {
    const result = await work(lane.nextNonce);
    least = result.nonce + 1n;
    return result;
  } finally {
    await returnLane(db, { signer, term: lane.term }, least);
  }
}
