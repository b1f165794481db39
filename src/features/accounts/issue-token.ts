import { byAccount, recordAudit } from '../../db/audit.ts';
import type { Db, Tx } from '../../db/client.ts';
import { AppError } from '../../errors.ts';
import type { Environment } from '../../lib/owner.ts';
import type { Origin } from '../../lib/write-options.ts';
import type { CredentialOf } from './change-password.ts';
import { idOf } from './sign-in.ts';

/** A token of a session. Its secret is returned once. */
interface SessionToken {
  credentialId: string;
  secret: string;
  /** When it ends at the latest. */
  expiresAt: Date;
}

/** Makes the credential; resolves to undefined when the session has ended. */
export type IssueSessionToken = (
  tx: Tx,
  session: CredentialOf,
  environment: Environment,
) => Promise<SessionToken | undefined>;

/**
 * Makes a token that ends with this session: an access token, or one that works like a sandbox key.
 * @throws AppError UNAUTHORIZED when the session has ended meanwhile
 */
export type IssueToken = (
  session: CredentialOf,
  environment: Environment,
  origin: Origin,
) => Promise<SessionToken>;

export function createIssueToken({
  db,
  issueSessionToken,
}: {
  db: Db;
  issueSessionToken: IssueSessionToken;
}): IssueToken {
  return (session, environment, origin) =>
    db.transaction(async (tx) => {
      const token = await issueSessionToken(tx, session, environment);
      if (!token) throw new AppError('UNAUTHORIZED', 'This session has ended. Sign in again.');
      const kind = environment === 'live' ? 'access_token' : 'sandbox_token';
      const by = { ...origin, ...idOf(token) };
      await recordAudit(tx, [byAccount('sign_in', session.accountId, by, { kind })]);
      return token;
    });
}
