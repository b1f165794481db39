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
      operator bytea not null check (octet_length(operator) = 20)
    );

    create table accounts (
      id uuid primary key,
      email text not null,
      password_hash text not null,
      plan text not null default 'BASIC' check (plan in ('BASIC', 'PRO', 'PRO_PLUS')),
      wallet_address bytea check (octet_length(wallet_address) = 20),
      created_at timestamptz not null default now()
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

    -- Wrong passwords by hash of the account's e-mail and of the address. The limiter that writes here counts time in
    -- milliseconds of its own, in a number that arrives as one (a bigint would not).
    create table login_attempts (
      key text primary key,
      points integer not null,
      expire double precision
    );
    create index login_attempts_by_age on login_attempts (expire);

    -- What was asked. \`number\` is its bit in the Operator's bitmap: the chain itself refuses to do it twice.
    create table intents (
      number bigint generated always as identity primary key,
      id uuid not null unique,
      account_id uuid not null references accounts,
      environment text not null check (environment in ('live', 'sandbox')),
      kind text not null,
      contract bytea not null check (octet_length(contract) = 20),
      target bytea check (octet_length(target) = 20),
      calldata bytea,
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
      check ((target is null) = (calldata is null)),
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

    -- One lane a signer: a lease by this database's clock, and an epoch that every write of its holder carries.
    create table lanes (
      signer bytea primary key check (octet_length(signer) = 20),
      epoch bigint not null default 0,
      holder text,
      lease_until timestamptz not null default '-infinity',
      next_nonce bigint not null check (next_nonce >= 0),
      -- False while the signer cannot pay for gas: requests are then refused instead of accepted.
      funded boolean not null default true
    );

    create table contract_lanes (
      contract bytea primary key check (octet_length(contract) = 20),
      signer bytea not null references lanes
    );

    -- A nonce slot of one signer. Its calls never change; only fees do, as another attempt.
    create table transactions (
      id bigint generated always as identity primary key,
      signer bytea not null references lanes,
      nonce bigint not null check (nonce >= 0),
      status text not null default 'open' check (status in ('open', 'mined', 'final', 'displaced')),
      gas_limit bigint not null check (gas_limit > 0),
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
      max_fee_per_gas numeric(40) not null check (max_fee_per_gas >= 0),
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
  `,
};
