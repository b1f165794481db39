import { byAccount, recordAudit } from '../../db/audit.ts';
import type { Db } from '../../db/client.ts';
import { AppError } from '../../errors.ts';
import { emailKey } from '../../lib/email.ts';
import type { NamedId } from '../../lib/named-id.ts';
import { hashCode } from './invite-code.ts';
import type { LoginThrottle } from './login-throttle.ts';
import type { NoteThrottled } from './note-throttled.ts';
import type { Passwords } from './password.ts';
import { assertGoodPassword } from './password-rules.ts';
import { idOf } from './sign-in.ts';
import type { CookieHash, Issued, Login, StartSession } from './sign-in.ts';
import { consumeInvite, findByEmail, insertAccount, isInviteOpen, spendTry } from './store.ts';
import type { Account } from './store.ts';

/**
 * @throws AppError VALIDATION_ERROR for a password that is guessed first, and for an unknown or used invite; CONFLICT
 * for a taken e-mail, which leaves the invite usable ten times; RATE_LIMITED.
 */
export type Register = (
  input: Login & { inviteCode: string; cookieHash: CookieHash },
) => Promise<{ account: Account; session: Issued }>;

export function createRegister({
  db,
  throttle,
  passwords,
  noteThrottled,
  startSession,
  namedId,
}: {
  db: Db;
  throttle: LoginThrottle;
  passwords: Passwords;
  noteThrottled: NoteThrottled;
  startSession: StartSession;
  namedId: NamedId;
}): Register {
  return async ({ email, password, inviteCode, network, origin, cookieHash }) => {
    assertGoodPassword(password, email, 'password');
    // Not for the account of this e-mail: who has no invite must not keep its owner from signing in.
    const trying = { accountId: null, network, origin, kind: 'registration' };
    await noteThrottled(trying, () => throttle.count(network));
    const codeHash = hashCode(inviteCode);
    // Without an invite there is no account, and no work: hashing a password is dear.
    if (!(await isInviteOpen(db, codeHash))) throw inviteRefused();
    if (await findByEmail(db, email)) throw await refuseTaken(db, codeHash);
    const passwordHash = await passwords.hash(password, { email, network });
    const registered = await db.transaction(async (tx) => {
      // In a database that takes the place of one that is gone, the owner of this e-mail is who it was.
      const id = namedId('account', emailKey(email));
      const account = await insertAccount(tx, { id, email, passwordHash });
      if (!account) return null;
      if (!(await consumeInvite(tx, codeHash, account.id))) throw inviteRefused();
      const session = await startSession(tx, account.id, cookieHash);
      await recordAudit(tx, [byAccount('registration', account.id, { ...origin, ...idOf(session) })]);
      return { account, session };
    });
    if (!registered) throw await refuseTaken(db, codeHash);
    return registered;
  };
}

/** A try of the invite is spent: else its code would tell of any number of e-mails whether they are taken. */
async function refuseTaken(db: Db, codeHash: Buffer): Promise<AppError> {
  if (!(await spendTry(db, codeHash))) return inviteRefused();
  return new AppError('CONFLICT', 'An account with this e-mail exists already');
}

function inviteRefused(): AppError {
  return new AppError('VALIDATION_ERROR', 'This invite code is unknown or was used');
}
