import { createHash, randomUUID } from 'node:crypto';
import { parseAddress } from '../../chain/address.ts';
import type { Db, Tx } from '../../db/client.ts';
import { findAnswer, insertRecords, keyReused } from '../../db/idempotency.ts';
import { AppError } from '../../errors.ts';
import type { LoginThrottle } from './login-throttle.ts';
import { hashPassword, verifyPassword } from './password.ts';
import {
  consumeInvite,
  findAccount,
  findByEmail,
  findPasswordHash,
  insertAccount,
  insertInvites,
  isInviteOpen,
  keepsPassword,
  updatePassword,
  updateWallet,
} from './store.ts';
import type { Account } from './store.ts';

export type { Account };

export interface AccountService {
  /**
   * @throws AppError VALIDATION_ERROR for an unknown or used invite, CONFLICT for a taken e-mail, and then the invite
   *   is not used up.
   */
  register(input: {
    email: string;
    password: string;
    inviteCode: string;
  }): Promise<{ account: Account; session: Session }>;
  /** @throws AppError UNAUTHORIZED, the same for an unknown e-mail and a wrong password; RATE_LIMITED, likewise. */
  logIn(credentials: Login): Promise<{ account: Account; session: Session }>;
  /** @throws AppError UNAUTHORIZED, likewise. */
  signIn(credentials: Login): Promise<{ account: Account; token: string }>;
  /** Ends the access token of this id at once. */
  signOut(credentialId: string): Promise<void>;
  /** Ends this session. */
  logOut(session: CredentialOf, idempotency: Idempotency | null): Promise<void>;
  /**
   * Replaces the password and ends every other session and every access token; API keys go on.
   * @throws AppError UNAUTHORIZED when the current password is wrong; RATE_LIMITED, as for a login.
   */
  changePassword(
    session: CredentialOf & { email: string },
    passwords: { currentPassword: string; newPassword: string; network: string },
    idempotency: Idempotency | null,
  ): Promise<void>;
  read(accountId: string): Promise<Account>;
  /** @throws AppError VALIDATION_ERROR for an address that is none, or for a reused Idempotency-Key. */
  setWallet(
    accountId: string,
    walletAddress: string | null,
    idempotency: Idempotency | null,
  ): Promise<Account>;
  /** Makes sure that these invite codes exist; each is good for one account. */
  ensureInvites(codes: readonly string[]): Promise<void>;
}

export interface Login {
  email: string;
  password: string;
  /** What the client's address is counted as. */
  network: string;
}

export interface Session {
  value: string;
  maxAgeSeconds: number;
}

/** A credential and whose it is. */
export interface CredentialOf {
  accountId: string;
  credentialId: string;
}

interface Idempotency {
  key: string;
  requestHash: Buffer;
}

/** Handed over by the composition root: accounts do not know how credentials are made. */
export interface CredentialIssuers {
  startSession(db: Db | Tx, accountId: string): Promise<Session>;
  issueAccessToken(db: Db | Tx, accountId: string): Promise<string>;
  revokeCredential(db: Db | Tx, id: string): Promise<void>;
  /** Ends every session and access token of the account but the one named. */
  revokeOthers(tx: Tx, credential: CredentialOf): Promise<void>;
}

/** What an invite is kept as. */
export const hashCode = (code: string): Buffer => createHash('sha256').update(code).digest();
/**
 * What a change of password is recorded as. A hash of the whole request would be a fast hash of both passwords; whether
 * a repeated request is the same one, its new password tells.
 */
const PASSWORD_CHANGE = createHash('sha256').update('changePassword').digest();
/** What a list of invites may show of a code: a quarter at most, so that a short one is not given away. */
export const hintOf = (code: string): string => `${code.slice(0, Math.min(4, code.length >> 2))}…`;

