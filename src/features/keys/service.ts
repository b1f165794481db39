import { randomUUID } from 'node:crypto';
import { createBatcher } from '../../lib/batcher.ts';
import type { Db, Tx } from '../../db/client.ts';
import { byAccount, recordAudit } from '../../db/audit.ts';
import { changeAccount } from '../../db/change-account.ts';
import { answerOnce } from '../../db/idempotency.ts';
import { AppError, accountSuspended } from '../../errors.ts';
import { toHex } from '../../lib/hex.ts';
import type { Environment } from '../../lib/owner.ts';
import type { Page } from '../../lib/page.ts';
import type { Origin, WriteOptions } from '../../lib/write-options.ts';
import { createSecret, hashSecret } from './secret.ts';
import {
  countLiveKeys,
  findKey,
  findValid,
  insertCredential,
  insertSessionToken,
  listKeys,
  renewSession as storeRenewed,
  revokeKey,
} from './store.ts';
import type { ApiKey, NewCredential, ValidCredential } from './store.ts';

/** A browser's session, 7 days. */
const SESSION_SECONDS = 7 * 24 * 3_600;
/** The token API's access token, 12 hours. */
const ACCESS_TOKEN_SECONDS = 12 * 3_600;

/**
 * Finds who a secret belongs to, by its hash. Requests that arrive together share one query; nothing is cached,
 * so that a revoked credential is refused at once on every replica, and so is one of a suspended account (FORBIDDEN).
 */
export function createAuthenticate(db: Db): (secretHash: Buffer) => Promise<ValidCredential | null> {
  return createBatcher<Buffer, ValidCredential | null>(async (hashes) => {
    const names = hashes.map(toHex);
    const distinct = new Map(names.map((name, index) => [name, hashes[index]!]));
    const found = await findValid(db, [...distinct.values()]);
    return names.map((name) => {
      const { credential = null, isSuspended = false } = found.get(name) ?? {};
      return isSuspended ? accountSuspended() : credential;
    });
  });
}

/** A session or an access token. Its secret is returned once and kept nowhere. */
export interface Issued {
  credentialId: string;
  secret: string;
  lifetimeSeconds: number;
}

/** Makes a session of an account. */
export function startSession(db: Db | Tx, accountId: string): Promise<Issued> {
  return issue(db, accountId, 'session', createSecret('mtc_'), SESSION_SECONDS);
}

/**
 * Gives a session another cookie, and its whole lifetime again: a copy of the former one ends. Resolves to undefined
 * when the session has ended.
 */
export async function renewSession(tx: Tx, id: string): Promise<Issued | undefined> {
  const secret = createSecret('mtc_');
  const renewed = { id, secretHash: hashSecret(secret), lifetimeSeconds: SESSION_SECONDS };
  if (!(await storeRenewed(tx, renewed))) return undefined;
  return { credentialId: id, secret, lifetimeSeconds: SESSION_SECONDS };
}

/** Makes an access token for the token API. */
export function issueAccessToken(db: Db | Tx, accountId: string): Promise<Issued> {
  return issue(db, accountId, 'access_token', createSecret('mta_'), ACCESS_TOKEN_SECONDS);
}

/** A token that ends with the session it was asked for with. Its secret is returned once and kept nowhere. */
interface SessionTokenIssued {
  credentialId: string;
  secret: string;
  expiresAt: Date;
}

/** Makes an access token of a session, or one that works like a sandbox key; undefined when the session has ended. */
export async function issueSessionToken(
  tx: Tx,
  session: { accountId: string; credentialId: string },
  environment: Environment,
): Promise<SessionTokenIssued | undefined> {
  const id = randomUUID();
  const secret = createSecret(environment === 'live' ? 'mta_' : 'mts_');
  const expiresAt = await insertSessionToken(tx, {
    id,
    accountId: session.accountId,
    environment,
    sessionId: session.credentialId,
    secretHash: hashSecret(secret),
    lifetimeSeconds: ACCESS_TOKEN_SECONDS,
  });
  return expiresAt && { credentialId: id, secret, expiresAt };
}

