import { byAccount, recordAudit } from '../../db/audit.ts';
import { changeAccount } from '../../db/change-account.ts';
import type { Db, Tx } from '../../db/client.ts';
import { AppError, accountSuspended } from '../../errors.ts';
import type { Origin } from '../../lib/write-options.ts';
import type { LoginThrottle } from './login-throttle.ts';
import type { NoteThrottled } from './note-throttled.ts';
import type { Passwords } from './password.ts';
import { findByEmail, keepsPassword } from './store.ts';
import type { Account } from './store.ts';

export interface Login {
  email: string;
  password: string;
  /** What the client's address is counted as. */
  network: string;
  origin: Origin;
}

/** SHA-256 of the session cookie that a sign-in comes with. Its session ends: the browser keeps the new one alone. */
export type CookieHash = Buffer | null;

/** A session or an access token that was made for an account. */
export interface Issued {
  credentialId: string;
  secret: string;
  lifetimeSeconds: number;
}

/** Makes a session, and ends the one that it replaces. */
export type StartSession = (tx: Tx, accountId: string, cookieHash: CookieHash) => Promise<Issued>;

/** The credential that a sign-in made, for its entry in the audit log: its writes are found by it. */
export const idOf = ({ credentialId }: Pick<Issued, 'credentialId'>): Pick<Origin, 'credentialId'> => ({
  credentialId,
});

type Authenticate = (
  kind: 'session' | 'access_token',
  login: Login,
  issue: (tx: Tx, accountId: string) => Promise<Issued>,
) => Promise<{ account: Account; issued: Issued }>;

/**
 * Lets `issue` make a credential for a caller who knows the password. The password is checked again in the same
 * transaction: a change of password ends every credential made with the old one, those under way too.
 */
export function createAuthenticate({
  db,
  throttle,
  passwords,
  noteThrottled,
}: {
  db: Db;
  throttle: LoginThrottle;
  passwords: Passwords;
  noteThrottled: NoteThrottled;
}): Authenticate {
  const refuse = async (kind: string, accountId: string | null, origin: Origin): Promise<void> =>
    recordAudit(db, [{ action: 'sign_in_failed', actor: 'stranger', accountId, origin, details: { kind } }]);
  return async (kind, { email, password, network, origin }, issue) => {
    const found = await findByEmail(db, email);
    const accountId = found?.account.id ?? null;
    const by = { email: found?.account.email ?? email, network };
    const fits = await noteThrottled({ accountId, network, origin, kind }, () =>
      throttle.attempt(by, () => passwords.verify(found?.passwordHash, password, by)),
    );
    if (!fits || !found || found.isSuspended) await refuse(kind, accountId, origin);
    if (!fits || !found) throw invalidCredentials();
    if (found.isSuspended) throw accountSuspended();
    const { account, passwordHash } = found;
    return changeAccount(db, account.id, async (tx) => {
      if (!(await keepsPassword(tx, account.id, passwordHash))) throw invalidCredentials();
      const issued = await issue(tx, account.id);
      await recordAudit(tx, [byAccount('sign_in', account.id, { ...origin, ...idOf(issued) }, { kind })]);
      return { account, issued };
    });
  };
}

function invalidCredentials(): AppError {
  return new AppError('UNAUTHORIZED', 'Invalid credentials');
}

export function sessionEnded(): never {
  throw new AppError('UNAUTHORIZED', 'This session has ended. Sign in again.');
}
