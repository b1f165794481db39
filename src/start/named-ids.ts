import { createHmac } from 'node:crypto';
import type { Db } from '../db/client.ts';
import { readIdSecret } from '../engine/index.ts';
import { createNamedId } from '../lib/named-id.ts';
import type { NamedId } from '../lib/named-id.ts';

/**
 * Names accounts and intents. By the key of webhooks, where there is one, they have the same ids in a database that
 * takes the place of one that is gone; else by a secret of the database, in its copies.
 */
export async function openNamedIds(db: Db, webhookKeys: readonly Buffer[]): Promise<NamedId> {
  const [key] = webhookKeys;
  const secret = key ? createHmac('sha256', key).update('ids').digest() : await readIdSecret(db);
  return createNamedId(secret);
}
