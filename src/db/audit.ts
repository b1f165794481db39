import type { Environment } from '../lib/owner.ts';
import type { Origin } from '../lib/write-options.ts';
import type { Db, Tx } from './client.ts';
import { query } from './client.ts';

/** What the audit log tells of. */
export type AuditAction =
  | 'registration'
  | 'sign_in'
  | 'sign_in_failed'
  | 'sign_out'
  | 'password_changed'
  | 'password_change_failed'
  | 'password_throttled'
  | 'password_reset'
  | 'wallet_changed'
  | 'plan_changed'
  | 'account_suspended'
  | 'account_resumed'
  | 'key_created'
  | 'key_revoked'
  | 'webhook_created'
  | 'webhook_updated'
  | 'webhook_deleted'
  | 'webhook_secret_rotated'
  | 'webhook_tested'
  | 'webhook_delivery_replayed'
  | 'write'
  | 'write_cancelled'
  | 'admin_command'
  | 'audit_closed';

/** Who did it: the account itself, the operator of the service, or somebody who did not get in. */
export type AuditActor = 'account' | 'operator' | 'stranger';

export interface AuditEntry {
  action: AuditAction;
  actor: AuditActor;
  /** The account that it concerns; null for none, or an unknown one. */
  accountId: string | null;
  /** Null for the operator, who works beside the API. */
  origin: Origin | null;
  /** Of what was changed; null when it belongs to neither. */
  environment?: Environment;
  intentId?: string;
  /** No secret, and nothing that a stranger typed. */
  details?: Record<string, unknown>;
}

/** Something that an account did. */
export function byAccount(
  action: AuditAction,
  accountId: string,
  origin: Origin,
  details: Record<string, unknown> = {},
): AuditEntry {
  return { action, actor: 'account', accountId, origin, details };
}

/**
 * Appends to the audit log, in the transaction of what it tells of, so that neither is without the other. No row waits
 * for another: a job links them into a chain of hashes afterwards.
 */
export async function recordAudit(db: Db | Tx, entries: readonly AuditEntry[]): Promise<void> {
  if (entries.length === 0) return;
  await query(
    db,
    `insert into audit_entries (actor, account_id, credential_id, address, user_agent, action, environment, intent_id, details)
     select * from unnest(:actors::text[], :accountIds::uuid[], :credentialIds::uuid[], :addresses::text[],
                          :userAgents::text[], :actions::text[], :environments::text[], :intentIds::uuid[],
                          :details::jsonb[])`,
    {
      actors: entries.map(({ actor }) => actor),
      accountIds: entries.map(({ accountId }) => accountId),
      credentialIds: entries.map(({ origin }) => origin?.credentialId ?? null),
      addresses: entries.map(({ origin }) => origin?.address ?? null),
      userAgents: entries.map(({ origin }) => origin?.userAgent ?? null),
      actions: entries.map(({ action }) => action),
      environments: entries.map(({ environment }) => environment ?? null),
      intentIds: entries.map(({ intentId }) => intentId ?? null),
      details: entries.map(({ details }) => JSON.stringify(details ?? {})),
    },
  );
}

/** Numbers from one multiple of it to the next are a block. A row of several entries has those of one block. */
export const AUDIT_BLOCK = 64;

/**
 * SQL that does so for accepted writes in the statement that inserts them: rows of `requests`. Those that differ in
 * nothing but their intents share a row. Their numbers are given out account by account, in the order of their place.
 */
export const recordWrites = (requests: string): string =>
  `insert into audit_entries (number, actor, account_id, credential_id, address, user_agent, action, environment, intent_id, details,
                              numbers, intent_ids)
   overriding system value
   select ids.numbers[ids.count], 'account', account_id, credential_id, address, user_agent, 'write', environment,
          ids.intents[ids.count], jsonb_build_object('kind', kind),
          case when ids.count > 1 then ids.numbers end, case when ids.count > 1 then ids.intents end
     from (
       select account_id, credential_id, address, user_agent, environment, kind, count(*)::int as count,
              array_agg(number order by number) as numbers, array_agg(id order by number) as intents
         from (select o.*, nextval('audit_entries_number_seq') as number
                 from (select * from ${requests} order by account_id, place) o) n
        group by account_id, credential_id, address, user_agent, environment, kind, number / ${AUDIT_BLOCK}
     ) ids`;
