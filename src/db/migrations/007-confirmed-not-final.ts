import type { Migration } from '../migration.ts';

/**
 * What a reorg may still take back is looked for by contract. With CONFIRMATIONS=1 nothing is ever in this state, so
 * that the index is empty and costs nothing.
 */
export const confirmedNotFinal: Migration = {
  name: '007-confirmed-not-final',
  up: `create index intents_not_final on intents (contract) where status = 'confirmed' and final_at is null`,
};
