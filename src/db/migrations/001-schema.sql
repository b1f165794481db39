-- The schema, in the order in which it is understood. What the code promises is also a constraint, so that a second
-- replica, an operator's psql or a mistake of ours is refused. Above each table: what one row is, and what always
-- holds.
--
-- An amount in wei is a numeric, a time a timestamptz of this database's clock, an address or a hash its bytes.


-- 1. What this database belongs to ----------------------------------------------------------------------------------

-- One row per migration that has begun. `knex_migrations`, which Knex's migrator keeps, has those that are complete.
create table migration_releases (
  name text primary key,
  -- The version of the release that began it.
  release text not null,
  -- Of one that takes something away: the migration that a release has to know to go on working.
  needs text
);

-- One row: the chain. Another chain behind RPC_URL stops the start.
create table chain (
  only_row boolean primary key default true check (only_row),
  chain_id bigint not null,
  genesis_hash bytea not null check (octet_length(genesis_hash) = 32)
);

-- One row, which its copies share.
create table deployment (
  only_row boolean primary key default true check (only_row),
  -- Part of the addresses of its contracts: it tells this installation from others whose contracts have the same admin.
  id bytea not null default sha256(uuid_send(gen_random_uuid())) check (octet_length(id) = 32),
  -- Ids of intents are made with it from the keys of clients, and nobody else can tell those from the ids.
  id_secret bytea not null default sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))
    check (octet_length(id_secret) = 32)
);
insert into deployment default values;

-- One row an Operator whose contracts this database has. Of all but the current one contracts are only called, and
-- none are made.
create table operators (
  address bytea primary key check (octet_length(address) = 20),
  -- New intents of its contracts belong to this epoch. One that the chain does not have yet is raised by the sender:
  -- from then on bytes that this database lacks have no effect. It goes back only where a deep reorg took the raise away.
  epoch bigint not null default 1 check (epoch > 0),
  -- 32 bytes that the raise to this epoch carries. They are stored before it is sent, so that of two databases that
  -- raise one at most finds its own on the chain. Null for the first epoch.
  tag bytea check (octet_length(tag) = 32),
  -- The final block with that raise; null until then: intents of an earlier epoch may be done in bytes that are not
  -- known here.
  raised_in bigint default 0,
  -- New contracts belong to it.
  is_current boolean not null,
  constraint operators_raised_check check (tag is not null or raised_in is not null)
);
create unique index operators_current on operators (is_current) where is_current;

-- Which history of commits this is: of which table, in which cluster, on which timeline. A dump that is restored makes
-- another table; a standby that is promoted begins another timeline. Some managed servers tell neither cluster nor
-- timeline: Amazon Aurora refuses functions of the write-ahead log with the last two errors. Others say nothing of what
-- the server lets one ask, and fail the statement.
create function server_identity() returns text language plpgsql as $$
  declare
    table_id text := 'server'::regclass::oid;
  begin
    return concat_ws(' ', (select system_identifier from pg_control_system()), left(pg_walfile_name(pg_current_wal_lsn()), 8), table_id);
  exception
    when insufficient_privilege or undefined_function or feature_not_supported or object_not_in_prerequisite_state then
      return 'unknown ' || table_id;
  end
$$;

-- One row: what is known of the server that this database is on.
create table server (
  only_row boolean primary key default true check (only_row),
  identity text not null default server_identity(),
  -- Another process may have sent what is lost here, since the sender has vouched for this server, or endpoints count
  -- more than is known; until the sender has looked.
  is_suspect boolean not null default false,
  -- Since when a process misses commits here, or another database raises the epoch; null for none, and once a person
  -- has accepted it.
  lost_since timestamptz,
  -- How often a person did: what a process remembers from before counts no more.
  losses integer not null default 0,
  -- Intents up to it that sent nothing may be missing here, and are not lost: they go a day after their verdict.
  emptied_up_to bigint not null default 0
);
insert into server default values;


-- 2. Accounts and access --------------------------------------------------------------------------------------------

-- One row an account. E-mails differ in more than the case of ASCII letters, by a rule that no locale of the database
-- changes: in a Turkish one lower('INFO') is not 'info'.
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
  gas_per_day bigint check (gas_per_day >= 0),
  -- How often its wallet changed: the messages of that are counted by it.
  wallet_sequence integer not null default 0
);
create unique index accounts_email_key on accounts (lower(email collate "C"));

