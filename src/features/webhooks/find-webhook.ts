import type { Db, Tx } from '../../db/client.ts';
import { AppError } from '../../errors.ts';
import type { Owner } from '../../lib/owner.ts';
import { findWebhook } from './store.ts';
import type { Webhook } from './store.ts';

/** @throws AppError NOT_FOUND */
export async function findOwnWebhook(db: Db | Tx, owner: Owner, id: string): Promise<Webhook> {
  return (await findWebhook(db, owner, id)) ?? unknownWebhook();
}

/** @throws AppError NOT_FOUND, CONFLICT when the webhook is disabled */
export async function assertEnabled(tx: Tx, owner: Owner, id: string): Promise<void> {
  const { enabled } = await findOwnWebhook(tx, owner, id);
  if (!enabled) throw new AppError('CONFLICT', 'This webhook is disabled; enable it first');
}

export function unknownWebhook(): never {
  throw new AppError('NOT_FOUND', 'No webhook of yours has this id');
}