async function issue(
  db: Db | Tx,
  accountId: string,
  kind: NewCredential['kind'],
  secret: string,
  lifetimeSeconds: number,
): Promise<Issued> {
  const id = randomUUID();
  await insertCredential(db, {
    id,
    accountId,
    kind,
    environment: 'live',
    secretHash: hashSecret(secret),
    name: null,
    keyPrefix: null,
    lifetimeSeconds,
  });
  return { credentialId: id, secret, lifetimeSeconds };
}

/** A key as its creation returns it, and keeps it for a replay: without the raw key. */
export interface CreatedKey {
  id: string;
  name: string;
  environment: Environment;
  keyPrefix: string;
  /** ISO 8601. */
  createdAt: string;
}

export interface KeyService {
  /**
   * Makes an API key without an end. `key`, the raw one, is returned here and nowhere else: a replay has none.
   * @throws AppError VALIDATION_ERROR for a reused Idempotency-Key, CONFLICT when there are too many.
   */
  create(
    accountId: string,
    request: { name: string; environment: Environment },
    write: Pick<WriteOptions, 'idempotency' | 'origin'>,
  ): Promise<CreatedKey & { key?: string }>;
  /** A page of own keys, newest first, revoked ones too. */
  list(accountId: string, page: Page): Promise<ApiKey[]>;
  /** The key stops working at once. @throws AppError NOT_FOUND, CONFLICT when it is revoked already. */
  revoke(accountId: string, id: string, by: RevokedBy): Promise<ApiKey>;
}

/** Its account from somewhere, or the operator. */
type RevokedBy = { actor: 'account'; origin: Origin } | { actor: 'operator'; origin: null };

/** Characters of a raw key that are kept and shown: its prefix and eight of its thirty random ones. */
const SHOWN_LENGTH = 12;

/** Keys of an account that are not revoked, in each environment. */
const MAX_KEYS = 20;

export function createKeyService(db: Db): KeyService {
  return {
    create: (accountId, { name, environment }, { idempotency, origin }) =>
      // Keys are made with the cookie, which is live, whatever the environment of the key.
      answerOnce(db, { accountId, environment: 'live' }, idempotency, async (tx) => {
        if ((await countLiveKeys(tx, { accountId, environment })) >= MAX_KEYS) {
          throw new AppError(
            'CONFLICT',
            `There are ${MAX_KEYS} ${environment} keys already; revoke one first`,
          );
        }
        const key = createSecret(environment === 'live' ? 'mtk_' : 'mts_');
        const created = { id: randomUUID(), name, environment, keyPrefix: key.slice(0, SHOWN_LENGTH) };
        const createdAt = await insertCredential(tx, {
          ...created,
          accountId,
          kind: 'api_key',
          secretHash: hashSecret(key),
          lifetimeSeconds: null,
        });
        const details = { id: created.id, name, keyPrefix: created.keyPrefix };
        await recordAudit(tx, [{ ...byAccount('key_created', accountId, origin, details), environment }]);
        const answer: CreatedKey = { ...created, createdAt: createdAt.toISOString() };
        return { answer, shown: { key } };
      }),
    list: (accountId, page) => listKeys(db, accountId, page),
    revoke: async (accountId, id, by) => {
      const revoked = await changeAccount(db, accountId, async (tx) => {
        const key = await revokeKey(tx, accountId, id);
        if (!key) return undefined;
        const { name, keyPrefix, environment } = key;
        const details = { id, name, keyPrefix };
        await recordAudit(tx, [{ action: 'key_revoked', accountId, ...by, environment, details }]);
        return key;
      });
      if (revoked) return revoked;
      if (await findKey(db, accountId, id)) {
        throw new AppError('CONFLICT', 'This API key is already revoked');
      }
      throw new AppError('NOT_FOUND', 'There is no API key with this id');
    },
  };
}
