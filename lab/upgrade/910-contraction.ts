import type { Migration } from '../../src/db/migration.ts';

/** What the release after that may ask for: what only the one before it writes. */
export const contraction: readonly Migration[] = [
  {
    name: '910-contraction',
    needs: '900-next-release',
    table: 'intents',
    sql: `alter table intents alter column priority drop default`,
  },
];
