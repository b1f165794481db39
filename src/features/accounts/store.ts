import { query } from '../../db/client.ts';
import type { Db, Tx } from '../../db/client.ts';
import { table } from '../../db/table.ts';
import type { Columns } from '../../db/table.ts';
import { EMAIL_KEY, emailKey } from '../../lib/email.ts';
import { toBytes } from '../../lib/hex.ts';
import type { Hex } from '../../lib/hex.ts';
import type { Plan } from '../../lib/plans.ts';

export interface Account {
  id: string;
  email: string;
  plan: Plan;
  /** Lower-case hex; null when unset. */
  walletAddress: Hex | null;
}

const COLUMNS: Columns<'accounts', Account> = {
  id: 'id',
  email: 'email',
  plan: 'plan',
  walletAddress: 'wallet_address',
};

/** Inserts an account; undefined when the e-mail is taken, in any case of its letters. */
export async function insertAccount(
  tx: Tx,
  account: { id: string; email: string; passwordHash: string },
): Promise<Account | undefined> {
  const [inserted] = await table(tx, 'accounts')
    .insert({ id: account.id, email: account.email, password_hash: account.passwordHash })
    .onConflict()
    .ignore()
    .returning<Account>(COLUMNS);
  return inserted;
}

/** Uses an invite up for this account; false when it is unknown or used. One guarded update: racers get one winner. */
export async function consumeInvite(tx: Tx, codeHash: Buffer, accountId: string): Promise<boolean> {
  const used = await table(tx, 'invites')
    .where({ code_hash: codeHash, used_by: null })
    .update({ used_by: accountId, used_at: tx.fn.now() });
  return used === 1;
}

/** Makes sure that invites exist; one that is known, used or not, stays as it is. */
export async function insertInvites(
  db: Db,
  invites: readonly { codeHash: Buffer; hint: string }[],
): Promise<void> {
  await query(
    db,
    `insert into invites (code_hash, hint) select * from unnest(:codeHashes::bytea[], :hints::text[])
     on conflict do nothing`,
    { codeHashes: invites.map(({ codeHash }) => codeHash), hints: invites.map(({ hint }) => hint) },
  );
}

/** An invite is good for so many registrations with an e-mail that is taken. */
const MAX_TRIES = 10;

const openInvite = (db: Db, codeHash: Buffer) =>
  table(db, 'invites').where({ code_hash: codeHash, used_by: null }).where('tries', '<', MAX_TRIES);

/** Whether a usable invite with this code exists. */
export async function isInviteOpen(db: Db, codeHash: Buffer): Promise<boolean> {
  const rows = await openInvite(db, codeHash).select('hint');
  return rows.length === 1;
}

/** Spends one of an invite's tries; false when there is none left. */
export async function spendTry(db: Db, codeHash: Buffer): Promise<boolean> {
  return (await openInvite(db, codeHash).update({ tries: db.raw('tries + 1') })) === 1;
}

/** The account of an e-mail, in any case of its letters, with what a sign-in needs. */
export async function findByEmail(
  db: Db,
  email: string,
): Promise<{ account: Account; passwordHash: string; isSuspended: boolean } | undefined> {
  const [row] = await table(db, 'accounts')
    .whereRaw(`${EMAIL_KEY} = :key`, { key: emailKey(email) })
    .select<Account & { passwordHash: string; suspendedAt: Date | null }>({
      ...COLUMNS,
      passwordHash: 'password_hash',
      suspendedAt: 'suspended_at',
    });
  if (!row) return undefined;
  const { passwordHash, suspendedAt, ...account } = row;
  return { account, passwordHash, isSuspended: suspendedAt !== null };
}

export async function findAccount(db: Db | Tx, id: string): Promise<Account | undefined> {
  const [account] = await table(db, 'accounts').where({ id }).select<Account>(COLUMNS);
  return account;
}

