import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { query } from '../../src/db/client.ts';
import type { Db } from '../../src/db/client.ts';

/** Headers that carry a credential. */
export type Headers = Record<string, string>;

export const bearer = (secret: string): Headers => ({ Authorization: `Bearer ${secret}` });
export const cookie = (secret: string): Headers => ({ Cookie: `service_session=${secret}` });

/** The secret of the session that an answer set the cookie of; empty for none. */
export const issuedCookie = ({ headers }: { headers: Response['headers'] }): string =>
  /^service_session=([^;]*)/.exec(headers.getSetCookie()[0] ?? '')?.[1] ?? '';

export type CredentialKind = 'session' | 'access_token' | 'sandbox_token' | 'api_key';

export interface CredentialOptions {
  environment?: 'live' | 'sandbox';
  /** What became of it since. */
  state?: 'valid' | 'expired' | 'revoked';
}

/** A secret that looks like one of the service, and is unknown to it. */
export function inventSecret(kind: CredentialKind, environment: 'live' | 'sandbox' = 'live'): string {
  const prefixes = {
    session: 'mtc_',
    access_token: 'mta_',
    sandbox_token: 'mts_',
    api_key: environment === 'live' ? 'mtk_' : 'mts_',
  };
  return prefixes[kind] + randomBytes(18).toString('hex');
}

/** Makes a credential straight in the database, with no code of the service. */
export async function makeCredential(
  db: Db,
  accountId: string,
  kind: CredentialKind,
  { environment = 'live', state = 'valid' }: CredentialOptions = {},
): Promise<{ id: string; secret: string }> {
  const id = randomUUID();
  const secret = inventSecret(kind, environment);
  await query(
    db,
    `insert into credentials (id, account_id, kind, environment, secret_hash, name, key_prefix, expires_at, revoked_at)
     values (:id, :accountId, :kind, :environment, :secretHash, :name, :keyPrefix,
             now() + :lifetimeSeconds * interval '1 second', case when :isRevoked then now() end)`,
    {
      id,
      accountId,
      kind,
      environment,
      secretHash: createHash('sha256').update(secret).digest(),
      name: kind === 'api_key' ? 'key' : null,
      keyPrefix: kind === 'api_key' ? secret.slice(0, 12) : null,
      lifetimeSeconds: state === 'expired' ? -1 : 3_600,
      isRevoked: state === 'revoked',
    },
  );
  return { id, secret };
}
