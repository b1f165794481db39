import { query } from '../../db/client.ts';
import type { Db } from '../../db/client.ts';
import { findRecords, insertRecords } from '../../db/idempotency.ts';
import { AppError } from '../../errors.ts';
import type { Idempotency, Intent, IntentOwner } from '../intent.ts';
import { tellVerdicts } from '../settle/receipt.ts';
import type { Effects } from '../ports.ts';
import { findIntent } from '../store/intents.ts';
import { cancelQueued } from '../store/verdicts.ts';

/**
 * Withdraws an intent while it is `queued`: it then has no effect, and its hold is given back. Cancelling what is
 * cancelled already answers it again.
 *
 * @throws AppError NOT_FOUND, CONFLICT once it is on its way or has a verdict, VALIDATION_ERROR for a reused key.
 */
export async function cancelIntent(
  db: Db,
  settle: Effects['settled'],
  owner: IntentOwner,
  id: string,
  idempotency: Idempotency | null,
): Promise<Intent> {
  return db.transaction(async (tx) => {
    await query(tx, 'select 1 from accounts where id = ? for no key update', [owner.accountId]);
    const intent = await findIntent(tx, owner, id);
    if (!intent) throw new AppError('NOT_FOUND', 'No intent of yours has this id');
    if (idempotency) {
      const [record] = await findRecords(tx, [{ ...owner, key: idempotency.key }]);
      if (record?.requestHash.equals(idempotency.requestHash)) return intent;
      if (record) {
        throw new AppError(
          'VALIDATION_ERROR',
          'This Idempotency-Key was used for another request; send a new key',
        );
      }
    }
    const cancelled = await cancelQueued(tx, intent.number);
    // Whoever cancels knows it from the answer.
    if (cancelled)
      await tellVerdicts(tx, settle, [{ intent: cancelled, outcome: 'cancelled', notifyAccount: false }]);
    else if (intent.status !== 'cancelled') {
      // It was queued a moment ago; or it still is in a restored backup, though the chain has done it.
      const status = intent.status === 'queued' ? 'submitted' : intent.status;
      throw new AppError('CONFLICT', `This intent is ${status}: only a queued one can be cancelled`);
    }
    if (idempotency) {
      await insertRecords(tx, [{ ...owner, ...idempotency, intentNumber: intent.number, answer: null }]);
    }
    return cancelled ?? intent;
  });
}