-- One row an invite, used by one account at most; of its code only the hash is kept.
create table invites (
  code_hash bytea primary key check (octet_length(code_hash) = 32),
  hint text not null,
  created_at timestamptz not null default now(),
  used_by uuid unique references accounts,
  used_at timestamptz,
  -- Registrations with an e-mail that is taken: it tells whether one is, so it is good for ten of them.
  tries integer not null default 0 check (tries between 0 and 10),
  constraint invites_used_check check ((used_by is null) = (used_at is null))
);

-- One row per session, a token or an API key: a random secret of which only the hash is kept. All but API keys expire.
create table credentials (
  id uuid primary key,
  -- Orders them by age, for paging.
  number bigint not null generated always as identity,
  account_id uuid not null references accounts,
  kind text not null check (kind in ('session', 'access_token', 'sandbox_token', 'api_key')),
  environment text not null default 'live' check (environment in ('live', 'sandbox')),
  secret_hash bytea not null unique check (octet_length(secret_hash) = 32),
  name text,
  key_prefix text,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  -- Of a token: the session that asked for it, with which it ends. No foreign key: a token is worth nothing without
  -- its session, and both are deleted once they have expired.
  session_id uuid,
  constraint credentials_api_key_check check ((kind = 'api_key') = (name is not null and key_prefix is not null)),
  constraint credentials_expiry_check
    check (kind = 'api_key' or (expires_at is not null and (environment = 'sandbox') = (kind = 'sandbox_token'))),
  constraint credentials_session_id_check check (session_id is null or kind in ('access_token', 'sandbox_token'))
);
-- An account lists its keys, and ends its sessions.
create index credentials_by_account on credentials (account_id, kind, number desc);
-- What is cleaned up is found without reading what stays.
create index credentials_by_expiry on credentials (expires_at) where kind <> 'api_key';

-- One row per key of wrong passwords: the hash of an account's e-mail, or of an address. rate-limiter-flexible writes
-- it, which counts time in milliseconds of its own, in a number that arrives as one (a bigint would not).
create table login_attempts (
  key text primary key,
  points integer not null,
  expire double precision
);
-- The clean-up of what has expired.
create index login_attempts_by_age on login_attempts (expire);


-- 3. What was asked -------------------------------------------------------------------------------------------------

-- One row per write that was accepted. `number` is its bit in the bitmap of its Operator and epoch: the chain itself
-- refuses to do it twice. Number and Operator are fixed at acceptance, for the same number elsewhere would be a second
-- effect; the epoch becomes a later one only where it is known that none of the earlier ones has its effect. A request
-- that was lost, and is repeated, begins in the epoch of the effect that it had.
-- One that sends nothing (of the sandbox, or what the chain has already) has no target and is confirmed at once. Two
-- versions of a row find room on one page: the submitted one beside the queued one, and the confirmed one once that
-- is pruned, so that the write-ahead log has what changes instead of whole rows.
create table intents (
  number bigint generated always as identity primary key,
  id uuid not null unique,
  account_id uuid not null references accounts,
  environment text not null check (environment in ('live', 'sandbox')),
  kind text not null,
  contract bytea not null check (octet_length(contract) = 20),
  -- The call, and whom it is made through.
  target bytea check (octet_length(target) = 20),
  calldata bytea,
  operator bytea check (octet_length(operator) = 20),
  epoch bigint,
  arguments jsonb not null default '{}',

  -- How it is called. `gas_max` is the most that its call may use; by default what a transaction may have (EIP-7825).
  gas_estimate integer not null default 0 check (gas_estimate between 0 and 16777216),
  gas_max integer not null default 16777216 check (gas_max between 0 and 16777216),
  -- What it used of gas in vain: all of its cap, or all of a transaction in which it was alone.
  burnt_gas integer not null default 0 check (burnt_gas >= 0),
  -- How it goes again when it came to nothing for reasons that may not be its own: `src/engine/retry-policy.ts`.
  retry_stage smallint not null default 0 check (retry_stage between 0 and 2),
  -- Any call but a mint or a deployment: it would undo what was asked after it if it came later, or may.
  is_control boolean not null default false,
  -- It left the queue, and was put back.
  was_requeued boolean not null default false,
  -- Bytes that do not decide on it may have done it, or may do it yet. A verdict does not clear it.
  in_doubt boolean not null default false,

  -- What became of it. `quarantined`: the database refused its verdict, and it waits for a person; the table of this
  -- name says why.
  status text not null check (status in ('queued', 'submitted', 'confirmed', 'failed', 'cancelled', 'quarantined')),
  -- What indexes see of the status: queued and submitted are one, so that nothing but the row changes between them (a
  -- heap-only tuple).
  phase text not null,
  transaction_hash bytea check (octet_length(transaction_hash) = 32),
  -- All transactions that it was ever in, the newest last; and the one whose end is its verdict: one at most, and
  -- none while it waits in the queue.
  sent_in bigint[] not null default '{}',
  decided_by bigint,
  result bytea,
  error_code text,
  error_message text,
  -- Counts its verdicts that messages tell: confirmed and final are two, and a cancellation is none.
  sequence integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  final_at timestamptz,

  -- What was taken of a quota at acceptance: meter, units, and what that left of the month. It is spent when the intent
  -- is confirmed for good, and given back when it ends otherwise. Null for one that took none.
  held_meter text,
  held_amount integer,
  held_remaining integer,
  -- What was held of the gas of that day, by estimate, and what its last final verdict was charged instead. Null for
  -- nothing: a brake that holds nothing passed beyond the gas of its day.
  held_gas integer,
  charged_gas integer,

  constraint intents_call_check check ((target is null) = (calldata is null)),
  constraint intents_call_operator_check check ((target is null) = (operator is null)),
  constraint intents_call_epoch_check check ((operator is null) = (epoch is null)),
  constraint intents_open_call_check check (status not in ('queued', 'submitted', 'quarantined') or target is not null),
  constraint intents_error_code_check check ((status = 'failed') = (error_code is not null)),
  constraint intents_error_message_check check ((error_code is null) = (error_message is null)),
  constraint intents_submitted_hash_check check (status <> 'submitted' or transaction_hash is not null),
  constraint intents_end_check check (status not in ('failed', 'cancelled') or final_at is not null),
  constraint intents_final_check check (final_at is null or status in ('confirmed', 'failed', 'cancelled')),
  constraint intents_sandbox_check check (environment = 'live' or status in ('confirmed', 'failed')),
  constraint intents_phase_check
    check (phase = case when status in ('queued', 'submitted') then 'open' else status end),
  constraint intents_decided_check
    check (decided_by is null or status <> 'queued' and (decided_by = any (sent_in)) is true),
  constraint intents_held_check check (
    held_amount > 0 and target is not null and num_nulls(held_meter, held_amount, held_remaining) = 0
    or num_nonnulls(held_meter, held_amount, held_remaining) = 0),
  constraint intents_gas_check check (
    coalesce(least(held_gas, charged_gas) > 0, true) and (target is not null or num_nonnulls(held_gas, charged_gas) = 0))
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0, fillfactor = 40);

