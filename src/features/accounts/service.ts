import { parseAddress } from '../../chain/address.ts';
import { byAccount, recordAudit } from '../../db/audit.ts';
import { changeAccount } from '../../db/change-account.ts';
import type { Db, Tx } from '../../db/client.ts';
import { answerOnce, findAnswer, insertAnswer } from '../../db/idempotency.ts';
import { AppError } from '../../errors.ts';
import type { Hex } from '../../lib/hex.ts';
import type { NamedId } from '../../lib/named-id.ts';
import type { Origin, WriteOptions } from '../../lib/write-options.ts';
import { createChangePassword } from './change-password.ts';
import type { ChangePassword, CredentialOf } from './change-password.ts';
import { keptInvite } from './invite-code.ts';
import type { LoginThrottle } from './login-throttle.ts';
import type { Passwords } from './password.ts';
import { createIssueToken } from './issue-token.ts';
import type { IssueSessionToken, IssueToken } from './issue-token.ts';
import { createNoteThrottled } from './note-throttled.ts';
import { createRegister } from './register.ts';
import type { Register } from './register.ts';
import { createAuthenticate } from './sign-in.ts';
import type { CookieHash, Issued, Login, StartSession } from './sign-in.ts';
import { findAccount, insertInvites, updateWallet } from './store.ts';
import type { Account } from './store.ts';

export interface AccountService {
  register: Register;
  /**
   * @throws AppError UNAUTHORIZED, the same for an unknown e-mail and a wrong password; RATE_LIMITED, likewise;
   * FORBIDDEN with the password of a suspended account
   */
  logIn(credentials: Login & { cookieHash: CookieHash }): Promise<{ account: Account; session: Issued }>;
  /** @throws AppError UNAUTHORIZED, likewise. */
  signIn(credentials: Login): Promise<{ account: Account; token: string }>;
  issueToken: IssueToken;
  /** Ends this access token at once. */
  signOut(token: CredentialOf, origin: Origin): Promise<void>;
  /** Ends this session. */
  logOut(session: CredentialOf, write: AccountWrite): Promise<void>;
  changePassword: ChangePassword;
  read(accountId: string): Promise<Account>;
  /** @throws AppError VALIDATION_ERROR for an address that is none, or for a reused Idempotency-Key. */
  setWallet(accountId: string, walletAddress: string | null, write: AccountWrite): Promise<Account>;
  /** Makes sure that these invite codes exist; each is good for one account. */
  ensureInvites(codes: readonly string[]): Promise<void>;
}

type AccountWrite = Pick<WriteOptions, 'idempotency' | 'origin'>;

/** Handed over by the composition root: accounts do not know how credentials are made. */
interface CredentialIssuers {
  startSession(tx: Tx, accountId: string): Promise<Issued>;
  issueAccessToken(tx: Tx, accountId: string): Promise<Issued>;
  issueSessionToken: IssueSessionToken;
  /** Gives a session another cookie; undefined when it has ended. */
  renewSession(tx: Tx, credentialId: string): Promise<Issued | undefined>;
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
  namedId,
  issuers,
  throttle,
  passwords,
  notifyWalletChange,
}: {
  db: Db;
  namedId: NamedId;
  issuers: CredentialIssuers;
  throttle: LoginThrottle;
  passwords: Passwords;
  /** Handed over from the webhooks. */
  notifyWalletChange(tx: Tx, accountId: string, change: { from: Hex | null; to: Hex | null }): Promise<void>;
}): AccountService {
  const tries = { db, throttle, passwords, noteThrottled: createNoteThrottled(db) };
  const authenticate = createAuthenticate(tries);
  const startSession: StartSession = async (tx, accountId, cookieHash) => {
    if (cookieHash) await issuers.endSession(tx, cookieHash);
    return issuers.startSession(tx, accountId);
  };

  return {
    register: createRegister({ ...tries, startSession, namedId }),
    logIn: async ({ cookieHash, ...credentials }) => {
      const { account, issued } = await authenticate('session', credentials, (tx, accountId) =>
        startSession(tx, accountId, cookieHash),
      );
      return { account, session: issued };
    },
    signIn: async (credentials) => {
      const { account, issued } = await authenticate('access_token', credentials, issuers.issueAccessToken);
      return { account, token: issued.secret };
    },
    issueToken: createIssueToken({ db, ...issuers }),
    signOut: ({ accountId, credentialId }, origin) =>
      changeAccount(db, accountId, async (tx) => {
        await issuers.revokeCredential(tx, credentialId);
        await recordAudit(tx, [byAccount('sign_out', accountId, origin)]);
      }),
    logOut: ({ accountId, credentialId }, { idempotency, origin }) =>
      changeAccount(db, accountId, async (tx) => {
        const request = idempotency && { accountId, environment: 'live' as const, ...idempotency };
        // Another session's logout under the same key is the same request, but this session still has to end.
        const isNew = request && (await findAnswer(tx, request)) === undefined;
        if (isNew) await insertAnswer(tx, request, {});
        await issuers.revokeCredential(tx, credentialId);
        await recordAudit(tx, [byAccount('sign_out', accountId, origin)]);
      }),
    changePassword: createChangePassword({ ...tries, ...issuers }),
    read: async (accountId) => (await findAccount(db, accountId)) ?? accountGone(),
    setWallet: async (accountId, walletAddress, { idempotency, origin }) => {
      const address = walletAddress === null ? null : parseAddress(walletAddress, 'walletAddress');
      return answerOnce(db, { accountId, environment: 'live' }, idempotency, async (tx) => {
        const before = (await findAccount(tx, accountId)) ?? accountGone();
        const account = (await updateWallet(tx, accountId, address)) ?? accountGone();
        if (before.walletAddress !== address) {
          const change = { from: before.walletAddress, to: address };
          await notifyWalletChange(tx, accountId, change);
          await recordAudit(tx, [byAccount('wallet_changed', accountId, origin, change)]);
        }
        return { answer: account };
      });
    },
    ensureInvites: (codes) => insertInvites(db, codes.map(keptInvite)),
  };
}

function accountGone(): never {
  throw new AppError('NOT_FOUND', 'This account does not exist any more');
}
