import { randomUUID } from 'node:crypto';
import { createBatcher } from '../../db/batcher.ts';
import type { Db, Tx } from '../../db/client.ts';
import { createSecret, hashSecret } from './secret.ts';
import { findValid, insertCredential } from './store.ts';
import type { ValidCredential } from './store.ts';

/** A browser's session, 7 days. */
export const SESSION_SECONDS = 7 * 24 * 3_600;
/** The token API's access token, 12 hours. */
export const ACCESS_TOKEN_SECONDS = 12 * 3_600;

/**
 * Finds who a secret belongs to, by its hash. Requests that arrive together share one query; nothing is remembered,
 * so that a revoked credential is dead at once on every replica.
 */
export function createAuthenticate(db: Db): (secretHash: Buffer) => Promise<ValidCredential | null> {
  return createBatcher<Buffer, ValidCredential | null>(async (hashes) => {
    const found = await findValid(db, hashes);
    return hashes.map((hash) => found.get(hash.toString('hex')) ?? null);
  });
}

/** Makes a session of an account; the secret is answered here once and kept nowhere. */
export async function startSession(
  db: Db | Tx,
  accountId: string,
): Promise<{ value: string; maxAgeSeconds: number }> {
  const value = createSecret('mtc_');
  await issue(db, accountId, 'session', value, SESSION_SECONDS);
  return { value, maxAgeSeconds: SESSION_SECONDS };
}

/** Makes an access token for the token API; the secret is answered here once and kept nowhere. */
export async function issueAccessToken(db: Db | Tx, accountId: string): Promise<string> {
  const token = createSecret('mta_');
  await issue(db, accountId, 'access_token', token, ACCESS_TOKEN_SECONDS);
  return token;
}

async function issue(
  db: Db | Tx,
  accountId: string,
  kind: 'session' | 'access_token',
  secret: string,
  lifetimeSeconds: number,
): Promise<void> {
  await insertCredential(db, {
    id: randomUUID(),
    accountId,
    kind,
    environment: 'live',
    secretHash: hashSecret(secret),
    name: null,
    keyPrefix: null,
    lifetimeSeconds,
  });
}
