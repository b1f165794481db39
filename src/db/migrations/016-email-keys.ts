import type { Migration } from '../migration.ts';

/**
 * E-mails are compared without the case of their ASCII letters, by a rule that no locale of the database changes: in a Turkish one
 * `lower('INFO')` is not `info`, so that two accounts could have one e-mail.
 *
 * It belongs to the first release, so that no release before it has to run beside: processes of older commits refuse.
 */
export const emailKeys: Migration = {
  name: '016-email-keys',
  needs: '016-email-keys',
  steps: [
    {
      index: 'accounts_email_key',
      sql: 'create unique index concurrently accounts_email_key on accounts (lower(email collate "C"))',
    },
    { dropped: 'accounts_email' },
  ],
};