-- Writes of the sandbox have numbers of their own, from 2^62 on, above all that the chain may know: however many
-- there are, the numbers of live writes go on without a gap.
create sequence sandbox_intents_number_seq as bigint minvalue 4611686018427387904 no cycle;

-- An insert need not say the phase; an update that changes it does, for a trigger before an update locks the row
-- first, which is a record of the write-ahead log for each (`GetTupleForTrigger` of PostgreSQL). It acts also where
-- rows are copied by replication.
create function set_phase() returns trigger language plpgsql as $$
  begin
    new.phase := case when new.status in ('queued', 'submitted') then 'open' else new.status end;
    return new;
  end
$$;
create trigger intents_phase before insert on intents for each row
  when (new.phase is null) execute function set_phase();
alter table intents enable always trigger intents_phase;

-- A lane reads what waits of a contract in the order of its numbers. Dispatch changes no entry.
create index intents_waiting on intents (contract, number) where phase = 'open';
-- What was asked after a control that came back to the queue, and would be undone by it.
create index intents_controls on intents (contract, number) where is_control;
-- Brakes that wait, and the switches before them, go before what else of their contract waits.
create index intents_open_controls on intents (contract, number) where phase = 'open' and is_control;
-- Each look of the sender asks whether a brake waits, however many other controls do.
create index intents_open_brakes on intents (contract, number)
  where phase = 'open' and is_control and kind in ('pause', 'lock_transfers', 'freeze', 'close_mint', 'set_mint_limit');
-- An account's list, phase by phase. The order is that of minus the number, which no other index has: whatever the
-- planner believes of the share of a phase, it has no choice but this one that reads in order, and none that reads
-- past the intents of others.
create index intents_of_account on intents (account_id, environment, phase, (- number));
-- The same of one contract, for the account's list and the explorer's pages. What is open has `intents_waiting`.
create index intents_of_contract on intents (account_id, contract, phase, (- number))
  where phase in ('confirmed', 'failed', 'cancelled');
-- The same of one kind. Mints are what there is most of: theirs are found by `intents_of_account`.
create index intents_of_kind on intents (account_id, environment, kind, (- number), phase, contract)
  where kind <> 'mint';
