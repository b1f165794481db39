import { changeAccount } from '../../db/change-account.ts';
import type { Db, Tx } from '../../db/client.ts';
import type { Environment } from '../../lib/owner.ts';
import type { CredentialOf } from './change-password.ts';
import { sessionEnded } from './sign-in.ts';

/** A token of a session. Its secret is returned once. */
interface SessionToken {
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
 * Makes a token that ends with this session: an access token, or one that works like a sandbox key. It is no sign-in:
 * the audit log tells of what it does under the session.
 * @throws AppError UNAUTHORIZED when the session has ended meanwhile
 */
export type IssueToken = (session: CredentialOf, environment: Environment) => Promise<SessionToken>;

export function createIssueToken({
  db,
  issueSessionToken,
}: {
  db: Db;
  issueSessionToken: IssueSessionToken;
}): IssueToken {
  return (session, environment) =>
    changeAccount(
      db,
      session.accountId,
      async (tx) => (await issueSessionToken(tx, session, environment)) ?? sessionEnded(),
    );
}
