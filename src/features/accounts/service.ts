import { randomUUID } from 'node:crypto';
import { parseAddress } from '../../chain/address.ts';
import type { Db, Tx } from '../../db/client.ts';
import { answerOnce, findAnswer, insertAnswer } from '../../db/idempotency.ts';
import { AppError, accountSuspended } from '../../errors.ts';
import type { Hex } from '../../lib/hex.ts';
import type { Idempotency } from '../../lib/write-options.ts';
import { createChangePassword } from './change-password.ts';
import type { ChangePassword, CredentialOf } from './change-password.ts';
import { hashCode, keptInvite } from './invite-code.ts';
import type { LoginThrottle } from './login-throttle.ts';
import type { Passwords } from './password.ts';
import { assertGoodPassword } from './password-rules.ts';
import {
  consumeInvite,
  findAccount,
  findByEmail,
  insertAccount,
  insertInvites,
  isInviteOpen,
  keepsPassword,
  spendTry,
  updateWallet,
} from './store.ts';
import type { Account } from './store.ts';

export interface AccountService {
  /**
   * @throws AppError VALIDATION_ERROR for a password that is guessed first, and for an unknown or used invite; CONFLICT
   *   for a taken e-mail, which leaves the invite usable ten times; RATE_LIMITED.
   */
  register(input: {
    email: string;
    password: string;
    inviteCode: string;
    /** What the client's address is counted as. */
    network: string;
    cookieHash: CookieHash;
  }): Promise<{ account: Account; session: Session }>;
  /**
   * @throws AppError UNAUTHORIZED, the same for an unknown e-mail and a wrong password; RATE_LIMITED, likewise; FORBIDDEN
   *   with the password of a suspended account
   */
  logIn(credentials: Login & { cookieHash: CookieHash }): Promise<{ account: Account; session: Session }>;
  /** @throws AppError UNAUTHORIZED, likewise. */
  signIn(credentials: Login): Promise<{ account: Account; token: string }>;
  /** Ends the access token of this id at once. */
  signOut(credentialId: string): Promise<void>;
  /** Ends this session. */
  logOut(session: CredentialOf, idempotency: Idempotency | null): Promise<void>;
  changePassword: ChangePassword;
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

/** SHA-256 of the session cookie that a sign-in comes with. Its session ends: the browser keeps the new one alone. */
type CookieHash = Buffer | null;

export interface Session {
  value: string;
  maxAgeSeconds: number;
}

/** Handed over by the composition root: accounts do not know how credentials are made. */
export interface CredentialIssuers {
  startSession(db: Db | Tx, accountId: string): Promise<Session>;
  issueAccessToken(db: Db | Tx, accountId: string): Promise<string>;
  /** Ends the session of this secret's hash, if there is one. */
  endSession(tx: Tx, secretHash: Buffer): Promise<void>;
  revokeCredential(db: Db | Tx, id: string): Promise<void>;
  /** Ends every session and access token of the account but the one named. */
  revokeOthers(tx: Tx, credential: CredentialOf): Promise<void>;
  /** Revokes every API key of the account. */
  revokeKeys(tx: Tx, accountId: string): Promise<void>;
}

export function createAccountService({
  db,
  issuers,
  throttle,
  passwords,
  notifyWalletChange,
}: {
  db: Db;
  issuers: CredentialIssuers;
  throttle: LoginThrottle;
  passwords: Passwords;
  /** Handed over from the webhooks. */
  notifyWalletChange(tx: Tx, accountId: string, change: { from: Hex | null; to: Hex | null }): Promise<void>;
}): AccountService {
  const authenticate = createPasswordCheck(db, throttle, passwords);
  const replaceSession = async (tx: Tx, accountId: string, cookieHash: CookieHash): Promise<Session> => {
    if (cookieHash) await issuers.endSession(tx, cookieHash);
    return issuers.startSession(tx, accountId);
  };

  return {
    register: async ({ email, password, inviteCode, network, cookieHash }) => {
      assertGoodPassword(password, email, 'password');
      await throttle.count(email, network);
      const codeHash = hashCode(inviteCode);
      // Without an invite there is no account, and no work: hashing a password is dear.
      if (!(await isInviteOpen(db, codeHash))) throw inviteRefused();
      if (await findByEmail(db, email)) throw await refuseTaken(db, codeHash);
      const passwordHash = await passwords.hash(password, { email, network });
      const registered = await db.transaction(async (tx) => {
        const account = await insertAccount(tx, { id: randomUUID(), email, passwordHash });
        if (!account) return null;
        if (!(await consumeInvite(tx, codeHash, account.id))) throw inviteRefused();
        return { account, session: await replaceSession(tx, account.id, cookieHash) };
      });
      if (!registered) throw await refuseTaken(db, codeHash);
      return registered;
    },
    logIn: async ({ cookieHash, ...credentials }) => {
      const { account, issued } = await authenticate(credentials, (tx, accountId) =>
        replaceSession(tx, accountId, cookieHash),
      );
      return { account, session: issued };
    },
    signIn: async (credentials) => {
      const { account, issued } = await authenticate(credentials, issuers.issueAccessToken);
      return { account, token: issued };
    },
    signOut: (credentialId) => issuers.revokeCredential(db, credentialId),
    logOut: ({ accountId, credentialId }, idempotency) =>
      db.transaction(async (tx) => {
        const request = idempotency && { accountId, environment: 'live' as const, ...idempotency };
        // Another session's logout under the same key is the same request, but this session still has to end.
        const isNew = request && (await findAnswer(tx, request)) === undefined;
        if (isNew) await insertAnswer(tx, request, {});
        await issuers.revokeCredential(tx, credentialId);
      }),
    changePassword: createChangePassword({ db, throttle, passwords, ...issuers }),
    read: async (accountId) => (await findAccount(db, accountId)) ?? accountGone(),
    setWallet: async (accountId, walletAddress, idempotency) => {
      const address = walletAddress === null ? null : parseAddress(walletAddress, 'walletAddress');
      return answerOnce(db, { accountId, environment: 'live' }, idempotency, async (tx) => {
        const before = (await findAccount(tx, accountId)) ?? accountGone();
        const account = (await updateWallet(tx, accountId, address)) ?? accountGone();
        if (before.walletAddress !== address) {
          await notifyWalletChange(tx, accountId, { from: before.walletAddress, to: address });
        }
        return { answer: account };
      });
    },
    ensureInvites: (codes) => insertInvites(db, codes.map(keptInvite)),
  };
}

type Authenticate = <Issued>(
  login: Login,
  issue: (tx: Tx, accountId: string) => Promise<Issued>,
) => Promise<{ account: Account; issued: Issued }>;

/**
 * Lets `issue` make a credential for a caller who knows the password. The password is checked again in the same
 * transaction: a change of password ends every credential made with the old one, those under way too.
 */
function createPasswordCheck(db: Db, throttle: LoginThrottle, passwords: Passwords): Authenticate {
  return async ({ email, password, network }, issue) => {
    const found = await findByEmail(db, email);
    const counted = found?.account.email ?? email;
    await throttle.attempt(counted, network);
    const fits = await passwords.verify(found?.passwordHash, password, { email: counted, network });
    if (!fits || !found) throw invalidCredentials();
    await throttle.succeed(counted, network);
    if (found.isSuspended) throw accountSuspended();
    return db.transaction(async (tx) => {
      const { account, passwordHash } = found;
      if (!(await keepsPassword(tx, account.id, passwordHash))) throw invalidCredentials();
      return { account, issued: await issue(tx, account.id) };
    });
  };
}

function accountGone(): never {
  throw new AppError('NOT_FOUND', 'This account does not exist any more');
}

function invalidCredentials(): AppError {
  return new AppError('UNAUTHORIZED', 'Invalid credentials');
}

/** A try of the invite is spent: else its code would tell of any number of e-mails whether they are taken. */
async function refuseTaken(db: Db, codeHash: Buffer): Promise<AppError> {
  if (!(await spendTry(db, codeHash))) return inviteRefused();
  return new AppError('CONFLICT', 'An account with this e-mail exists already');
}

function inviteRefused(): AppError {
  return new AppError('VALIDATION_ERROR', 'This invite code is unknown or was used');
}