-- Every process asks for the newest write to the chain every few seconds, however many of the sandbox are newer.
create index intents_live on intents (number) where environment = 'live';
-- What a reorg may still take back is looked for by contract. With CONFIRMATIONS=1 nothing is ever in this state, so
-- that the index is empty and costs nothing.
create index intents_reversible on intents (contract) where phase = 'confirmed' and final_at is null;
-- What waits for a person holds up its contract. As good as always empty.
create index intents_quarantined on intents (contract) where phase = 'quarantined';
-- The brakes of a day that passed beyond its gas are counted: they hold nothing.
create index intents_brakes on intents (account_id, created_at)
  where held_gas is null and target is not null
    and kind in ('pause', 'lock_transfers', 'freeze', 'close_mint', 'set_mint_limit');
-- Writes that sent nothing go a day after their verdict. The phase is written so that the planner does not take the
-- index for lists of what is cancelled, which have another order.
create index intents_empty on intents (final_at)
  where environment = 'live' and (target is null or phase || '' = 'cancelled');

-- One row per quarantined intent: what the database said when it refused its verdict.
create table quarantined (
  intent_number bigint primary key references intents,
  error text not null,
  since timestamptz not null default now()
);

-- One row per key of a client's request that was accepted: the same request again gets the same answer. With an intent
-- the answer is rendered from it; else it is kept.
create table idempotency_records (
  account_id uuid not null references accounts,
  environment text not null check (environment in ('live', 'sandbox')),
  key text not null check (octet_length(key) between 1 and 255),
  request_hash bytea not null check (octet_length(request_hash) = 32),
  intent_number bigint references intents,
  answer jsonb,
  created_at timestamptz not null default now(),
  primary key (account_id, environment, key),
  constraint idempotency_records_answer_check check ((intent_number is null) <> (answer is null))
);
-- The clean-up of old ones, and of those of intents that are archived.
create index idempotency_records_by_age on idempotency_records (created_at);
create index idempotency_records_by_intent on idempotency_records (intent_number) where intent_number is not null;


-- One row an effect on the chain of a call that this database does not know: an older backup, or a server that lacked commits,
-- went on. The same request under the same key of its client is that one, and has no second effect.
create table unknown_effects (
  operator bytea not null references operators,
  epoch bigint not null,
  number bigint not null,
  -- The first eight bytes of the intent's id.
  client_key bytea not null check (octet_length(client_key) = 8),
  transaction_hash bytea not null check (octet_length(transaction_hash) = 32),
  block_number bigint not null,
  noted_at timestamptz not null default now(),
  -- The intent that it was found to be of, which is confirmed by it; null while there is none.
  intent_number bigint references intents on delete cascade,
  primary key (operator, epoch, number)
);
create index unknown_effects_by_key on unknown_effects (client_key);
-- Whether any is of no intent is asked by each group of writes, and those of intents are kept as long as these.
create index unknown_effects_by_intent on unknown_effects (intent_number);


-- 4. What was sent for it -------------------------------------------------------------------------------------------

-- One row per signer: its lane, held by one process at a time, by a lease of this database's clock. What the
-- holder signs or settles is stored under the term, which each change of the holder raises.
create table lanes (
  signer bytea primary key check (octet_length(signer) = 20),
  term bigint not null default 0,
  holder text,
  lease_until timestamptz not null default '-infinity',
  -- The length of the lease in milliseconds. One that ends later than in twice of it was given before the clock was
  -- set back, and has ended.
  lease_ms integer not null default 5000,
  -- By its last holder.
  taken_at timestamptz,
  next_nonce bigint not null check (next_nonce >= 0),
  -- Nonces below it are used, though no transaction has them: a command sent with the key of the signer.
  least_nonce bigint not null default 0 check (least_nonce >= 0),
  -- False while the signer cannot pay for gas: while none can, requests are refused instead of accepted.
  funded boolean not null default true,
  -- A signer on its way out: its lane takes no new calls, and goes on with what it has sent.
  retiring boolean not null default false,
  -- Its key is lost, and its role revoked in a final block: what it signed has no effect any more.
  buried boolean not null default false,
  -- When something of it was sent, mined, taken back or settled the last time, as its holder says with the lease.
  progressed_at timestamptz not null default now(),
  -- The lane takes new calls: one of all lanes does, and the others mind what they have in flight.
  is_sender boolean not null default false,
  -- Why another lane that is well becomes the sender. In 'signer' (it does not sign) and 'budget' (all signers together
  -- have spent the fees of the day) the lane pauses; 'stuck': blocks go by without its first transaction.
  trouble text check (trouble in ('signer', 'budget', 'stuck')),
  trouble_since timestamptz,
  constraint lanes_trouble_since_check check ((trouble is null) = (trouble_since is null)),
  constraint lanes_buried_check check (retiring or not buried),
  constraint lanes_sender_check check (not (is_sender and retiring))
);
create unique index lanes_sender on lanes (is_sender) where is_sender;

