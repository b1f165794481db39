import type { Migration } from '../migration.ts';

/** What the features keep: tokens, NFTs, balances and their ledger, idempotency records, webhooks, the audit log. */
export const features: Migration = {
  name: '003-features',
  up: `
    create table tokens (
      address bytea primary key check (octet_length(address) = 20),
      intent_number bigint not null unique references intents,
      account_id uuid not null references accounts,
      environment text not null check (environment in ('live', 'sandbox')),
      type text not null check (type in ('ERC20', 'ERC721')),
      name text not null check (octet_length(name) between 1 and 64),
      symbol text not null check (octet_length(symbol) between 1 and 16),
      decimals smallint check (decimals between 0 and 18),
      base_uri text check (octet_length(base_uri) <= 256),
      permissionless boolean not null,
      created_at timestamptz not null default now(),
      deployed_at timestamptz,
      check ((type = 'ERC20') = (decimals is not null)),
      check (base_uri is null or type = 'ERC721')
    );
    create index tokens_by_account on tokens (account_id, environment, intent_number desc);

    -- The NFTs that intents minted, as their receipts tell; in the sandbox, as they were accepted. Ids are sequential
    -- from 1, so the largest one counts them.
    create table nfts (
      contract bytea not null references tokens,
      token_id bigint not null check (token_id > 0),
      recipient bytea not null check (octet_length(recipient) = 20),
      intent_number bigint not null references intents,
      transaction_hash bytea check (octet_length(transaction_hash) = 32),
      created_at timestamptz not null default now(),
      primary key (contract, token_id)
    );
    create index nfts_by_intent on nfts (intent_number);

    -- The balance of one meter in one month, of gas in one day; provable from ledger_entries, which are never changed.
    create table balances (
      account_id uuid not null references accounts,
      meter text not null check (meter in ('mints', 'credits', 'gas')),
      period date not null,
      granted bigint not null check (granted >= 0),
      held bigint not null default 0 check (held >= 0),
      committed bigint not null default 0 check (committed >= 0),
      primary key (account_id, meter, period),
      check (meter = 'gas' or extract(day from period) = 1),
      -- What gas was used is known afterwards, so its limit refuses writes, and never what they came to: nothing is granted.
      check (case meter when 'gas' then granted = 0 else held + committed <= granted end)
    );
    -- Of no column that a write changes.
    create index balances_gas on balances (period) where meter = 'gas';

    create table ledger_entries (
      id bigint generated always as identity primary key,
      account_id uuid not null,
      meter text not null,
      period date not null,
      -- A hold is committed or released by its intent's verdict. A reorg that is deeper than final may undo both:
      -- \`retract\` makes a committed hold an open one again, \`recharge\` a released one. A hold of gas is an estimate: it
      -- is always released, and a \`charge\` says what was used; a \`refund\` takes that back.
      kind text not null
        check (kind in ('grant', 'hold', 'commit', 'release', 'retract', 'recharge', 'charge', 'refund')),
      amount bigint not null,
      -- How often the hold was opened before: 0 for itself and its first verdict; how often a charge was refunded before.
      round integer not null default 0 check (round >= 0),
      intent_number bigint references intents,
      -- What the plan left once the hold was taken; the caller was answered with it.
      remaining bigint check (remaining >= 0),
      created_at timestamptz not null default now(),
      foreign key (account_id, meter, period) references balances,
      check ((kind = 'hold') = (remaining is not null)),
      check ((kind = 'grant') = (intent_number is null)),
      check (kind = 'grant' or amount > 0),
      check (round = 0 or kind not in ('grant', 'hold')),
      check (round > 0 or kind not in ('retract', 'recharge')),
      check (kind not in ('charge', 'refund') or meter = 'gas'),
      check (kind not in ('grant', 'commit', 'retract') or meter <> 'gas')
    );
    -- An intent has one hold of a quota, and one of gas; of each round one end, one reopening, one charge and one refund.
    -- One index for all of it: each entry is in it once, and finds those of an intent that is to be deleted.
    create unique index ledger_one_of_each on ledger_entries (
      intent_number, (meter = 'gas'), round,
      (case when kind in ('commit', 'release') then 'end' when kind in ('retract', 'recharge') then 'reopening' else kind end)
    ) where intent_number is not null;
    create index ledger_by_account on ledger_entries (account_id, meter, period, id);

    -- Only accepted requests are here. With an intent the answer is rendered from it; else it is kept.
    create table idempotency_records (
      account_id uuid not null references accounts,
      environment text not null check (environment in ('live', 'sandbox')),
      key text not null check (octet_length(key) between 1 and 255),
      request_hash bytea not null check (octet_length(request_hash) = 32),
      intent_number bigint references intents,
      answer jsonb,
      created_at timestamptz not null default now(),
      primary key (account_id, environment, key),
      check ((intent_number is null) <> (answer is null))
    );
    create index idempotency_records_by_age on idempotency_records (created_at);
    create index idempotency_records_by_intent on idempotency_records (intent_number) where intent_number is not null;

    -- Webhooks: who is notified of verdicts, and every message to them with what became of it. The jobs that deliver
    -- them are in a schema of their own, which belongs to graphile-worker.
    create table webhooks (
      id uuid primary key,
      number bigint not null generated always as identity,
      account_id uuid not null references accounts,
      environment text not null check (environment in ('live', 'sandbox')),
      url text not null check (octet_length(url) between 1 and 2048),
      events text[] not null check (cardinality(events) > 0),
      enabled boolean not null default true,
      -- Why the service disabled it; null when nobody did, or its account itself.
      disabled_reason text check (disabled_reason in ('GONE', 'FAILING')),
      -- Encrypted with a key that the database does not have. The previous one still signs until its time is over.
      secret bytea,
      previous_secret bytea,
      previous_secret_until timestamptz,
      -- Since when every attempt has failed.
      failing_since timestamptz,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      -- Its deliveries outlive it until they are old enough to go.
      deleted_at timestamptz,
      check (disabled_reason is null or not enabled),
      check ((previous_secret is null) = (previous_secret_until is null)),
      check ((secret is null) = (deleted_at is not null)),
      check (deleted_at is null or not enabled)
    );
    create index webhooks_by_account on webhooks (account_id, environment, number desc) where deleted_at is null;
    create index webhooks_deleted on webhooks (deleted_at) where deleted_at is not null;

    -- One message to one webhook. \`id\` is its webhook-id, the same at each attempt and replay.
    create table webhook_deliveries (
      number bigint generated always as identity primary key,
      id uuid not null unique,
      webhook_id uuid not null references webhooks,
      event text not null,
      intent_id uuid,
      payload text not null,
      status text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
      -- Since it was made, or asked for again.
      attempts integer not null default 0 check (attempts >= 0),
      response_status smallint,
      error text,
      next_attempt_at timestamptz,
      attempted_at timestamptz,
      created_at timestamptz not null default now(),
      check ((status = 'pending') = (next_attempt_at is not null))
    );
    create index webhook_deliveries_by_webhook on webhook_deliveries (webhook_id, number desc);
    create index webhook_deliveries_by_age on webhook_deliveries (created_at);
    -- A scrape looks at the messages that wait, beside millions that do not.
    create index webhook_deliveries_waiting on webhook_deliveries (created_at) where status = 'pending';

    -- Every change by a person, a key or the operator. Rows are only ever added, in the transaction of what they tell
    -- of, and know nothing of each other, so that no write waits for another's.
    create table audit_entries (
      number bigint generated always as identity primary key,
      created_at timestamptz not null default now(),
      actor text not null check (actor in ('account', 'operator', 'stranger')),
      -- No foreign keys: what is told of stays told, and a check for each would cost each write.
      account_id uuid,
      credential_id uuid,
      address text,
      user_agent text,
      action text not null,
      environment text check (environment in ('live', 'sandbox')),
      intent_id uuid,
      details jsonb not null
    );
    create index audit_entries_by_account on audit_entries (account_id, number desc) where account_id is not null;
    -- Few rows beside the writes; a scrape counts the newest of them.
    create index audit_entries_without_intent on audit_entries (created_at) where intent_id is null;

    -- The chain of hashes, which one job at a time makes, in the order of numbers: SHA-256 of the hash before and of the
    -- digest of the entry.
    create table audit_seals (
      number bigint primary key,
      hash bytea not null check (octet_length(hash) = 32)
    );

    -- One row: the end of the chain. Who holds it, seals.
    create table audit_head (
      only_row boolean primary key default true check (only_row),
      number bigint not null,
      hash bytea not null check (octet_length(hash) = 32)
    );
    insert into audit_head (number, hash) values (0, decode(repeat('00', 32), 'hex'));

    create function refuse_audit_change() returns trigger language plpgsql as $$
      begin
        raise exception 'the audit log is append-only';
      end
    $$;
    create trigger audit_entries_append_only before update or delete or truncate on audit_entries
      for each statement execute function refuse_audit_change();
    create trigger audit_seals_append_only before update or delete or truncate on audit_seals
      for each statement execute function refuse_audit_change();
  `,
};
