import type { Migration } from '../migration.ts';

/** What was asked, and what was sent for it: intents, lanes, the reader of the chain, transactions. */
export const engine: Migration = {
  name: '002-engine',
  up: `
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
      -- The most that its call may use. By default what a transaction may have (EIP-7825).
      gas_max integer not null default 16777216 check (gas_max between 0 and 16777216),
      -- Its cap by experience, or by its estimate, was too low in a simulation: it gets the most that it may use, alone.
      full_gas boolean not null default false,
      -- It used up its cap on the chain, and goes again once: what it does in a simulation says nothing for certain.
      used_up_cap boolean not null default false,
      -- What it used of gas then.
      burnt_gas integer not null default 0 check (burnt_gas >= 0),
      batch_limit integer not null default 1000 check (batch_limit > 0),
      lone_failures smallint not null default 0,
      may_come_late boolean not null default true,
      -- It was in a transaction that came to nothing for it, and was queued again.
      was_sent boolean not null default false,
      -- \`quarantined\`: the database refused its verdict, and it waits for a person. The table of this name says why.
      status text not null
        check (status in ('queued', 'submitted', 'confirmed', 'failed', 'cancelled', 'quarantined')),
      transaction_hash bytea check (octet_length(transaction_hash) = 32),
      result bytea,
      error_code text,
      error_message text,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      final_at timestamptz,
      -- Open here, and maybe done on the chain: its event was not found, or this database does not know its transaction.
      found_done boolean not null default false,
      check ((target is null) = (calldata is null)),
      check ((target is null) = (operator is null)),
      check ((operator is null) = (epoch is null)),
      check (status not in ('queued', 'submitted', 'quarantined') or target is not null),
      check ((status = 'failed') = (error_code is not null)),
      check ((error_code is null) = (error_message is null)),
      check (status <> 'submitted' or transaction_hash is not null),
      check (status not in ('failed', 'cancelled') or final_at is not null),
      check (final_at is null or status in ('confirmed', 'failed', 'cancelled')),
      check (environment = 'live' or status in ('confirmed', 'failed'))
    ) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
    create index intents_queued on intents (contract, number) where status = 'queued';
    create index intents_open on intents (contract, number) where status in ('queued', 'submitted');
    -- How much of an account is open is counted at each acceptance.
    create index intents_open_by_account on intents (account_id) where status in ('queued', 'submitted');
    -- What was asked after a control that came back to the queue, and would be undone by it.
    create index intents_controls on intents (contract, number) where not may_come_late;
    -- Lists are read status by status. That an index has the status costs an intent nothing more: what the partial ones ask
    -- for changes with its status too, so that each change of it makes a new entry in every index. The order is that of
    -- minus the number, which no other index has: whatever the planner believes of the share of a status, it has no choice
    -- but this one that reads in order, and none that reads past the intents of others.
    create index intents_by_account on intents (account_id, environment, status, (-number));
    -- The same of one contract. What is open of it has \`intents_open\`: acceptance and dispatch make no entry here.
    create index intents_by_contract on intents (account_id, contract, status, (-number))
      where status in ('confirmed', 'failed', 'cancelled');
    -- Every process asks for the newest write to the chain every few seconds, however many of the sandbox are newer.
    create index intents_live on intents (number) where environment = 'live';
    -- The explorer's pages list what was done with a contract. Only settled intents have an entry: one that passes
    -- through \`queued\` and \`submitted\` costs its acceptance and its dispatch nothing.
    create index intents_settled on intents (contract, number)
      where status in ('confirmed', 'failed') and environment = 'live' and transaction_hash is not null;
    -- What a reorg may still take back is looked for by contract. With CONFIRMATIONS=1 nothing is ever in this state, so
    -- that the index is empty and costs nothing.
    create index intents_not_final on intents (contract) where status = 'confirmed' and final_at is null;
    -- As good as always empty.
    create index intents_quarantined on intents (contract) where status = 'quarantined';

    -- What the database said when it refused the verdict of an intent.
    create table quarantined (
      intent_number bigint primary key references intents,
      error text not null,
      since timestamptz not null default now()
    );

    -- One lane a signer: a lease by this database's clock, and an epoch that every write of its holder carries.
    create table lanes (
      signer bytea primary key check (octet_length(signer) = 20),
      epoch bigint not null default 0,
      holder text,
      lease_until timestamptz not null default '-infinity',
      next_nonce bigint not null check (next_nonce >= 0),
      -- Nonces below it are used, or to be filled, though no transaction has them: a command sent with the key of the
      -- signer, or commits were lost.
      least_nonce bigint not null default 0 check (least_nonce >= 0),
      -- False while the signer cannot pay for gas: requests are then refused instead of accepted.
      funded boolean not null default true,
      -- A signer on its way out: its lane confirms what it sent, and sends nothing more.
      retiring boolean not null default false,
      -- Its key is lost, and its role revoked in a final block: what it signed has no effect any more.
      buried boolean not null default false,
      -- A person, or a verdict that waits for it, asked its holder to fill every nonce that the chain waits for and this
      -- service never used.
      healing boolean not null default false,
      -- By its last holder.
      taken_at timestamptz,
      -- When something of it was sent, mined, taken back or settled the last time, as its holder says with the lease.
      progressed_at timestamptz not null default now(),
      -- Why the lane is paused: the Operator executes nothing of this signer, the signer does not sign, or all signers
      -- together have spent the fees of the day. When it is
      -- stuck, as blocks go by without its first transaction, it goes on with the contracts that it has. In each case
      -- it takes no contracts, and lets other lanes take those that wait.
      pause_reason text check (pause_reason in ('stopped', 'wrong-epoch', 'no-role', 'signer', 'budget', 'stuck')),
      paused_since timestamptz,
      check ((pause_reason is null) = (paused_since is null)),
      check (retiring or not buried)
    );

    -- The reader of the chain: one row, held by one process at a time, whose every write carries the epoch. Everything up
    -- to the final block is settled; \`head\` is the newest block that is, and published to all processes.
    create table follower (
      only_row boolean primary key default true check (only_row),
      epoch bigint not null default 0,
      holder text,
      lease_until timestamptz not null default '-infinity',
      final_number bigint,
      final_hash bytea check (octet_length(final_hash) = 32),
      head_number bigint,
      head_hash bytea check (octet_length(head_hash) = 32),
      -- The final block at which the reading began: of older ones nothing is known.
      first_number bigint,
      first_hash bytea check (octet_length(first_hash) = 32),
      -- When the last look began at which the chain has shown no block beyond this one.
      looked_at timestamptz,
      check ((final_number is null) = (final_hash is null)),
      check ((head_number is null) = (head_hash is null)),
      check ((head_number is null) = (final_number is null)),
      check ((first_number is null) = (first_hash is null))
    ) with (fillfactor = 10);
    insert into follower default values;

    -- Which history of commits this is: of which cluster, on which timeline. A standby that is promoted begins another
    -- timeline. Some managed servers tell neither.
    create function server_identity() returns text language plpgsql as $$
      begin
        return (select system_identifier from pg_control_system()) || ' ' || left(pg_walfile_name(pg_current_wal_lsn()), 8);
      exception when others then
        return 'unknown';
      end
    $$;

    -- One row: what is known of the server that this database is on.
    create table server (
      only_row boolean primary key default true check (only_row),
      identity text not null default server_identity(),
      -- Intents with a number up to it were accepted before the server had that identity: it may lack what was signed for
      -- them.
      unsure_up_to bigint not null default 0,
      -- In which generation of numbers a process missed commits here; -1 for none. That is over once numbers are handed out
      -- in a later one.
      lost_generation bigint not null default -1
    );
    insert into server default values;

    -- Reorgs that took a final block away. While one is not resolved no verdict is written; one that was an endpoint's
    -- mistake is deleted.
    create table deep_reorgs (
      id bigint generated always as identity primary key,
      seen_at timestamptz not null default now(),
      -- The final block that the chain contains no longer.
      final_number bigint not null,
      final_hash bytea not null check (octet_length(final_hash) = 32),
      -- Whether it lies deeper than the service undoes by itself.
      needs_person boolean not null default false,
      -- The block from which everything was settled again.
      ancestor_number bigint,
      ancestor_hash bytea check (octet_length(ancestor_hash) = 32),
      resolved_at timestamptz,
      check ((ancestor_number is null) = (ancestor_hash is null)),
      check ((ancestor_number is null) = (resolved_at is null))
    );
    create unique index deep_reorgs_unresolved on deep_reorgs ((true)) where resolved_at is null;

    -- Whose lane sends the calls of a contract, and whether something of it is queued. A lane finds its contracts here,
    -- account by account, without reading the queues of other lanes, and each queue by its contract, without reading
    -- those that wait for something else.
    create table contract_lanes (
      contract bytea primary key check (octet_length(contract) = 20),
      account_id uuid not null references accounts,
      -- Null until a lane claims the contract.
      signer bytea references lanes,
      -- True whenever an intent of the contract is queued; for a while also when none is any more.
      waiting boolean not null
    );
    create index contract_lanes_waiting on contract_lanes (signer, account_id, contract) where waiting;

    -- A transaction takes one nonce of one signer. Its calls never change; fees do, as another attempt, and as a no-op
    -- (a transfer of nothing to the signer itself) it frees its nonce and has no effect. \`mined\`: the chain has used
    -- the nonce, in a block that a reorg may yet take back; \`final\`: for good, by one of its attempts; \`displaced\`:
    -- for good, by a transaction that is none of them. The block is the one in which that was seen.
    create table transactions (
      id bigint generated always as identity primary key,
      signer bytea not null references lanes,
      nonce bigint not null check (nonce >= 0),
      status text not null default 'open' check (status in ('open', 'mined', 'final', 'displaced')),
      is_noop boolean not null default false,
      -- Reverted as a whole since the Operator executed nothing, whatever the calls: stopped, another epoch, no role.
      was_refused boolean not null default false,
      gas_limit bigint not null check (gas_limit > 0),
      -- Gas that it will use by experience: what all lanes have in flight fills one block.
      expected_gas bigint not null check (expected_gas > 0),
      -- Wei that it will cost by experience; and what it did cost by its receipt, which is read once it is final.
      expected_fee numeric(40) not null default 0 check (expected_fee >= 0),
      fee numeric(40) check (fee >= 0),
      -- All of its calls are of one Operator and epoch.
      operator bytea not null check (octet_length(operator) = 20),
      epoch bigint not null,
      calldata bytea not null,
      -- Of the attempt that is in the block; null when the nonce was used by none of them that is known.
      mined_hash bytea check (octet_length(mined_hash) = 32),
      block_number bigint,
      block_hash bytea check (octet_length(block_hash) = 32),
      created_at timestamptz not null default now(),
      unique (signer, nonce),
      check ((status = 'open') = (block_hash is null)),
      check ((block_hash is null) = (block_number is null)),
      check (mined_hash is null or status in ('mined', 'final')),
      check (status <> 'final' or mined_hash is not null),
      check (not was_refused or mined_hash is not null)
    );
    create index transactions_unfinished on transactions (signer, nonce) where status in ('open', 'mined');
    -- What lost its nonce, as it seems, is looked for before anything that is in it fails.
    create index transactions_displaced on transactions (signer, nonce) where status = 'displaced';

    create index transactions_unpriced on transactions (created_at) where fee is null and status <> 'displaced';

    -- The sum of \`fee\` over the transactions that were signed on a day, in UTC.
    create table fees_per_day (
      day date primary key,
      wei numeric(40) not null check (wei >= 0)
    );

    create table attempts (
      hash bytea primary key check (octet_length(hash) = 32),
      transaction_id bigint not null references transactions,
      raw bytea not null,
      max_fee_per_gas numeric(40) not null check (max_fee_per_gas >= 0),
      max_priority_fee_per_gas numeric(40) not null check (max_priority_fee_per_gas >= 0),
      -- Signed before its nonce was given up as used elsewhere, or its calls were: it may be mined yet, but is not sent again.
      given_up boolean not null default false,
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
    -- An intent is in one live transaction at most.
    create unique index transaction_intents_live on transaction_intents (intent_number) where live;
    create index transaction_intents_by_intent on transaction_intents (intent_number);
  `,
};
