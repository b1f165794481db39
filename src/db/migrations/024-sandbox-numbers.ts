import type { Migration } from '../migration.ts';

/**
 * Writes of the sandbox have numbers of their own, above all that the chain may know: however many there are, the numbers of live
 * writes go on without a gap.
 */
export const sandboxNumbers: Migration = {
  name: '024-sandbox-numbers',
  steps: [
    {
      // 2^62
      sql: 'create sequence sandbox_intents_number_seq as bigint minvalue 4611686018427387904 no cycle',
    },
  ],
};