-- One row an Operator that executes nothing of the signer of a lane, as its holder found: its calls wait, and those
-- of other Operators go on. It begins anew with each holder.
create table paused_operators (
  signer bytea not null references lanes,
  operator bytea not null check (octet_length(operator) = 20),
  reason text not null check (reason in ('stopped', 'wrong-epoch', 'no-role')),
  since timestamptz not null default now(),
  primary key (signer, operator)
);

-- One row per contract that something was asked of. The sender finds here, account by account, which ones wait, and each
-- queue by its contract, without reading those that wait for something else.
create table contracts (
  contract bytea primary key check (octet_length(contract) = 20),
  account_id uuid not null references accounts,
  -- The Operator that its calls are made through; null for the current one.
  operator bytea references operators,
  -- True whenever an intent of the contract is queued; for a while also when none is any more.
  waiting boolean not null
);
create index contracts_waiting on contracts (account_id, contract) where waiting;

-- One row per nonce of a signer that was given to calls, or to a no-op. Its calls never change; fees do, as another attempt, and as a no-op (a
-- transfer of nothing to the signer itself) it frees its nonce and has no effect.
create table transactions (
  id bigint generated always as identity primary key,
  signer bytea not null references lanes,
  nonce bigint not null check (nonce >= 0),
  -- `mined`: the chain has used the nonce, in a block that a reorg may yet take back; `final`: for good, by one of
  -- its attempts; `displaced`: for good, by a transaction that is none of them, or its signer is buried.
  status text not null default 'open' check (status in ('open', 'mined', 'final', 'displaced')),
  is_noop boolean not null default false,
  -- Reverted as a whole since the Operator executed nothing, whatever the calls: stopped, another epoch, no role.
  was_refused boolean not null default false,
  gas_limit bigint not null check (gas_limit > 0),
  -- Gas that it will use by experience: what a lane has in flight fills one block.
  expected_gas bigint not null check (expected_gas > 0),
  -- Wei that it will cost by experience; and what it did cost by its receipt, which is read once it is final.
  expected_fee numeric(40) not null default 0 check (expected_fee >= 0),
  fee numeric(40) check (fee >= 0),
  -- All of its calls are of one Operator and epoch.
  operator bytea not null check (octet_length(operator) = 20),
  epoch bigint not null,
  calldata bytea not null,
  -- Its intents, in the order of its calls, and the gas that each of these may use. What is archived stays named.
  intent_numbers bigint[] not null default '{}',
  gas_caps integer[] not null default '{}',
  -- Of the attempt that is in the block; null when the nonce was used by none of them that is known. The block is the
  -- one in which that was seen.
  mined_hash bytea check (octet_length(mined_hash) = 32),
  block_number bigint,
  block_hash bytea check (octet_length(block_hash) = 32),
  created_at timestamptz not null default now(),
  unique (signer, nonce),
  constraint transactions_open_check check ((status = 'open') = (block_hash is null)),
  constraint transactions_block_check check ((block_hash is null) = (block_number is null)),
  constraint transactions_mined_check check (mined_hash is null or status in ('mined', 'final')),
  constraint transactions_final_check check (status <> 'final' or mined_hash is not null),
  constraint transactions_refused_check check (not was_refused or mined_hash is not null),
  constraint transactions_places_check
    check (cardinality(intent_numbers) = cardinality(gas_caps) and 0 < all (gas_caps)
           and array_position(intent_numbers, null) is null and array_position(gas_caps, null) is null)
) with (autovacuum_vacuum_scale_factor = 0.02);
-- A lane looks at what it has in flight, in the order of nonces.
create index transactions_unfinished on transactions (signer, nonce) where status in ('open', 'mined');
-- What lost its nonce, as it seems, is looked for before anything that is in it fails.
create index transactions_displaced on transactions (signer, nonce) where status = 'displaced';
-- What is final and has no fee yet, and the fees that today's transactions may come to.
create index transactions_unpriced on transactions (created_at) where fee is null and status <> 'displaced';

