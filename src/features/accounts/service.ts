import { createHash, randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { parseAddress } from '../../chain/address.ts';
import type { Db, Tx } from '../../db/client.ts';
import { query } from '../../db/client.ts';
import { findRecords, insertRecords } from '../../db/idempotency.ts';
import { AppError } from '../../errors.ts';
import type { LoginThrottle } from './login-throttle.ts';
import { hashPassword, verifyPassword } from './password.ts';
import {
  consumeInvite,
  findAccount,
  findByEmail,
  insertAccount,
  insertInvites,
  isInviteOpen,
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

interface Idempotency {
  key: string;
  requestHash: Buffer;
}

/** Handed over by the composition root: accounts do not know how credentials are made. */
export interface CredentialIssuers {
  startSession(db: Db | Tx, accountId: string): Promise<Session>;
  issueAccessToken(db: Db | Tx, accountId: string): Promise<string>;
  revokeCredential(db: Db | Tx, id: string): Promise<void>;
}

const hashCode = (code: string): Buffer => createHash('sha256').update(code).digest();
/** What a list of invites may show of a code: a quarter at most, so that a short one is not given away. */
const hintOf = (code: string): string => `${code.slice(0, Math.min(4, code.length >> 2))}…`;

export function createAccountService(
  db: Db,
  issuers: CredentialIssuers,
  throttle: LoginThrottle,
): AccountService {
  const authenticate = async ({ email, password, network }: Login): Promise<Account> => {
    const found = await findByEmail(db, email);
    const counted = found?.account.email ?? email;
    await throttle.attempt(counted, network);
    if (!(await verifyPassword(found?.passwordHash, password)) || !found) {
      throw new AppError('UNAUTHORIZED', 'Invalid credentials');
    }
    await throttle.succeed(counted, network);
    return found.account;
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
      const account = await authenticate(credentials);
      return { account, session: await issuers.startSession(db, account.id) };
    },
    signIn: async (credentials) => {
      const account = await authenticate(credentials);
      return { account, token: await issuers.issueAccessToken(db, account.id) };
    },
    signOut: (credentialId) => issuers.revokeCredential(db, credentialId),
    read: async (accountId) => {
      const account = await findAccount(db, accountId);
      if (!account) throw new AppError('NOT_FOUND', 'This account does not exist any more');
      return account;
    },
    setWallet: async (accountId, walletAddress, idempotency) => {
      const address = walletAddress === null ? null : parseAddress(walletAddress, 'walletAddress');
      return db.transaction(async (tx) => {
        await query(tx, 'select 1 from accounts where id = ? for no key update', [accountId]);
        const replayed = idempotency && (await findReplay(tx, accountId, idempotency));
        if (replayed) return replayed;
        const account = await updateWallet(tx, accountId, address);
        if (!account) throw new AppError('NOT_FOUND', 'This account does not exist any more');
        if (idempotency) {
          const record = { accountId, environment: 'live' as const, ...idempotency, intentNumber: null };
          await insertRecords(tx, [{ ...record, answer: account }]);
        }
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

const inviteRefused = (): AppError =>
  new AppError('VALIDATION_ERROR', 'This invite code is unknown or was used');

async function findReplay(
  tx: Tx,
  accountId: string,
  { key, requestHash }: Idempotency,
): Promise<Account | undefined> {
  const [record] = await findRecords(tx, [{ accountId, environment: 'live', key }]);
  if (!record) return undefined;
  if (isDeepStrictEqual(record.requestHash, requestHash)) return record.answer as Account;
  throw new AppError('VALIDATION_ERROR', 'This Idempotency-Key was used for another request; send a new key');
}
