import { byAccount, recordAudit } from '../../db/audit.ts';
import { changeAccount } from '../../db/change-account.ts';
import type { Db, Tx } from '../../db/client.ts';
import { findRecords, insertRecords, keyReused } from '../../db/idempotency.ts';
import { AppError } from '../../errors.ts';
import type { Owner } from '../../lib/owner.ts';
import type { Idempotency, WriteOptions } from '../../lib/write-options.ts';
import type { Intent } from '../intent.ts';
import type { FollowUps } from '../ports.ts';
import { applyVerdicts } from '../verdict/verdict.ts';
import { findIntent } from '../store/intents.ts';
import { cancelQueued } from '../store/verdicts.ts';

export type CancelOptions = Pick<WriteOptions, 'idempotency' | 'origin'>;

/**
 * Withdraws an intent while it is `queued`: it then has no effect, and its hold is given back. Cancelling what is
 * cancelled already returns it again.
 *
 * @throws AppError NOT_FOUND, CONFLICT once it is on its way or has a verdict, VALIDATION_ERROR for a reused key,
 *   RATE_LIMITED when too many changes wait.
 */
export async function cancelIntent(
  { db, followUps }: { db: Db; followUps: Pick<FollowUps, 'settled'> },
  owner: Owner,
  id: string,
  { idempotency, origin }: CancelOptions,
): Promise<Intent> {
  return changeAccount(db, owner.accountId, async (tx) => {
    const intent = await findIntent(tx, owner, id);
    if (!intent) throw new AppError('NOT_FOUND', 'No intent of yours has this id');
    if (idempotency && (await isRepeated(tx, owner, idempotency))) return intent;
    const cancelled = await withdraw(tx, followUps, intent);
    if (cancelled !== intent) {
      const entry = byAccount('write_cancelled', owner.accountId, origin, { kind: intent.kind });
      await recordAudit(tx, [{ ...entry, environment: owner.environment, intentId: id }]);
    }
    if (idempotency) {
      await insertRecords(tx, [{ ...owner, ...idempotency, intentNumber: intent.number, answer: null }]);
    }
    return cancelled;
  });
}

/**
 * Whether the same request was made under this key before. @throws AppError VALIDATION_ERROR when it was another one
 */
async function isRepeated(tx: Tx, owner: Owner, { key, requestHash }: Idempotency): Promise<boolean> {
  const [record] = await findRecords(tx, [{ ...owner, key }]);
  if (record && record.requestHash !== requestHash) throw keyReused();
  return record !== undefined;
}

async function withdraw(tx: Tx, followUps: Pick<FollowUps, 'settled'>, intent: Intent): Promise<Intent> {
  if (intent.status === 'cancelled') return intent;
  const cancelled = await cancelQueued(tx, intent.number);
  if (!cancelled) {
    // It was queued a moment ago; or it still is in a database that lacks its transaction.
    const status = intent.status === 'queued' ? 'on its way, or may be' : intent.status;
    throw new AppError('CONFLICT', `This intent is ${status}: only a queued one can be cancelled`);
  }
  // Whoever cancels knows it from the answer.
  await applyVerdicts(tx, followUps, [
    { intent: cancelled, outcome: 'cancelled', notifyAccount: false, gas: null },
  ]);
  return cancelled;
}
