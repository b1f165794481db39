import { byAccount, recordAudit } from '../../db/audit.ts';
import type { AuditAction } from '../../db/audit.ts';
import type { Tx } from '../../db/client.ts';
import type { Owner } from '../../lib/owner.ts';
import type { Origin, WriteOptions } from '../../lib/write-options.ts';

/** What of a write webhooks need: nothing of it waits for the chain. */
export type WebhookWrite = Pick<WriteOptions, 'idempotency' | 'origin'>;

/**
 * Appends to the audit log what was done with a webhook. Its URL may hold a secret of its account: only the id is kept.
 */
export async function recordWebhook(
  tx: Tx,
  action: AuditAction,
  { owner, id, origin }: { owner: Owner; id: string; origin: Origin },
): Promise<void> {
  const { accountId, environment } = owner;
  await recordAudit(tx, [{ ...byAccount(action, accountId, origin, { id }), environment }]);
}
