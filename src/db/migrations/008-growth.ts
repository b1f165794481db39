import type { Migration } from '../migration.ts';

/** What keeps the database small: archives of what is finished, and how rows are stored. */
export const growth: Migration = {
  name: '008-growth',
  up: `
    -- Files that finished intents were moved into, oldest first.
    create table archives (
      id bigint generated always as identity primary key,
      -- What is in it was final before that.
      before timestamptz not null,
      -- On the machine of whoever ran the command.
      file text not null,
      sha256 bytea not null check (octet_length(sha256) = 32),
      -- Of the largest number in it. Intents up to it may be missing here, and are not lost.
      last_number bigint not null check (last_number >= 0),
      intents bigint not null check (intents >= 0),
      transactions bigint not null check (transactions >= 0),
      written_at timestamptz not null default now(),
      -- Null while rows of it may be here still.
      deleted_at timestamptz
    );
    -- One after the other.
    create unique index archives_pending on archives ((true)) where deleted_at is null;

    -- What the ledgers of archived intents had committed, for each balance: with it and the entries that are left a
    -- balance is provable. Their holds were all ended, so that of these nothing is left.
    create table ledger_closings (
      account_id uuid not null,
      meter text not null,
      period date not null,
      committed bigint not null check (committed >= 0),
      -- Of how many entries it is the sum.
      entries bigint not null check (entries > 0),
      primary key (account_id, meter, period),
      foreign key (account_id, meter, period) references balances
    );

    -- The list of what was minted stays when its intents are archived; the number then names one of the archive.
    alter table nfts drop constraint nfts_intent_number_fkey;

    -- Nothing reads the ledger by account: balances have their sums.
    drop index ledger_by_account;
    -- The explorer reads what was done with a contract by \`intents_by_contract\`, as the owner's lists do.
    drop index intents_settled;

    -- An archive deletes a small share of them at a time, whose room is free for new rows once it is vacuumed. The default
    -- waits until a fifth of all is dead.
    alter table ledger_entries set (autovacuum_vacuum_scale_factor = 0.02);
    alter table transaction_intents set (autovacuum_vacuum_scale_factor = 0.02);
    alter table transactions set (autovacuum_vacuum_scale_factor = 0.02);
    alter table attempts set (autovacuum_vacuum_scale_factor = 0.02);
  `,
};
