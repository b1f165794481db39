import type { Migration } from '../migration.ts';

/**
 * The whole schema of the first release. What the code promises is also a constraint here, so that a second
 * replica, an operator's psql or a mistake of ours is refused by the database and not found by a user.
 */
export const initial: Migration = {
  name: '001-initial',
  up: `
    -- One row: the chain that this database belongs to. Another chain behind RPC_URL stops the start.
    create table chain (
      only_row boolean primary key default true check (only_row),
      chain_id bigint not null,
      genesis_hash bytea not null check (octet_length(genesis_hash) = 32),
      operator bytea not null check (octet_length(operator) = 20),
      -- The Operator's epoch when it was looked at last; new intents belong to it. It never goes back.
      epoch bigint not null default 1 check (epoch > 0)
    );

    create table accounts (
      id uuid primary key,
      email text not null,
      password_hash text not null,
      plan text not null default 'BASIC' check (plan in ('BASIC', 'PRO', 'PRO_PLUS')),
      wallet_address bytea check (octet_length(wallet_address) = 20),
      created_at timestamptz not null default now(),
      -- True while the account has a webhook, in whatever environment: only then does a verdict of the account cost a
      -- statement of its own.
      is_watched boolean not null default false
    );
    create unique index accounts_email on accounts (lower(email));

    create table invites (
      code_hash bytea primary key check (octet_length(code_hash) = 32),
      hint text not null,
      created_at timestamptz not null default now(),
      used_by uuid unique references accounts,
      used_at timestamptz,
      check ((used_by is null) = (used_at is null))
    );

    -- Sessions, access tokens and API keys are one mechanism: a random secret of which only the hash is kept.
    -- \`number\` orders them by age for paging.
    create table credentials (
      id uuid primary key,
      number bigint not null generated always as identity,
      account_id uuid not null references accounts,
      kind text not null check (kind in ('session', 'access_token', 'api_key')),
      environment text not null default 'live' check (environment in ('live', 'sandbox')),
      secret_hash bytea not null unique check (octet_length(secret_hash) = 32),
      name text,
      key_prefix text,
      created_at timestamptz not null default now(),
      expires_at timestamptz,
      revoked_at timestamptz,
      last_used_at timestamptz,
      check ((kind = 'api_key') = (name is not null and key_prefix is not null)),
      check (kind = 'api_key' or (environment = 'live' and expires_at is not null))
    );
    create index credentials_by_account on credentials (account_id, kind, number desc);
    -- What is cleaned up is found without reading what stays.
    create index credentials_by_expiry on credentials (expires_at) where kind <> 'api_key';

    -- Wrong passwords by hash of the account's e-mail and of the address. The limiter that writes here counts time in
    -- milliseconds of its own, in a number that arrives as one (a bigint would not).
    create table login_attempts (
      key text primary key,
      points integer not null,
      expire double precision
    );
    create index login_attempts_by_age on login_attempts (expire);

    -- What was asked. \`number\` is its bit in the bitmap of its Operator and epoch: the chain itself refuses to do it
    -- twice. Both are fixed at acceptance, for the same number elsewhere would be a second effect.
    create table intents (
      number bigint generated always as identity primary key,
      id uuid not null unique,
      account_id uuid not null references accounts,
      environment text not null check (environment in ('live', 'sandbox')),
      kind text not null,
      contract bytea not null check (octet_length(contract) = 20),
      target bytea check (octet_length(target) = 20),
      calldata bytea,
      operator bytea check (octet_length(operator) = 20),
      epoch bigint,
      arguments jsonb not null default '{}',
      gas_estimate integer not null default 0 check (gas_estimate between 0 and 16777216),
      full_gas boolean not null default false,
      batch_limit integer not null default 1000 check (batch_limit > 0),
      lone_failures smallint not null default 0,
      status text not null check (status in ('queued', 'submitted', 'confirmed', 'failed', 'cancelled')),
      transaction_hash bytea check (octet_length(transaction_hash) = 32),
      result bytea,
      error_code text,
      error_message text,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      final_at timestamptz,
      -- Open here, and done on the chain when the service started: of its transaction a restored backup may know nothing.
      seen_done boolean not null default false,
      check ((target is null) = (calldata is null)),
      check ((target is null) = (operator is null)),
      check ((operator is null) = (epoch is null)),
      check (status not in ('queued', 'submitted') or target is not null),
      check ((status = 'failed') = (error_code is not null)),
      check ((error_code is null) = (error_message is null)),
      check (status <> 'submitted' or transaction_hash is not null),
      check (status not in ('failed', 'cancelled') or final_at is not null),
      check (final_at is null or status in ('confirmed', 'failed', 'cancelled')),
      check (environment = 'live' or status in ('confirmed', 'failed'))
    ) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
    create index intents_queued on intents (account_id, number) where status = 'queued';
    create index intents_open on intents (contract, number) where status in ('queued', 'submitted');
    create index intents_by_account on intents (account_id, environment, number desc);
    -- The explorer's pages list what was done with a contract. Only settled intents have an entry: one that passes
    -- through \`queued\` and \`submitted\` costs its acceptance and its dispatch nothing.
    create index intents_settled on intents (contract, number)
      where status in ('confirmed', 'failed') and environment = 'live' and transaction_hash is not null;
    -- What a reorg may still take back is looked for by contract. With CONFIRMATIONS=1 nothing is ever in this state, so
    -- that the index is empty and costs nothing.
    create index intents_not_final on intents (contract) where status = 'confirmed' and final_at is null;

    -- One lane a signer: a lease by this database's clock, and an epoch that every write of its holder carries.
    create table lanes (
      signer bytea primary key check (octet_length(signer) = 20),
      epoch bigint not null default 0,
      holder text,
      lease_until timestamptz not null default '-infinity',
      next_nonce bigint not null check (next_nonce >= 0),
      -- False while the signer cannot pay for gas: requests are then refused instead of accepted.
      funded boolean not null default true,
      -- A signer on its way out: its lane confirms what it sent, and sends nothing more.
      retiring boolean not null default false,
      -- Why the Operator executes nothing of this signer; null while it does. The lane then sends nothing.
      resting text check (resting in ('stopped', 'wrong-epoch', 'no-role')),
      resting_since timestamptz,
      check ((resting is null) = (resting_since is null))
    );

    create table contract_lanes (
      contract bytea primary key check (octet_length(contract) = 20),
      signer bytea not null references lanes
    );

    -- A nonce slot of one signer, for calls of one Operator and epoch. They never change; only fees do, as another attempt.
    create table transactions (
      id bigint generated always as identity primary key,
      signer bytea not null references lanes,
      nonce bigint not null check (nonce >= 0),
      status text not null default 'open' check (status in ('open', 'mined', 'final', 'displaced')),
      gas_limit bigint not null check (gas_limit > 0),
      operator bytea not null check (octet_length(operator) = 20),
      epoch bigint not null,
      calldata bytea not null,
      mined_hash bytea check (octet_length(mined_hash) = 32),
      block_number bigint,
      block_hash bytea check (octet_length(block_hash) = 32),
      gas_used bigint,
      created_at timestamptz not null default now(),
      unique (signer, nonce),
      check ((status in ('mined', 'final')) = (block_hash is not null)),
      check ((block_hash is null) = (block_number is null)),
      check ((block_hash is null) = (mined_hash is null))
    );
    create index transactions_unfinished on transactions (signer, nonce) where status in ('open', 'mined');

    create table attempts (
      hash bytea primary key check (octet_length(hash) = 32),
      transaction_id bigint not null references transactions,
      raw bytea not null,
      max_fee_per_gas numeric(40) not null check (max_fee_per_gas > 0),
      max_priority_fee_per_gas numeric(40) not null check (max_priority_fee_per_gas >= 0),
      created_at timestamptz not null default now()
    );
    create index attempts_by_transaction on attempts (transaction_id);

    create table transaction_intents (
      transaction_id bigint not null references transactions,
      position integer not null,
      intent_number bigint not null references intents,
      gas_cap integer not null check (gas_cap > 0),
      live boolean not null default true,
      primary key (transaction_id, position)
    );
    -- An intent rides in one live transaction at most.
    create unique index transaction_intents_live on transaction_intents (intent_number) where live;
    create index transaction_intents_by_intent on transaction_intents (intent_number);

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

    -- The balance of one meter in one month; provable from ledger_entries, which are never changed.
    create table balances (
      account_id uuid not null references accounts,
      meter text not null check (meter in ('mints', 'credits')),
      period date not null check (extract(day from period) = 1),
      granted bigint not null check (granted >= 0),
      held bigint not null default 0 check (held >= 0),
      committed bigint not null default 0 check (committed >= 0),
      primary key (account_id, meter, period),
      check (held + committed <= granted)
    );

    create table ledger_entries (
      id bigint generated always as identity primary key,
      account_id uuid not null,
      meter text not null,
      period date not null,
      kind text not null check (kind in ('grant', 'hold', 'commit', 'release')),
      amount bigint not null,
      intent_number bigint references intents,
      -- What the plan left once the hold was taken; the caller was answered with it.
      remaining bigint check (remaining >= 0),
      created_at timestamptz not null default now(),
      foreign key (account_id, meter, period) references balances,
      check ((kind = 'hold') = (remaining is not null)),
      check ((kind = 'grant') = (intent_number is null)),
      check (kind = 'grant' or amount > 0)
    );
    create unique index ledger_one_hold on ledger_entries (intent_number) where kind = 'hold';
    create unique index ledger_one_verdict on ledger_entries (intent_number) where kind in ('commit', 'release');
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

    -- Webhooks: who wants to be told of verdicts, and every message to them with what became of it. The jobs that
    -- deliver them are in a schema of their own, which belongs to graphile-worker.
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
  `,
};
