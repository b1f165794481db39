import { createHash } from 'node:crypto';
import { byAccount, recordAudit } from '../../db/audit.ts';
import { changeAccount } from '../../db/change-account.ts';
import type { Db, Tx } from '../../db/client.ts';
import { findAnswer, insertAnswer, keyReused } from '../../db/idempotency.ts';
import { AppError } from '../../errors.ts';
import { toHex } from '../../lib/hex.ts';
import type { Hex } from '../../lib/hex.ts';
import type { WriteOptions } from '../../lib/write-options.ts';
import type { LoginThrottle } from './login-throttle.ts';
import type { NoteThrottled } from './note-throttled.ts';
import type { Passwords } from './password.ts';
import { assertGoodPassword } from './password-rules.ts';
import { sessionEnded } from './sign-in.ts';
import type { Issued } from './sign-in.ts';
import { findPasswordHash, updatePassword } from './store.ts';

/** A credential and its account. */
export interface CredentialOf {
  accountId: string;
  credentialId: string;
}

/**
 * Replaces the password and ends every other session and every access token, and with `revokeKeys` every API key. The
 * session gets another cookie, at a replay too: a thief may have the present one.
 * @throws AppError VALIDATION_ERROR for a password that is guessed first; UNAUTHORIZED when the current one is wrong;
 *   RATE_LIMITED, as for a login.
 */
export type ChangePassword = (
  session: CredentialOf & { email: string },
  change: {
    currentPassword: string;
    newPassword: string;
    revokeKeys?: boolean | undefined;
    network: string;
  },
  write: Pick<WriteOptions, 'idempotency' | 'origin'>,
) => Promise<Issued>;

/**
 * The request hash of every change of password: one of the whole request would be a fast hash of both passwords.
 * Whether a repeated request is the same one is seen from its new password.
 */
const requestHash = (revokesKeys: boolean): Hex =>
  toHex(
    createHash('sha256')
      .update(revokesKeys ? 'changePassword revokeKeys' : 'changePassword')
      .digest(),
  );

export function createChangePassword({
  db,
  throttle,
  passwords,
  noteThrottled,
  revokeOthers,
  revokeKeys,
  renewSession,
}: {
  db: Db;
  throttle: LoginThrottle;
  passwords: Passwords;
  noteThrottled: NoteThrottled;
  /** Ends every session and access token of the account but the one named. */
  revokeOthers(tx: Tx, credential: CredentialOf): Promise<void>;
  /** Revokes every API key of the account. */
  revokeKeys(tx: Tx, accountId: string): Promise<void>;
  /** Gives a session another cookie; undefined when it has ended. */
  renewSession(tx: Tx, credentialId: string): Promise<Issued | undefined>;
}): ChangePassword {
  const renew = async (tx: Tx, { credentialId }: CredentialOf): Promise<Issued> =>
    (await renewSession(tx, credentialId)) ?? sessionEnded();

  return async (
    session,
    { currentPassword, newPassword, revokeKeys: isThorough = false, network },
    { idempotency, origin },
  ) => {
    const { accountId, email } = session;
    assertGoodPassword(newPassword, email, 'newPassword');
    const request = idempotency && {
      accountId,
      environment: 'live' as const,
      key: idempotency.key,
      requestHash: requestHash(isThorough),
    };
    const passwordHash = await findPasswordHash(db, accountId);
    const isRepeated =
      request && (await changeAccount(db, accountId, (tx) => findAnswer(tx, request))) !== undefined;
    const tried = isRepeated ? newPassword : currentPassword;
    const by = { email, network };
    const fits = await noteThrottled({ accountId, network, origin, kind: 'password_change' }, () =>
      throttle.attempt(by, () => passwords.verify(passwordHash, tried, by)),
    );
    if (isRepeated && !fits) throw keyReused();
    if (isRepeated) return changeAccount(db, accountId, (tx) => renew(tx, session));
    if (!passwordHash || !fits) {
      await recordAudit(db, [byAccount('password_change_failed', accountId, origin)]);
      throw wrongPassword();
    }
    const newHash = await passwords.hash(newPassword, by);
    return changeAccount(db, accountId, async (tx) => {
      if (request && (await findAnswer(tx, request)) !== undefined) {
        const message = 'Another request with this Idempotency-Key is still being accepted; send it again';
        throw new AppError('CONFLICT', message, { retryAfterSeconds: 1 });
      }
      const changed = await updatePassword(tx, accountId, { from: passwordHash, to: newHash });
      if (!changed) throw wrongPassword();
      const renewed = await renew(tx, session);
      await revokeOthers(tx, session);
      if (isThorough) await revokeKeys(tx, accountId);
      const details = { revokeKeys: isThorough };
      await recordAudit(tx, [byAccount('password_changed', accountId, origin, details)]);
      if (request) await insertAnswer(tx, request, {});
      return renewed;
    });
  };
}

function wrongPassword(): AppError {
  return new AppError('UNAUTHORIZED', 'The current password is wrong');
}
