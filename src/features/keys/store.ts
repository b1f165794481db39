import { query } from '../../db/client.ts';
import type { Db, Tx } from '../../db/client.ts';
import { inSeconds, table } from '../../db/table.ts';
import type { Columns, Values } from '../../db/table.ts';
import type { Hex } from '../../lib/hex.ts';
import type { Environment, Owner } from '../../lib/owner.ts';
import { MAX_POSITION } from '../../lib/page.ts';
import type { Page } from '../../lib/page.ts';
import type { Plan } from '../../lib/plans.ts';

/** A valid credential with its account, as requests know it. */
export interface ValidCredential extends Owner {
  email: string;
  plan: Plan;
  credentialId: string;
  /** Of the session that a token belongs to, and ends with; null for all else. */
  sessionId: string | null;
  kind: 'session' | 'access_token' | 'sandbox_token' | 'api_key';
}

interface FoundCredential {
  credential: ValidCredential;
  /** The operator has suspended its account. */
  isSuspended: boolean;
}

/**
 * Finds credentials by their hashes in one query; expired and revoked ones are left out, and those of an ended session.
 */
export async function findValid(db: Db, hashes: readonly Buffer[]): Promise<Map<Hex, FoundCredential>> {
  const rows = await query<ValidCredential & { hash: Hex; stale: boolean; isSuspended: boolean }>(
    db,
    `select c.secret_hash as hash, c.account_id as "accountId", a.email, a.plan,
            c.id as "credentialId", c.session_id as "sessionId", c.kind, c.environment, a.suspended_at is not null as "isSuspended",
            c.last_used_at is null or c.last_used_at < now() - interval '1 minute' as stale
       from credentials c join accounts a on a.id = c.account_id
      where c.secret_hash = any(:hashes::bytea[]) and c.revoked_at is null
        and (c.expires_at is null or c.expires_at > now())
        and (c.session_id is null or exists (
              select 1 from credentials s where s.id = c.session_id and s.revoked_at is null and s.expires_at > now()))`,
    { hashes },
  );
  const stale = rows.filter((row) => row.stale).map(({ credentialId }) => credentialId);
  if (stale.length > 0) await touch(db, stale);
  return new Map(
    rows.map(({ hash, stale: _stale, isSuspended, ...credential }) => [hash, { credential, isSuspended }]),
  );
}

/** Last use, to the minute: finer would be a write with every request. */
async function touch(db: Db, ids: readonly string[]): Promise<void> {
  await query(
    db,
    `update credentials set last_used_at = now() where id in (
       select id from credentials where id = any(:ids::uuid[]) order by id for update skip locked)`,
    { ids },
  );
}

export interface NewCredential extends Owner {
  id: string;
  kind: ValidCredential['kind'];
  secretHash: Buffer;
  name: string | null;
  keyPrefix: string | null;
  /** Seconds from now, by the database's clock; null for a key without an end. */
  lifetimeSeconds: number | null;
}

/** Inserts a credential. Returns when it was made. */
export async function insertCredential(db: Db | Tx, credential: NewCredential): Promise<Date> {
  const [row] = await table(db, 'credentials')
    .insert({
      id: credential.id,
      account_id: credential.accountId,
      kind: credential.kind,
      environment: credential.environment,
      secret_hash: credential.secretHash,
      name: credential.name,
      key_prefix: credential.keyPrefix,
      expires_at: inSeconds(db, credential.lifetimeSeconds),
    })
    .returning(['created_at']);
  return row!.created_at;
}

/** A token that ends with the session which asked for it. */
export interface SessionToken extends Owner {
  id: string;
  sessionId: string;
  secretHash: Buffer;
  /** Seconds from now; the session may end earlier. */
  lifetimeSeconds: number;
}

/** Tokens that a session has at a time; each page that is loaded asks for one. */
const MAX_SESSION_TOKENS = 20;

/**
 * Inserts a token of a session, and deletes the oldest ones beyond MAX_SESSION_TOKENS. Returns when it ends at the
 * latest; undefined when the session has ended meanwhile. The caller holds the account's row, so that none is missed in
 * the count.
 */
export async function insertSessionToken(tx: Tx, token: SessionToken): Promise<Date | undefined> {
  const { accountId, sessionId } = token;
  await query(
    tx,
    `with own as (
       select id, row_number() over (order by revoked_at is null and expires_at > now() desc, number desc) as place
         from credentials
        where account_id = :accountId and kind in ('access_token', 'sandbox_token') and session_id = :sessionId
     )
     delete from credentials c using own where c.id = own.id and own.place >= ${MAX_SESSION_TOKENS}`,
    { accountId, sessionId },
  );
  const [row] = await query<{ expiresAt: Date }>(
    tx,
    `insert into credentials (id, account_id, kind, environment, secret_hash, session_id, expires_at)
     select :id, s.account_id, case when :environment = 'live' then 'access_token' else 'sandbox_token' end, :environment,
            :secretHash, s.id, least(s.expires_at, now() + :lifetimeSeconds::float8 * interval '1 second')
       from credentials s
      where s.id = :sessionId and s.account_id = :accountId and s.revoked_at is null and s.expires_at > now()
     returning expires_at as "expiresAt"`,
    { ...token },
  );
  return row?.expiresAt;
}

