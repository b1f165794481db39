import type { Migration } from '../migration.ts';

/**
 * The explorer's pages list what was done with a contract. Only settled intents have an entry: one that passes through
 * `queued` and `submitted` costs its acceptance and its dispatch nothing.
 */
export const settledByContract: Migration = {
  name: '003-settled-by-contract',
  up: `create index intents_settled on intents (contract, number)
         where status in ('confirmed', 'failed') and environment = 'live' and transaction_hash is not null`,
};
