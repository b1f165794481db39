import type { Migration } from '../migration.ts';

/**
 * Webhooks: who wants to be told of verdicts, and every message to them with what became of it. The jobs that deliver
 * them are in a schema of their own, which belongs to graphile-worker.
 */
export const webhooks: Migration = {
  name: '004-webhooks',
  up: `
    -- True while the account has a webhook, in whatever environment: only then does a verdict of the account cost a statement of its own.
    alter table accounts add column is_watched boolean not null default false;

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

    -- What is cleaned up is found without reading what stays.
    create index credentials_by_expiry on credentials (expires_at) where kind <> 'api_key';
  `,
};