export function createAccountService(
  db: Db,
  issuers: CredentialIssuers,
  throttle: LoginThrottle,
): AccountService {
  /**
   * Lets `issue` make a credential for whoever knows the password. It is looked at again in the same transaction: a
   * change of password ends every credential that the old one made, those under way too.
   */
  const authenticate = async <Issued>(
    { email, password, network }: Login,
    issue: (tx: Tx, accountId: string) => Promise<Issued>,
  ): Promise<{ account: Account; issued: Issued }> => {
    const found = await findByEmail(db, email);
    const counted = found?.account.email ?? email;
    await throttle.attempt(counted, network);
    if (!(await verifyPassword(found?.passwordHash, password)) || !found) throw invalidCredentials();
    await throttle.succeed(counted, network);
    return db.transaction(async (tx) => {
      const { account, passwordHash } = found;
      if (!(await keepsPassword(tx, account.id, passwordHash))) throw invalidCredentials();
      return { account, issued: await issue(tx, account.id) };
    });
  };

  return {
    register: async ({ email, password, inviteCode }) => {
      const codeHash = hashCode(inviteCode);
      // Without an invite there is no account, and no work: hashing a password is dear.
      if (!(await isInviteOpen(db, codeHash))) throw inviteRefused();
      const passwordHash = await hashPassword(password);
      return db.transaction(async (tx) => {
        const account = await insertAccount(tx, { id: randomUUID(), email, passwordHash });
        if (!account) throw new AppError('CONFLICT', 'An account with this e-mail exists already');
        if (!(await consumeInvite(tx, codeHash, account.id))) throw inviteRefused();
        return { account, session: await issuers.startSession(tx, account.id) };
      });
    },
    logIn: async (credentials) => {
      const { account, issued } = await authenticate(credentials, issuers.startSession);
      return { account, session: issued };
    },
    signIn: async (credentials) => {
      const { account, issued } = await authenticate(credentials, issuers.issueAccessToken);
      return { account, token: issued };
    },
    signOut: (credentialId) => issuers.revokeCredential(db, credentialId),
    logOut: ({ accountId, credentialId }, idempotency) =>
      db.transaction(async (tx) => {
        const record = idempotency && { accountId, environment: 'live' as const, ...idempotency };
        // Another session's logout under the same key is the same request, but this session still has to end.
        const isNew = record && (await findAnswer(tx, record)) === undefined;
        if (isNew) await insertRecords(tx, [{ ...record, intentNumber: null, answer: {} }]);
        await issuers.revokeCredential(tx, credentialId);
      }),
    changePassword: async (session, { currentPassword, newPassword, network }, idempotency) => {
      const { accountId, email } = session;
      await throttle.attempt(email, network);
      const record = idempotency && {
        accountId,
        environment: 'live' as const,
        key: idempotency.key,
        requestHash: PASSWORD_CHANGE,
      };
      const passwordHash = await findPasswordHash(db, accountId);
      if (record && (await db.transaction((tx) => findAnswer(tx, record))) !== undefined) {
        if (!(await verifyPassword(passwordHash, newPassword))) throw keyReused();
        return throttle.succeed(email, network);
      }
      if (!passwordHash || !(await verifyPassword(passwordHash, currentPassword))) throw wrongPassword();
      await throttle.succeed(email, network);
      const newHash = await hashPassword(newPassword);
      await db.transaction(async (tx) => {
        if (record && (await findAnswer(tx, record)) !== undefined) {
          const message = 'Another request with this Idempotency-Key is still being accepted; send it again';
          throw new AppError('CONFLICT', message, { retryAfterSeconds: 1 });
        }
        const changed = await updatePassword(tx, accountId, { from: passwordHash, to: newHash });
        if (!changed) throw wrongPassword();
        await issuers.revokeOthers(tx, session);
        if (record) await insertRecords(tx, [{ ...record, intentNumber: null, answer: {} }]);
      });
    },
    read: async (accountId) => {
      const account = await findAccount(db, accountId);
      if (!account) throw new AppError('NOT_FOUND', 'This account does not exist any more');
      return account;
    },
    setWallet: async (accountId, walletAddress, idempotency) => {
      const address = walletAddress === null ? null : parseAddress(walletAddress, 'walletAddress');
      return db.transaction(async (tx) => {
        const record = idempotency && { accountId, environment: 'live' as const, ...idempotency };
        const replayed = record && (await findAnswer(tx, record));
        if (replayed) return replayed as Account;
        const account = await updateWallet(tx, accountId, address);
        if (!account) throw new AppError('NOT_FOUND', 'This account does not exist any more');
        if (record) await insertRecords(tx, [{ ...record, intentNumber: null, answer: account }]);
        return account;
      });
    },
    ensureInvites: (codes) =>
      insertInvites(
        db,
        codes.map((code) => ({ codeHash: hashCode(code), hint: hintOf(code) })),
      ),
  };
}

const invalidCredentials = (): AppError => new AppError('UNAUTHORIZED', 'Invalid credentials');

const inviteRefused = (): AppError =>
  new AppError('VALIDATION_ERROR', 'This invite code is unknown or was used');

const wrongPassword = (): AppError => new AppError('UNAUTHORIZED', 'The current password is wrong');
