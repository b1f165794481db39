import type { OnlineMigration } from '../../src/db/migration.ts';

/** What the release after that may ask for: what only the one before it writes. */
export const contraction: OnlineMigration = {
  name: '901-contraction',
  needs: '900-next-release',
  steps: [{ table: 'intents', sql: `alter table intents alter column priority drop default` }],
};