-- One row per place of an intent in a transaction, as both say it: one transaction at most decides on an intent.
create view transaction_intents as
  select t.id as transaction_id, (m.place - 1)::integer as position, number as intent_number, m.gas_cap,
         coalesce(i.decided_by = t.id, false) as decides
    from transactions t
    cross join lateral unnest(t.intent_numbers, t.gas_caps) with ordinality as m (number, gas_cap, place)
    left join (select number, decided_by from intents) i using (number);

-- One row per signed form of a transaction, stored before it is sent: the bytes, and the fees that they offer.
create table attempts (
  hash bytea primary key check (octet_length(hash) = 32),
  transaction_id bigint not null references transactions,
  raw bytea not null,
  max_fee_per_gas numeric(40) not null check (max_fee_per_gas >= 0),
  max_priority_fee_per_gas numeric(40) not null check (max_priority_fee_per_gas >= 0),
  -- Signed before its nonce was given up as used elsewhere, or its calls were: it may be mined yet, but is not sent
  -- again.
  given_up boolean not null default false,
  created_at timestamptz not null default now()
) with (autovacuum_vacuum_scale_factor = 0.02);
create index attempts_by_transaction on attempts (transaction_id);

-- One row per day, in UTC: the sum of `fee` over the transactions that were signed on it.
create table fees_per_day (
  day date primary key,
  wei numeric(40) not null check (wei >= 0)
);

-- One row: the reader of the chain, which one process at a time is, by a lease like that of a lane. Everything up to
-- the final block is settled for good, everything up to `head` until a reorg; all processes know both.
create table reader (
  only_row boolean primary key default true check (only_row),
  term bigint not null default 0,
  holder text,
  lease_until timestamptz not null default '-infinity',
  lease_ms integer not null default 5000,
  final_number bigint,
  final_hash bytea check (octet_length(final_hash) = 32),
  head_number bigint,
  head_hash bytea check (octet_length(head_hash) = 32),
  -- When the head became what it is: a node that answers, and shows no new block, is told from one that nobody reads.
  head_at timestamptz,
  -- When the last look began at which the chain has shown no block beyond this one.
  looked_at timestamptz,
  -- The final block at which the reading began: of older ones nothing is known.
  first_number bigint,
  first_hash bytea check (octet_length(first_hash) = 32),
  -- Since when no endpoint answers any process, as the first found that gave its leases up; null while one does.
  silent_since timestamptz,
  constraint reader_final_check check ((final_number is null) = (final_hash is null)),
  constraint reader_head_check check ((head_number is null) = (head_hash is null)),
  constraint reader_cursor_check check ((head_number is null) = (final_number is null)),
  constraint reader_first_check check ((first_number is null) = (first_hash is null))
) with (fillfactor = 10);
insert into reader default values;

-- One row per reorg that took a final block away, for people and the archive. While one is not resolved the reader publishes
-- no head, without which neither it nor a lane writes a verdict; one that was an endpoint's mistake is deleted.
create table deep_reorgs (
  id bigint generated always as identity primary key,
  seen_at timestamptz not null default now(),
  -- Whether it lies deeper than the service undoes by itself.
  needs_person boolean not null default false,
  resolved_at timestamptz
);
create unique index deep_reorgs_unresolved on deep_reorgs ((true)) where resolved_at is null;


-- 5. Tokens and collections -----------------------------------------------------------------------------------------

-- One row per token that an account asked for. Its address is known before it is deployed.
create table tokens (
  address bytea primary key check (octet_length(address) = 20),
  -- What deploys it.
  intent_number bigint not null unique references intents,
  account_id uuid not null references accounts,
  environment text not null check (environment in ('live', 'sandbox')),
  type text not null check (type in ('ERC20', 'ERC721')),
  name text not null check (octet_length(name) between 1 and 64),
  symbol text not null check (octet_length(symbol) between 1 and 16),
  decimals smallint check (decimals between 0 and 18),
  base_uri text check (octet_length(base_uri) <= 256),
  permissionless boolean not null,
  -- Whether holdings can be moved without consent. It never changes, so that the contract need not be asked.
  recoverable boolean not null default false,
  created_at timestamptz not null default now(),
  deployed_at timestamptz,
  constraint tokens_type_decimals_check check ((type = 'ERC20') = (decimals is not null)),
  constraint tokens_type_base_uri_check check (base_uri is null or type = 'ERC721')
);
-- An account's list.
create index tokens_by_account on tokens (account_id, environment, intent_number desc);

