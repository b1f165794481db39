import type { Migration } from '../migration.ts';

/** Tokens that a session asks for, and that end with it. */
export const sessionTokens: Migration = {
  name: '009-session-tokens',
  steps: [
    {
      table: 'credentials',
      // No foreign key: a token is worth nothing without its session, and both are deleted once they have expired.
      sql: `alter table credentials
              add column session_id uuid,
              drop constraint credentials_kind_check,
              drop constraint credentials_check1,
              add constraint credentials_kind_check
                check (kind in ('session', 'access_token', 'sandbox_token', 'api_key')) not valid,
              add constraint credentials_check1
                check (kind = 'api_key' or (expires_at is not null and (environment = 'sandbox') = (kind = 'sandbox_token'))) not valid,
              add constraint credentials_session_id_check
                check (session_id is null or kind in ('access_token', 'sandbox_token')) not valid`,
    },
  ],
};
