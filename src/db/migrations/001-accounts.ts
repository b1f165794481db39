import type { Migration } from '../migration.ts';

/** Who may ask: accounts, invites, credentials; and the chain that this database belongs to. */
export const accounts: Migration = {
  name: '001-accounts',
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
      is_watched boolean not null default false,
      -- Until then its messages share the few slots of slow receivers: one of its webhooks let an attempt wait.
      slow_webhooks_until timestamptz,
      -- Since when none of its credentials is accepted; null when it is not suspended.
      suspended_at timestamptz,
      -- Gas of a day, for this account alone; null for that of its plan.
      gas_per_day bigint check (gas_per_day >= 0)
    );
    create unique index accounts_email on accounts (lower(email));

    create table invites (
      code_hash bytea primary key check (octet_length(code_hash) = 32),
      hint text not null,
      created_at timestamptz not null default now(),
      used_by uuid unique references accounts,
      used_at timestamptz,
      -- Registrations with an e-mail that is taken: it tells whether one is, so it is good for ten of them.
      tries integer not null default 0 check (tries between 0 and 10),
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
  `,
};