-- One row an NFT that an intent minted, as its receipt tells; in the sandbox, as it was accepted. Ids are sequential
-- from 1, so the largest one counts them. The list stays when its intents are archived: no foreign key.
create table nfts (
  contract bytea not null references tokens,
  token_id bigint not null check (token_id > 0),
  recipient bytea not null check (octet_length(recipient) = 20),
  intent_number bigint not null,
  transaction_hash bytea check (octet_length(transaction_hash) = 32),
  created_at timestamptz not null default now(),
  primary key (contract, token_id)
);
-- What an intent minted: its answer says the first id.
create index nfts_by_intent on nfts (intent_number);


-- 6. Metering -------------------------------------------------------------------------------------------------------

-- One row an account, meter and month, of gas: and day. A sum that is kept: held and committed are those of `ledger`,
-- with what intents had committed that are gone.
create table balances (
  account_id uuid not null references accounts,
  meter text not null check (meter in ('mints', 'credits', 'gas')),
  period date not null,
  -- The most that a plan of the month allowed when something was held, and what a reorg deeper than final made of
  -- failures: an effect is charged, also past the end of a quota.
  granted bigint not null default 0 check (granted >= 0),
  held bigint not null default 0 check (held >= 0),
  committed bigint not null default 0 check (committed >= 0),
  -- What of it is of intents that are archived or deleted.
  archived bigint not null default 0 check (archived between 0 and committed),
  primary key (account_id, meter, period),
  constraint balances_period_check check (meter = 'gas' or extract(day from period) = 1),
  -- What gas was used is known afterwards, so its limit refuses writes, and never what they came to: nothing is
  -- granted.
  constraint balances_grant_check check (case meter when 'gas' then granted = 0 else held + committed <= granted end)
);
-- A scrape adds up the gas of a day. Of no column that a write changes.
create index balances_gas on balances (period) where meter = 'gas';

-- What each intent holds, and what it has committed, as its own row says: a quota of the month in which it was accepted
-- (UTC), gas of that day. Its verdict is the end of what it holds, and a reorg that is deeper than final opens both
-- again. A test, or an auditor, adds it up.
create view ledger as
  select number as intent_number, account_id, held_meter as meter,
         date_trunc('month', created_at at time zone 'utc')::date as period,
         case when final_at is null then held_amount else 0 end as held,
         case when final_at is not null and status = 'confirmed' then held_amount else 0 end as committed
    from intents where held_amount is not null
  union all
  select number, account_id, 'gas', (created_at at time zone 'utc')::date,
         case when final_at is null then coalesce(held_gas, 0) else 0 end,
         case when final_at is not null then coalesce(charged_gas, 0) else 0 end
    from intents where held_gas is not null or charged_gas is not null;


-- 7. Webhooks -------------------------------------------------------------------------------------------------------

-- One row per receiver of messages. It outlives its deletion until its messages are old enough to go.
create table webhooks (
  id uuid primary key,
  -- Orders them by age, for paging.
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
  deleted_at timestamptz,
  constraint webhooks_disabled_check check (disabled_reason is null or not enabled),
  constraint webhooks_previous_secret_check check ((previous_secret is null) = (previous_secret_until is null)),
  constraint webhooks_deleted_check check ((secret is null) = (deleted_at is not null)),
  constraint webhooks_enabled_check check (deleted_at is null or not enabled)
);
-- An account's list, and the clean-up.
create index webhooks_by_account on webhooks (account_id, environment, number desc) where deleted_at is null;
create index webhooks_deleted on webhooks (deleted_at) where deleted_at is not null;

-- One row per message to a webhook. Those of an account stand in one line, by the time when they are due, of which the
-- head alone has a job.
create table webhook_deliveries (
  number bigint generated always as identity primary key,
  -- Its webhook-id, the same at each attempt and replay.
  id uuid not null unique,
  webhook_id uuid not null references webhooks,
  account_id uuid not null,
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
  -- When it is deleted: those of the sandbox live shorter.
  expires_at timestamptz not null default now() + interval '30 days',
  constraint webhook_deliveries_pending_check check ((status = 'pending') = (next_attempt_at is not null))
);
-- The log of a webhook, and what failed in it.
create index webhook_deliveries_by_webhook on webhook_deliveries (webhook_id, number desc);
create index webhook_deliveries_failed on webhook_deliveries (webhook_id, number desc) where status = 'failed';
-- The line of an account; and a scrape looks at the messages that wait, beside millions that do not.
create index webhook_deliveries_waiting on webhook_deliveries (account_id, next_attempt_at, number)
  include (created_at) where status = 'pending';
-- The clean-up.
create index webhook_deliveries_by_end on webhook_deliveries (expires_at);


-- 8. Audit ----------------------------------------------------------------------------------------------------------