/** Revokes those that are not revoked. */
const revoke = (db: Db | Tx, which: Partial<Values<'credentials'>>) =>
  table(db, 'credentials')
    .where({ ...which, revoked_at: null })
    .update({ revoked_at: db.fn.now() });

/** Revokes a session or token; one that is revoked already stays as it is. */
export async function revokeCredential(db: Db | Tx, id: string): Promise<void> {
  await revoke(db, { id });
}

/** Gives a session another secret and a new lifetime. Returns whether it was still alive. */
export async function renewSession(
  tx: Tx,
  { id, secretHash, lifetimeSeconds }: Pick<NewCredential, 'id' | 'secretHash'> & { lifetimeSeconds: number },
): Promise<boolean> {
  const renewed = await table(tx, 'credentials')
    .where({ id, kind: 'session', revoked_at: null })
    .where('expires_at', '>', tx.fn.now())
    .update({ secret_hash: secretHash, expires_at: inSeconds(tx, lifetimeSeconds) });
  return renewed > 0;
}

/** Ends the session of this secret's hash, whosever it is: who presents it may end it. */
export async function endSession(tx: Tx, secretHash: Buffer): Promise<void> {
  await revoke(tx, { secret_hash: secretHash, kind: 'session' });
}

/** Ends every session and access token of the account but this one; all of them when none is named. */
export async function revokeOthers(
  tx: Tx,
  { accountId, credentialId }: { accountId: string; credentialId: string | null },
): Promise<void> {
  const others = table(tx, 'credentials')
    .where({ account_id: accountId, revoked_at: null })
    .where('kind', '<>', 'api_key');
  if (credentialId !== null) void others.where('id', '<>', credentialId);
  await others.update({ revoked_at: tx.fn.now() });
}

/** An API key as it may be shown. */
export interface ApiKey {
  id: string;
  /** Newer keys have larger ones. */
  number: bigint;
  name: string;
  environment: Environment;
  /** The first characters of the raw key. */
  keyPrefix: string;
  createdAt: Date;
  revokedAt: Date | null;
}

const KEY_COLUMNS: Columns<'credentials', ApiKey> = {
  id: 'id',
  number: 'number',
  name: 'name',
  environment: 'environment',
  keyPrefix: 'key_prefix',
  createdAt: 'created_at',
  revokedAt: 'revoked_at',
};

/** A page of an account's API keys, newest first. */
export async function listKeys(db: Db, accountId: string, page: Page): Promise<ApiKey[]> {
  return table(db, 'credentials')
    .where({ account_id: accountId, kind: 'api_key' })
    .where('number', '<', page.before ?? MAX_POSITION)
    .orderBy('number', 'desc')
    .limit(page.limit)
    .select<ApiKey>(KEY_COLUMNS);
}

/**
 * How many API keys of this environment work. The caller holds the account's row, so that nobody adds one meanwhile.
 */
export async function countLiveKeys(tx: Tx, owner: Owner): Promise<number> {
  const [row] = await query<{ count: number }>(
    tx,
    `select count(*)::int as count from credentials
      where account_id = :accountId and kind = 'api_key' and environment = :environment and revoked_at is null
        and (expires_at is null or expires_at > now())`,
    { ...owner },
  );
  return row!.count;
}

/** The API key of this id if the account owns it. */
export async function findKey(db: Db, accountId: string, id: string): Promise<ApiKey | undefined> {
  const [row] = await table(db, 'credentials')
    .where({ id, account_id: accountId, kind: 'api_key' })
    .select<ApiKey>(KEY_COLUMNS);
  return row;
}

/** The account of an API key. */
export async function findKeyOwner(db: Db, id: string): Promise<string | undefined> {
  const [row] = await table(db, 'credentials').where({ id, kind: 'api_key' }).select('account_id');
  return row?.account_id;
}

/** Revokes an API key; undefined when there is none to revoke. One guarded update: racers get one winner. */
export async function revokeKey(db: Tx, accountId: string, id: string): Promise<ApiKey | undefined> {
  const [row] = await revoke(db, { id, account_id: accountId, kind: 'api_key' }).returning<ApiKey>(
    KEY_COLUMNS,
  );
  return row;
}

/** Revokes every API key of the account, of both environments. */
export async function revokeKeys(tx: Tx, accountId: string): Promise<void> {
  await revoke(tx, { account_id: accountId, kind: 'api_key' });
}

/** Deletes up to `limit` sessions and access tokens that have expired. Returns how many there were. */
export async function deleteExpired(db: Db, limit: number): Promise<number> {
  const rows = await query(
    db,
    `delete from credentials where id = any(array(
       select id from credentials where kind <> 'api_key' and expires_at < now()
        order by expires_at limit :limit for update skip locked)) returning 1`,
    { limit },
  );
  return rows.length;
}
