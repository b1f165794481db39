import { isDeepStrictEqual } from 'node:util';
import type { BlockLog } from '../../chain/follower/follower.ts';
import type { Rpc } from '../../chain/rpc/rpc.ts';
import { readRefusedWrite } from '../../db/refused-write.ts';
import type { Db, Tx } from '../../db/client.ts';
import type { Hex } from '../../lib/hex.ts';
import { operatorsOf } from '../../lib/operators.ts';
import { combineEffects } from '../ports.ts';
import type { Effects } from '../ports.ts';
import { readCursor } from '../store/follower.ts';
import type { Cursor } from '../store/follower.ts';
import { notifyQueued } from '../store/notices.ts';
import { findQuarantinedIn, lockTransactionOf, releaseIntent } from '../store/quarantine.ts';
import type { QuarantinedIn } from '../store/quarantine.ts';
import { settleExecutions } from './apply-step.ts';
import { readExecutions } from './executions.ts';
import type { CommandParts } from './command-parts.ts';
import { withKnown } from './known.ts';
import type { Known } from './known.ts';
import { readReceipts } from './receipt.ts';

/**
 * Settles a quarantined intent again, as if the follower had just read what became of it.
 * @throws Error with one sentence when it is in no quarantine, or the database refuses the verdict still
 */
export async function retryIntent(
  { effects, ...parts }: CommandParts,
  intent: { id: string; number: bigint },
): Promise<void> {
  const transaction = await findQuarantinedIn(parts.db, intent.number);
  if (transaction === undefined)
    throw new Error('This intent is in no quarantine; "intents show" explains it');
  const { isFinished = false, minedHash = null, blockHash = null } = transaction ?? {};
  const logs = isFinished && minedHash ? await readLogs(parts.rpc, minedHash, blockHash) : [];
  const write = (known: Known) =>
    parts.db.transaction(async (tx) => {
      // The reader of the chain, which may be about to end it, waits: its verdict is either seen here, or finds the intent.
      await lockTransactionOf(tx, intent.number);
      const released = await releaseIntent(tx, intent.number);
      if (!isDeepStrictEqual(released, transaction))
        throw new Error('The chain has just changed what became of this intent: run the command again');
      await settleAgain(tx, { ...parts, effects: combineEffects(effects), ...known }, intent.number, {
        transaction: released ?? null,
        logs,
      });
    });
  try {
    await withKnown(parts, () => findCursor(parts.db), write);
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
  parts: Pick<CommandParts, 'log' | 'config'> & { effects: Effects } & Known,
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
  // What is under way gets its verdict by itself; what is in no transaction is sent and settled like others in the queue.
  if (!transaction) await notifyQueued(tx);
}