-- One row per change by a person, a key or the operator, or several writes that were accepted together and differ in
-- nothing but their intents. Rows are only ever added, in the transaction of what they tell of, and know nothing of
-- each other, so that no write waits for another's.
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
  details jsonb not null,
  -- Of several entries, in their order: `number` and `intent_id` are the last ones. All are of one block of 64
  -- numbers, so that whoever looks for a number knows how far it may be from that of its row; and a row takes about 2
  -- kB at most, from which on PostgreSQL would move values into another table (TOAST).
  numbers bigint[],
  intent_ids uuid[],
  -- What is null or has several dimensions does not pass.
  constraint audit_entries_run_check check ((
    (numbers is null) = (intent_ids is null)
    and (numbers is null or array_ndims(numbers) = 1 and array_ndims(intent_ids) = 1
         and cardinality(numbers) = cardinality(intent_ids) and cardinality(numbers) between 2 and 64
         and numbers[cardinality(numbers)] = number and intent_ids[cardinality(intent_ids)] = intent_id
         and numbers[1] >> 6 = number >> 6)) is true)
);
-- An account's log, and what is not a write in it.
create index audit_entries_by_account on audit_entries (account_id, number desc) where account_id is not null;
create index audit_entries_by_action on audit_entries (account_id, action, number desc)
  where account_id is not null and action <> 'write';
-- Few rows beside the writes; a scrape counts the newest of them.
create index audit_entries_without_intent on audit_entries (created_at) where intent_id is null;

-- One row per run of links in the chain of hashes, which one job at a time makes, in the order of numbers: each is
-- SHA-256 of the hash before and of the digest of the entry.
create table audit_seals (
  first bigint primary key,
  -- Of the entry `first` and of those whose numbers follow it without a gap: 32 bytes each, of 40 entries at most. So
  -- a row takes 1.3 kB, and stays below the 2 kB from which PostgreSQL moves a value into another table (TOAST).
  hashes bytea not null check (octet_length(hashes) between 32 and 1280 and octet_length(hashes) % 32 = 0)
);

-- One row: the end of the chain. Who holds it, seals.
create table audit_head (
  only_row boolean primary key default true check (only_row),
  number bigint not null,
  hash bytea not null check (octet_length(hash) = 32)
);
insert into audit_head (number, hash) values (0, decode(repeat('00', 32), 'hex'));

-- One row: the last entry that went, and its hash; the chain goes on from there. Old entries may go, in the order of
-- their numbers, and an entry of the chain tells of it. What is behind this is append-only.
create table audit_start (
  only_row boolean primary key default true check (only_row),
  number bigint not null,
  hash bytea not null check (octet_length(hash) = 32)
);
insert into audit_start (number, hash) values (0, decode(repeat('00', 32), 'hex'));

create function refuse_audit_change() returns trigger language plpgsql as $$
  begin
    raise exception 'the audit log is append-only';
  end
$$;
create trigger audit_entries_append_only before update or truncate on audit_entries
  for each statement execute function refuse_audit_change();
create trigger audit_seals_append_only before update or truncate on audit_seals
  for each statement execute function refuse_audit_change();

create function refuse_audit_deletion() returns trigger language plpgsql as $$
  begin
    if exists (select 1 from gone where number > (select number from audit_start)) then
      raise exception 'the audit log is append-only';
    end if;
    return null;
  end
$$;
create trigger audit_entries_deletion after delete on audit_entries referencing old table as gone
  for each statement execute function refuse_audit_deletion();

create function refuse_seal_deletion() returns trigger language plpgsql as $$
  begin
    if exists (select 1 from gone where first + octet_length(hashes) / 32 - 1 > (select number from audit_start)) then
      raise exception 'the audit log is append-only';
    end if;
    return null;
  end
$$;
create trigger audit_seals_deletion after delete on audit_seals referencing old table as gone
  for each statement execute function refuse_seal_deletion();


-- 9. What was moved away, and what has to be done -------------------------------------------------------------------

-- One row per file that finished intents were moved into, oldest first: one after the other.
create table archives (
  id bigint generated always as identity primary key,
  -- What is in it was final before that.
  before timestamptz not null,
  -- On the machine of whoever ran the command.
  file text not null,
  sha256 bytea not null check (octet_length(sha256) = 32),
  -- The largest number in it. Intents up to it may be missing here, and are not lost.
  last_number bigint not null check (last_number >= 0),
  -- Null while rows of it may be here still.
  deleted_at timestamptz
);
create unique index archives_pending on archives ((true)) where deleted_at is null;

-- The jobs that deliver webhooks and clean up are in a schema of their own, which belongs to graphile-worker.