/** Sets or clears the wallet; the owner of tokens that are deployed from then on. */
export async function updateWallet(
  tx: Tx,
  id: string,
  walletAddress: Hex | null,
): Promise<Account | undefined> {
  const [account] = await table(tx, 'accounts')
    .where({ id })
    .update({ wallet_address: walletAddress && toBytes(walletAddress) })
    .returning<Account>(COLUMNS);
  return account;
}

/** The hash of an account's password. */
export async function findPasswordHash(db: Db, id: string): Promise<string | undefined> {
  const [row] = await table(db, 'accounts').where({ id }).select('password_hash');
  return row?.password_hash;
}

/** Whether the account still has this password's hash. The caller holds the account's row, so that it keeps it. */
export async function keepsPassword(tx: Tx, id: string, passwordHash: string): Promise<boolean> {
  const rows = await table(tx, 'accounts').where({ id, password_hash: passwordHash }).select('id');
  return rows.length === 1;
}

/** Replaces a password's hash; false when another one has replaced it already. */
export async function updatePassword(
  tx: Tx,
  id: string,
  { from, to }: { from: string; to: string },
): Promise<boolean> {
  return (await table(tx, 'accounts').where({ id, password_hash: from }).update({ password_hash: to })) === 1;
}

/** An account as the operator sees it. */
export interface ListedAccount {
  id: string;
  email: string;
  plan: Plan;
  createdAt: Date;
  /** Null when it is not suspended. */
  suspendedAt: Date | null;
}

const LISTED: Columns<'accounts', ListedAccount> = {
  id: 'id',
  email: 'email',
  plan: 'plan',
  createdAt: 'created_at',
  suspendedAt: 'suspended_at',
};

/** All accounts, oldest first. */
export async function listAccounts(db: Db): Promise<ListedAccount[]> {
  return table(db, 'accounts').orderBy('created_at').orderBy('id').select<ListedAccount>(LISTED);
}

/** Gives an account another plan. Returns the one that it had. */
export async function updatePlan(tx: Tx, id: string, plan: Plan): Promise<Plan | undefined> {
  const [row] = await table(tx, 'accounts').where({ id }).forNoKeyUpdate().select('plan');
  if (row) await table(tx, 'accounts').where({ id }).update({ plan });
  return row?.plan;
}

/** Suspends or resumes an account. Returns false when that is so already. */
export async function updateSuspension(tx: Tx, id: string, isSuspended: boolean): Promise<boolean> {
  const own = table(tx, 'accounts').where({ id });
  const changed = isSuspended
    ? own.where({ suspended_at: null }).update({ suspended_at: tx.fn.now() })
    : own.whereNotNull('suspended_at').update({ suspended_at: null });
  return (await changed) === 1;
}

/** Gives an account a day's gas of its own, or that of its plan (null). Returns what it had. */
export async function updateGasPerDay(
  db: Db,
  id: string,
  gasPerDay: number | null,
): Promise<{ before: number | null }> {
  const [row] = await query<{ before: bigint | null }>(
    db,
    `update accounts a set gas_per_day = :gasPerDay from (select id, gas_per_day from accounts where id = :id for no key update) o
      where a.id = o.id returning o.gas_per_day as before`,
    { id, gasPerDay },
  );
  return { before: row!.before === null ? null : Number(row!.before) };
}

/** Sets a password's hash, whatever it was. */
export async function replacePassword(tx: Tx, id: string, passwordHash: string): Promise<void> {
  await table(tx, 'accounts').where({ id }).update({ password_hash: passwordHash });
}

/** An invite as it may be shown: its code is not kept. */
export interface ListedInvite {
  /** The first characters of the code. */
  hint: string;
  createdAt: Date;
  /** E-mail of the account that used it. */
  usedBy: string | null;
  usedAt: Date | null;
  /** Registrations with it whose e-mail was taken. */
  tries: number;
}

/** All invites, oldest first. */
export async function listInvites(db: Db): Promise<ListedInvite[]> {
  return query<ListedInvite>(
    db,
    `select i.hint, i.created_at as "createdAt", a.email as "usedBy", i.used_at as "usedAt", i.tries
       from invites i left join accounts a on a.id = i.used_by order by i.created_at, i.hint`,
  );
}
