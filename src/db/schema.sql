-- Written from the migrations by `npm run generate`. Do not edit.

create sequence sandbox_intents_number_seq as bigint minvalue 4611686018427387904 start 4611686018427387904 increment 1;

CREATE OR REPLACE FUNCTION public.refuse_audit_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  begin
    raise exception 'the audit log is append-only';
  end
$function$;

CREATE OR REPLACE FUNCTION public.refuse_audit_deletion()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  begin
    if exists (select 1 from gone where number > (select number from audit_start)) then
      raise exception 'the audit log is append-only';
    end if;
    return null;
  end
$function$;

CREATE OR REPLACE FUNCTION public.refuse_seal_deletion()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  begin
    if exists (select 1 from gone where first + octet_length(hashes) / 32 - 1 > (select number from audit_start)) then
      raise exception 'the audit log is append-only';
    end if;
    return null;
  end
$function$;

CREATE OR REPLACE FUNCTION public.server_identity()
 RETURNS text
 LANGUAGE plpgsql
AS $function$
  declare
    table_id text := 'server'::regclass::oid;
  begin
    return concat_ws(' ', (select system_identifier from pg_control_system()), left(pg_walfile_name(pg_current_wal_lsn()), 8), table_id);
  exception
    when insufficient_privilege or undefined_function or feature_not_supported or object_not_in_prerequisite_state then
      return 'unknown ' || table_id;
  end
$function$;

CREATE OR REPLACE FUNCTION public.set_phase()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  begin
    new.phase := case when new.status in ('queued', 'submitted') then 'open' else new.status end;
    return new;
  end
$function$;

create table accounts (
  id uuid not null,
  email text not null,
  password_hash text not null,
  plan text not null default 'BASIC'::text,
  wallet_address bytea,
  created_at timestamp with time zone not null default now(),
  is_watched boolean not null default false,
  slow_webhooks_until timestamp with time zone,
  suspended_at timestamp with time zone,
  gas_per_day bigint,
  wallet_sequence integer not null default 0,
  constraint accounts_pkey PRIMARY KEY (id),
  constraint accounts_gas_per_day_check CHECK ((gas_per_day >= 0)),
  constraint accounts_plan_check CHECK ((plan = ANY (ARRAY['BASIC'::text, 'PRO'::text, 'PRO_PLUS'::text]))),
  constraint accounts_wallet_address_check CHECK ((octet_length(wallet_address) = 20))
);
CREATE UNIQUE INDEX accounts_email_key ON public.accounts USING btree (lower((email COLLATE "C")));

create table archives (
  id bigint generated always as identity not null,
  before timestamp with time zone not null,
  file text not null,
  sha256 bytea not null,
  last_number bigint not null,
  deleted_at timestamp with time zone,
  constraint archives_pkey PRIMARY KEY (id),
  constraint archives_last_number_check CHECK ((last_number >= 0)),
  constraint archives_sha256_check CHECK ((octet_length(sha256) = 32))
);
CREATE UNIQUE INDEX archives_pending ON public.archives USING btree ((true)) WHERE (deleted_at IS NULL);

create table attempts (
  hash bytea not null,
  transaction_id bigint not null,
  raw bytea not null,
  max_fee_per_gas numeric(40,0) not null,
  max_priority_fee_per_gas numeric(40,0) not null,
  given_up boolean not null default false,
  created_at timestamp with time zone not null default now(),
  constraint attempts_pkey PRIMARY KEY (hash),
  constraint attempts_transaction_id_fkey FOREIGN KEY (transaction_id) REFERENCES transactions(id),
  constraint attempts_hash_check CHECK ((octet_length(hash) = 32)),
  constraint attempts_max_fee_per_gas_check CHECK ((max_fee_per_gas >= (0)::numeric)),
  constraint attempts_max_priority_fee_per_gas_check CHECK ((max_priority_fee_per_gas >= (0)::numeric))
) with (autovacuum_vacuum_scale_factor=0.02);
CREATE INDEX attempts_by_transaction ON public.attempts USING btree (transaction_id);

create table audit_entries (
  number bigint generated always as identity not null,
  created_at timestamp with time zone not null default now(),
  actor text not null,
  account_id uuid,
  credential_id uuid,
  address text,
  user_agent text,
  action text not null,
  environment text,
  intent_id uuid,
  details jsonb not null,
  numbers bigint[],
  intent_ids uuid[],
  constraint audit_entries_pkey PRIMARY KEY (number),
  constraint audit_entries_actor_check CHECK ((actor = ANY (ARRAY['account'::text, 'operator'::text, 'stranger'::text]))),
  constraint audit_entries_environment_check CHECK ((environment = ANY (ARRAY['live'::text, 'sandbox'::text]))),
  constraint audit_entries_run_check CHECK (((((numbers IS NULL) = (intent_ids IS NULL)) AND ((numbers IS NULL) OR ((array_ndims(numbers) = 1) AND (array_ndims(intent_ids) = 1) AND (cardinality(numbers) = cardinality(intent_ids)) AND ((cardinality(numbers) >= 2) AND (cardinality(numbers) <= 64)) AND (numbers[cardinality(numbers)] = number) AND (intent_ids[cardinality(intent_ids)] = intent_id) AND ((numbers[1] >> 6) = (number >> 6))))) IS TRUE))
);
CREATE INDEX audit_entries_by_account ON public.audit_entries USING btree (account_id, number DESC) WHERE (account_id IS NOT NULL);
CREATE INDEX audit_entries_by_action ON public.audit_entries USING btree (account_id, action, number DESC) WHERE ((account_id IS NOT NULL) AND (action <> 'write'::text));
CREATE INDEX audit_entries_without_intent ON public.audit_entries USING btree (created_at) WHERE (intent_id IS NULL);
CREATE TRIGGER audit_entries_append_only BEFORE UPDATE OR TRUNCATE ON public.audit_entries FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_entries_deletion AFTER DELETE ON public.audit_entries REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_deletion();

create table audit_head (
  only_row boolean not null default true,
  number bigint not null,
  hash bytea not null,
  constraint audit_head_pkey PRIMARY KEY (only_row),
  constraint audit_head_hash_check CHECK ((octet_length(hash) = 32)),
  constraint audit_head_only_row_check CHECK (only_row)
);

create table audit_seals (
  first bigint not null,
  hashes bytea not null,
  constraint audit_seals_pkey PRIMARY KEY (first),
  constraint audit_seals_hashes_check CHECK ((((octet_length(hashes) >= 32) AND (octet_length(hashes) <= 1280)) AND ((octet_length(hashes) % 32) = 0)))
);
CREATE TRIGGER audit_seals_append_only BEFORE UPDATE OR TRUNCATE ON public.audit_seals FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_seals_deletion AFTER DELETE ON public.audit_seals REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION refuse_seal_deletion();

create table audit_start (
  only_row boolean not null default true,
  number bigint not null,
  hash bytea not null,
  constraint audit_start_pkey PRIMARY KEY (only_row),
  constraint audit_start_hash_check CHECK ((octet_length(hash) = 32)),
  constraint audit_start_only_row_check CHECK (only_row)
);

create table balances (
  account_id uuid not null,
  meter text not null,
  period date not null,
  granted bigint not null default 0,
  held bigint not null default 0,
  committed bigint not null default 0,
  archived bigint not null default 0,
  constraint balances_pkey PRIMARY KEY (account_id, meter, period),
  constraint balances_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint balances_check CHECK (((archived >= 0) AND (archived <= committed))),
  constraint balances_committed_check CHECK ((committed >= 0)),
  constraint balances_grant_check CHECK (
CASE meter
    WHEN 'gas'::text THEN (granted = 0)
    ELSE ((held + committed) <= granted)
END),
  constraint balances_granted_check CHECK ((granted >= 0)),
  constraint balances_held_check CHECK ((held >= 0)),
  constraint balances_meter_check CHECK ((meter = ANY (ARRAY['mints'::text, 'credits'::text, 'gas'::text]))),
  constraint balances_period_check CHECK (((meter = 'gas'::text) OR (EXTRACT(day FROM period) = (1)::numeric)))
);
CREATE INDEX balances_gas ON public.balances USING btree (period) WHERE (meter = 'gas'::text);

create table chain (
  only_row boolean not null default true,
  chain_id bigint not null,
  genesis_hash bytea not null,
  constraint chain_pkey PRIMARY KEY (only_row),
  constraint chain_genesis_hash_check CHECK ((octet_length(genesis_hash) = 32)),
  constraint chain_only_row_check CHECK (only_row)
);

create table contracts (
  contract bytea not null,
  account_id uuid not null,
  operator bytea,
  waiting boolean not null,
  constraint contracts_pkey PRIMARY KEY (contract),
  constraint contracts_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint contracts_operator_fkey FOREIGN KEY (operator) REFERENCES operators(address),
  constraint contracts_contract_check CHECK ((octet_length(contract) = 20))
);
CREATE INDEX contracts_waiting ON public.contracts USING btree (account_id, contract) WHERE waiting;

create table credentials (
  id uuid not null,
  number bigint generated always as identity not null,
  account_id uuid not null,
  kind text not null,
  environment text not null default 'live'::text,
  secret_hash bytea not null,
  name text,
  key_prefix text,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  last_used_at timestamp with time zone,
  session_id uuid,
  constraint credentials_secret_hash_key UNIQUE (secret_hash),
  constraint credentials_pkey PRIMARY KEY (id),
  constraint credentials_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint credentials_api_key_check CHECK (((kind = 'api_key'::text) = ((name IS NOT NULL) AND (key_prefix IS NOT NULL)))),
  constraint credentials_environment_check CHECK ((environment = ANY (ARRAY['live'::text, 'sandbox'::text]))),
  constraint credentials_expiry_check CHECK (((kind = 'api_key'::text) OR ((expires_at IS NOT NULL) AND ((environment = 'sandbox'::text) = (kind = 'sandbox_token'::text))))),
  constraint credentials_kind_check CHECK ((kind = ANY (ARRAY['session'::text, 'access_token'::text, 'sandbox_token'::text, 'api_key'::text]))),
  constraint credentials_secret_hash_check CHECK ((octet_length(secret_hash) = 32)),
  constraint credentials_session_id_check CHECK (((session_id IS NULL) OR (kind = ANY (ARRAY['access_token'::text, 'sandbox_token'::text]))))
);
CREATE INDEX credentials_by_account ON public.credentials USING btree (account_id, kind, number DESC);
CREATE INDEX credentials_by_expiry ON public.credentials USING btree (expires_at) WHERE (kind <> 'api_key'::text);

create table deep_reorgs (
  id bigint generated always as identity not null,
  seen_at timestamp with time zone not null default now(),
  needs_person boolean not null default false,
  resolved_at timestamp with time zone,
  constraint deep_reorgs_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX deep_reorgs_unresolved ON public.deep_reorgs USING btree ((true)) WHERE (resolved_at IS NULL);

create table deployment (
  only_row boolean not null default true,
  id bytea not null default sha256(uuid_send(gen_random_uuid())),
  id_secret bytea not null default sha256((uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))),
  constraint deployment_pkey PRIMARY KEY (only_row),
  constraint deployment_id_check CHECK ((octet_length(id) = 32)),
  constraint deployment_id_secret_check CHECK ((octet_length(id_secret) = 32)),
  constraint deployment_only_row_check CHECK (only_row)
);

create table fees_per_day (
  day date not null,
  wei numeric(40,0) not null,
  constraint fees_per_day_pkey PRIMARY KEY (day),
  constraint fees_per_day_wei_check CHECK ((wei >= (0)::numeric))
);

create table idempotency_records (
  account_id uuid not null,
  environment text not null,
  key text not null,
  request_hash bytea not null,
  intent_number bigint,
  answer jsonb,
  created_at timestamp with time zone not null default now(),
  constraint idempotency_records_pkey PRIMARY KEY (account_id, environment, key),
  constraint idempotency_records_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint idempotency_records_intent_number_fkey FOREIGN KEY (intent_number) REFERENCES intents(number),
  constraint idempotency_records_answer_check CHECK (((intent_number IS NULL) <> (answer IS NULL))),
  constraint idempotency_records_environment_check CHECK ((environment = ANY (ARRAY['live'::text, 'sandbox'::text]))),
  constraint idempotency_records_key_check CHECK (((octet_length(key) >= 1) AND (octet_length(key) <= 255))),
  constraint idempotency_records_request_hash_check CHECK ((octet_length(request_hash) = 32))
);
CREATE INDEX idempotency_records_by_age ON public.idempotency_records USING btree (created_at);
CREATE INDEX idempotency_records_by_intent ON public.idempotency_records USING btree (intent_number) WHERE (intent_number IS NOT NULL);

create table intents (
  number bigint generated always as identity not null,
  id uuid not null,
  account_id uuid not null,
  environment text not null,
  kind text not null,
  contract bytea not null,
  target bytea,
  calldata bytea,
  operator bytea,
  epoch bigint,
  arguments jsonb not null default '{}'::jsonb,
  gas_estimate integer not null default 0,
  gas_max integer not null default 16777216,
  burnt_gas integer not null default 0,
  retry_stage smallint not null default 0,
  is_control boolean not null default false,
  was_requeued boolean not null default false,
  in_doubt boolean not null default false,
  status text not null,
  phase text not null,
  transaction_hash bytea,
  sent_in bigint[] not null default '{}'::bigint[],
  decided_by bigint,
  result bytea,
  error_code text,
  error_message text,
  sequence integer not null default 0,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  final_at timestamp with time zone,
  held_meter text,
  held_amount integer,
  held_remaining integer,
  held_gas integer,
  charged_gas integer,
  constraint intents_id_key UNIQUE (id),
  constraint intents_pkey PRIMARY KEY (number),
  constraint intents_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint intents_burnt_gas_check CHECK ((burnt_gas >= 0)),
  constraint intents_call_check CHECK (((target IS NULL) = (calldata IS NULL))),
  constraint intents_call_epoch_check CHECK (((operator IS NULL) = (epoch IS NULL))),
  constraint intents_call_operator_check CHECK (((target IS NULL) = (operator IS NULL))),
  constraint intents_contract_check CHECK ((octet_length(contract) = 20)),
  constraint intents_decided_check CHECK (((decided_by IS NULL) OR ((status <> 'queued'::text) AND ((decided_by = ANY (sent_in)) IS TRUE)))),
  constraint intents_end_check CHECK (((status <> ALL (ARRAY['failed'::text, 'cancelled'::text])) OR (final_at IS NOT NULL))),
  constraint intents_environment_check CHECK ((environment = ANY (ARRAY['live'::text, 'sandbox'::text]))),
  constraint intents_error_code_check CHECK (((status = 'failed'::text) = (error_code IS NOT NULL))),
  constraint intents_error_message_check CHECK (((error_code IS NULL) = (error_message IS NULL))),
  constraint intents_final_check CHECK (((final_at IS NULL) OR (status = ANY (ARRAY['confirmed'::text, 'failed'::text, 'cancelled'::text])))),
  constraint intents_gas_check CHECK ((COALESCE((LEAST(held_gas, charged_gas) > 0), true) AND ((target IS NOT NULL) OR (num_nonnulls(held_gas, charged_gas) = 0)))),
  constraint intents_gas_estimate_check CHECK (((gas_estimate >= 0) AND (gas_estimate <= 16777216))),
  constraint intents_gas_max_check CHECK (((gas_max >= 0) AND (gas_max <= 16777216))),
  constraint intents_held_check CHECK ((((held_amount > 0) AND (target IS NOT NULL) AND (num_nulls(held_meter, held_amount, held_remaining) = 0)) OR (num_nonnulls(held_meter, held_amount, held_remaining) = 0))),
  constraint intents_open_call_check CHECK (((status <> ALL (ARRAY['queued'::text, 'submitted'::text, 'quarantined'::text])) OR (target IS NOT NULL))),
  constraint intents_operator_check CHECK ((octet_length(operator) = 20)),
  constraint intents_phase_check CHECK ((phase =
CASE
    WHEN (status = ANY (ARRAY['queued'::text, 'submitted'::text])) THEN 'open'::text
    ELSE status
END)),
  constraint intents_retry_stage_check CHECK (((retry_stage >= 0) AND (retry_stage <= 2))),
  constraint intents_sandbox_check CHECK (((environment = 'live'::text) OR (status = ANY (ARRAY['confirmed'::text, 'failed'::text])))),
  constraint intents_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'submitted'::text, 'confirmed'::text, 'failed'::text, 'cancelled'::text, 'quarantined'::text]))),
  constraint intents_submitted_hash_check CHECK (((status <> 'submitted'::text) OR (transaction_hash IS NOT NULL))),
  constraint intents_target_check CHECK ((octet_length(target) = 20)),
  constraint intents_transaction_hash_check CHECK ((octet_length(transaction_hash) = 32))
) with (autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_cost_delay=0, fillfactor=40);
CREATE INDEX intents_brakes ON public.intents USING btree (account_id, created_at) WHERE ((held_gas IS NULL) AND (target IS NOT NULL) AND (kind = ANY (ARRAY['pause'::text, 'lock_transfers'::text, 'freeze'::text, 'close_mint'::text, 'set_mint_limit'::text])));
CREATE INDEX intents_controls ON public.intents USING btree (contract, number) WHERE is_control;
CREATE INDEX intents_empty ON public.intents USING btree (final_at) WHERE ((environment = 'live'::text) AND ((target IS NULL) OR ((phase || ''::text) = 'cancelled'::text)));
CREATE INDEX intents_live ON public.intents USING btree (number) WHERE (environment = 'live'::text);
CREATE INDEX intents_of_account ON public.intents USING btree (account_id, environment, phase, ((- number)));
CREATE INDEX intents_of_contract ON public.intents USING btree (account_id, contract, phase, ((- number))) WHERE (phase = ANY (ARRAY['confirmed'::text, 'failed'::text, 'cancelled'::text]));
CREATE INDEX intents_of_kind ON public.intents USING btree (account_id, environment, kind, ((- number)), phase, contract) WHERE (kind <> 'mint'::text);
CREATE INDEX intents_open_brakes ON public.intents USING btree (contract, number) WHERE ((phase = 'open'::text) AND is_control AND (kind = ANY (ARRAY['pause'::text, 'lock_transfers'::text, 'freeze'::text, 'close_mint'::text, 'set_mint_limit'::text])));
CREATE INDEX intents_open_controls ON public.intents USING btree (contract, number) WHERE ((phase = 'open'::text) AND is_control);
CREATE INDEX intents_quarantined ON public.intents USING btree (contract) WHERE (phase = 'quarantined'::text);
CREATE INDEX intents_reversible ON public.intents USING btree (contract) WHERE ((phase = 'confirmed'::text) AND (final_at IS NULL));
CREATE INDEX intents_waiting ON public.intents USING btree (contract, number) WHERE (phase = 'open'::text);
CREATE TRIGGER intents_phase BEFORE INSERT ON public.intents FOR EACH ROW WHEN ((new.phase IS NULL)) EXECUTE FUNCTION set_phase(); -- always

create table invites (
  code_hash bytea not null,
  hint text not null,
  created_at timestamp with time zone not null default now(),
  used_by uuid,
  used_at timestamp with time zone,
  tries integer not null default 0,
  constraint invites_used_by_key UNIQUE (used_by),
  constraint invites_pkey PRIMARY KEY (code_hash),
  constraint invites_used_by_fkey FOREIGN KEY (used_by) REFERENCES accounts(id),
  constraint invites_code_hash_check CHECK ((octet_length(code_hash) = 32)),
  constraint invites_tries_check CHECK (((tries >= 0) AND (tries <= 10))),
  constraint invites_used_check CHECK (((used_by IS NULL) = (used_at IS NULL)))
);

create table knex_migrations (
  id integer not null default nextval('knex_migrations_id_seq'::regclass),
  name character varying(255),
  batch integer,
  migration_time timestamp with time zone,
  constraint knex_migrations_pkey PRIMARY KEY (id)
);

create table knex_migrations_lock (
  index integer not null default nextval('knex_migrations_lock_index_seq'::regclass),
  is_locked integer,
  constraint knex_migrations_lock_pkey PRIMARY KEY (index)
);

create table lanes (
  signer bytea not null,
  term bigint not null default 0,
  holder text,
  lease_until timestamp with time zone not null default '-infinity'::timestamp with time zone,
  lease_ms integer not null default 5000,
  taken_at timestamp with time zone,
  next_nonce bigint not null,
  least_nonce bigint not null default 0,
  funded boolean not null default true,
  retiring boolean not null default false,
  buried boolean not null default false,
  progressed_at timestamp with time zone not null default now(),
  is_sender boolean not null default false,
  trouble text,
  trouble_since timestamp with time zone,
  constraint lanes_pkey PRIMARY KEY (signer),
  constraint lanes_buried_check CHECK ((retiring OR (NOT buried))),
  constraint lanes_least_nonce_check CHECK ((least_nonce >= 0)),
  constraint lanes_next_nonce_check CHECK ((next_nonce >= 0)),
  constraint lanes_sender_check CHECK ((NOT (is_sender AND retiring))),
  constraint lanes_signer_check CHECK ((octet_length(signer) = 20)),
  constraint lanes_trouble_check CHECK ((trouble = ANY (ARRAY['signer'::text, 'budget'::text, 'stuck'::text]))),
  constraint lanes_trouble_since_check CHECK (((trouble IS NULL) = (trouble_since IS NULL)))
);
CREATE UNIQUE INDEX lanes_sender ON public.lanes USING btree (is_sender) WHERE is_sender;

create view ledger as
 SELECT intents.number AS intent_number,
    intents.account_id,
    intents.held_meter AS meter,
    date_trunc('month'::text, (intents.created_at AT TIME ZONE 'utc'::text))::date AS period,
        CASE
            WHEN intents.final_at IS NULL THEN intents.held_amount
            ELSE 0
        END AS held,
        CASE
            WHEN intents.final_at IS NOT NULL AND intents.status = 'confirmed'::text THEN intents.held_amount
            ELSE 0
        END AS committed
   FROM intents
  WHERE intents.held_amount IS NOT NULL
UNION ALL
 SELECT intents.number AS intent_number,
    intents.account_id,
    'gas'::text AS meter,
    (intents.created_at AT TIME ZONE 'utc'::text)::date AS period,
        CASE
            WHEN intents.final_at IS NULL THEN COALESCE(intents.held_gas, 0)
            ELSE 0
        END AS held,
        CASE
            WHEN intents.final_at IS NOT NULL THEN COALESCE(intents.charged_gas, 0)
            ELSE 0
        END AS committed
   FROM intents
  WHERE intents.held_gas IS NOT NULL OR intents.charged_gas IS NOT NULL;

create table login_attempts (
  key text not null,
  points integer not null,
  expire double precision,
  constraint login_attempts_pkey PRIMARY KEY (key)
);
CREATE INDEX login_attempts_by_age ON public.login_attempts USING btree (expire);

create table migration_releases (
  name text not null,
  release text not null,
  needs text,
  constraint migration_releases_pkey PRIMARY KEY (name)
);

create table nfts (
  contract bytea not null,
  token_id bigint not null,
  recipient bytea not null,
  intent_number bigint not null,
  transaction_hash bytea,
  created_at timestamp with time zone not null default now(),
  constraint nfts_pkey PRIMARY KEY (contract, token_id),
  constraint nfts_contract_fkey FOREIGN KEY (contract) REFERENCES tokens(address),
  constraint nfts_recipient_check CHECK ((octet_length(recipient) = 20)),
  constraint nfts_token_id_check CHECK ((token_id > 0)),
  constraint nfts_transaction_hash_check CHECK ((octet_length(transaction_hash) = 32))
);
CREATE INDEX nfts_by_intent ON public.nfts USING btree (intent_number);

create table operators (
  address bytea not null,
  epoch bigint not null default 1,
  tag bytea,
  raised_in bigint default 0,
  is_current boolean not null,
  constraint operators_pkey PRIMARY KEY (address),
  constraint operators_address_check CHECK ((octet_length(address) = 20)),
  constraint operators_epoch_check CHECK ((epoch > 0)),
  constraint operators_raised_check CHECK (((tag IS NOT NULL) OR (raised_in IS NOT NULL))),
  constraint operators_tag_check CHECK ((octet_length(tag) = 32))
);
CREATE UNIQUE INDEX operators_current ON public.operators USING btree (is_current) WHERE is_current;

create table paused_operators (
  signer bytea not null,
  operator bytea not null,
  reason text not null,
  since timestamp with time zone not null default now(),
  constraint paused_operators_pkey PRIMARY KEY (signer, operator),
  constraint paused_operators_signer_fkey FOREIGN KEY (signer) REFERENCES lanes(signer),
  constraint paused_operators_operator_check CHECK ((octet_length(operator) = 20)),
  constraint paused_operators_reason_check CHECK ((reason = ANY (ARRAY['stopped'::text, 'wrong-epoch'::text, 'no-role'::text])))
);

create table quarantined (
  intent_number bigint not null,
  error text not null,
  since timestamp with time zone not null default now(),
  constraint quarantined_pkey PRIMARY KEY (intent_number),
  constraint quarantined_intent_number_fkey FOREIGN KEY (intent_number) REFERENCES intents(number)
);

create table reader (
  only_row boolean not null default true,
  term bigint not null default 0,
  holder text,
  lease_until timestamp with time zone not null default '-infinity'::timestamp with time zone,
  lease_ms integer not null default 5000,
  final_number bigint,
  final_hash bytea,
  head_number bigint,
  head_hash bytea,
  head_at timestamp with time zone,
  looked_at timestamp with time zone,
  first_number bigint,
  first_hash bytea,
  silent_since timestamp with time zone,
  constraint reader_pkey PRIMARY KEY (only_row),
  constraint reader_cursor_check CHECK (((head_number IS NULL) = (final_number IS NULL))),
  constraint reader_final_check CHECK (((final_number IS NULL) = (final_hash IS NULL))),
  constraint reader_final_hash_check CHECK ((octet_length(final_hash) = 32)),
  constraint reader_first_check CHECK (((first_number IS NULL) = (first_hash IS NULL))),
  constraint reader_first_hash_check CHECK ((octet_length(first_hash) = 32)),
  constraint reader_head_check CHECK (((head_number IS NULL) = (head_hash IS NULL))),
  constraint reader_head_hash_check CHECK ((octet_length(head_hash) = 32)),
  constraint reader_only_row_check CHECK (only_row)
) with (fillfactor=10);

create table server (
  only_row boolean not null default true,
  identity text not null default server_identity(),
  is_suspect boolean not null default false,
  lost_since timestamp with time zone,
  losses integer not null default 0,
  emptied_up_to bigint not null default 0,
  constraint server_pkey PRIMARY KEY (only_row),
  constraint server_only_row_check CHECK (only_row)
);

create table tokens (
  address bytea not null,
  intent_number bigint not null,
  account_id uuid not null,
  environment text not null,
  type text not null,
  name text not null,
  symbol text not null,
  decimals smallint,
  base_uri text,
  permissionless boolean not null,
  recoverable boolean not null default false,
  created_at timestamp with time zone not null default now(),
  deployed_at timestamp with time zone,
  constraint tokens_intent_number_key UNIQUE (intent_number),
  constraint tokens_pkey PRIMARY KEY (address),
  constraint tokens_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint tokens_intent_number_fkey FOREIGN KEY (intent_number) REFERENCES intents(number),
  constraint tokens_address_check CHECK ((octet_length(address) = 20)),
  constraint tokens_base_uri_check CHECK ((octet_length(base_uri) <= 256)),
  constraint tokens_decimals_check CHECK (((decimals >= 0) AND (decimals <= 18))),
  constraint tokens_environment_check CHECK ((environment = ANY (ARRAY['live'::text, 'sandbox'::text]))),
  constraint tokens_name_check CHECK (((octet_length(name) >= 1) AND (octet_length(name) <= 64))),
  constraint tokens_symbol_check CHECK (((octet_length(symbol) >= 1) AND (octet_length(symbol) <= 16))),
  constraint tokens_type_base_uri_check CHECK (((base_uri IS NULL) OR (type = 'ERC721'::text))),
  constraint tokens_type_check CHECK ((type = ANY (ARRAY['ERC20'::text, 'ERC721'::text]))),
  constraint tokens_type_decimals_check CHECK (((type = 'ERC20'::text) = (decimals IS NOT NULL)))
);
CREATE INDEX tokens_by_account ON public.tokens USING btree (account_id, environment, intent_number DESC);

create view transaction_intents as
 SELECT t.id AS transaction_id,
    (m.place - 1)::integer AS "position",
    m.number AS intent_number,
    m.gas_cap,
    COALESCE(i.decided_by = t.id, false) AS decides
   FROM transactions t
     CROSS JOIN LATERAL UNNEST(t.intent_numbers, t.gas_caps) WITH ORDINALITY m(number, gas_cap, place)
     LEFT JOIN ( SELECT intents.number,
            intents.decided_by
           FROM intents) i USING (number);

create table transactions (
  id bigint generated always as identity not null,
  signer bytea not null,
  nonce bigint not null,
  status text not null default 'open'::text,
  is_noop boolean not null default false,
  was_refused boolean not null default false,
  gas_limit bigint not null,
  expected_gas bigint not null,
  expected_fee numeric(40,0) not null default 0,
  fee numeric(40,0),
  operator bytea not null,
  epoch bigint not null,
  calldata bytea not null,
  intent_numbers bigint[] not null default '{}'::bigint[],
  gas_caps integer[] not null default '{}'::integer[],
  mined_hash bytea,
  block_number bigint,
  block_hash bytea,
  created_at timestamp with time zone not null default now(),
  constraint transactions_signer_nonce_key UNIQUE (signer, nonce),
  constraint transactions_pkey PRIMARY KEY (id),
  constraint transactions_signer_fkey FOREIGN KEY (signer) REFERENCES lanes(signer),
  constraint transactions_block_check CHECK (((block_hash IS NULL) = (block_number IS NULL))),
  constraint transactions_block_hash_check CHECK ((octet_length(block_hash) = 32)),
  constraint transactions_expected_fee_check CHECK ((expected_fee >= (0)::numeric)),
  constraint transactions_expected_gas_check CHECK ((expected_gas > 0)),
  constraint transactions_fee_check CHECK ((fee >= (0)::numeric)),
  constraint transactions_final_check CHECK (((status <> 'final'::text) OR (mined_hash IS NOT NULL))),
  constraint transactions_gas_limit_check CHECK ((gas_limit > 0)),
  constraint transactions_mined_check CHECK (((mined_hash IS NULL) OR (status = ANY (ARRAY['mined'::text, 'final'::text])))),
  constraint transactions_mined_hash_check CHECK ((octet_length(mined_hash) = 32)),
  constraint transactions_nonce_check CHECK ((nonce >= 0)),
  constraint transactions_open_check CHECK (((status = 'open'::text) = (block_hash IS NULL))),
  constraint transactions_operator_check CHECK ((octet_length(operator) = 20)),
  constraint transactions_places_check CHECK (((cardinality(intent_numbers) = cardinality(gas_caps)) AND (0 < ALL (gas_caps)) AND (array_position(intent_numbers, NULL::bigint) IS NULL) AND (array_position(gas_caps, NULL::integer) IS NULL))),
  constraint transactions_refused_check CHECK (((NOT was_refused) OR (mined_hash IS NOT NULL))),
  constraint transactions_status_check CHECK ((status = ANY (ARRAY['open'::text, 'mined'::text, 'final'::text, 'displaced'::text])))
) with (autovacuum_vacuum_scale_factor=0.02);
CREATE INDEX transactions_displaced ON public.transactions USING btree (signer, nonce) WHERE (status = 'displaced'::text);
CREATE INDEX transactions_unfinished ON public.transactions USING btree (signer, nonce) WHERE (status = ANY (ARRAY['open'::text, 'mined'::text]));
CREATE INDEX transactions_unpriced ON public.transactions USING btree (created_at) WHERE ((fee IS NULL) AND (status <> 'displaced'::text));

create table unknown_effects (
  operator bytea not null,
  epoch bigint not null,
  number bigint not null,
  client_key bytea not null,
  transaction_hash bytea not null,
  block_number bigint not null,
  noted_at timestamp with time zone not null default now(),
  intent_number bigint,
  constraint unknown_effects_pkey PRIMARY KEY (operator, epoch, number),
  constraint unknown_effects_intent_number_fkey FOREIGN KEY (intent_number) REFERENCES intents(number) ON DELETE CASCADE,
  constraint unknown_effects_operator_fkey FOREIGN KEY (operator) REFERENCES operators(address),
  constraint unknown_effects_client_key_check CHECK ((octet_length(client_key) = 8)),
  constraint unknown_effects_transaction_hash_check CHECK ((octet_length(transaction_hash) = 32))
);
CREATE INDEX unknown_effects_by_intent ON public.unknown_effects USING btree (intent_number);
CREATE INDEX unknown_effects_by_key ON public.unknown_effects USING btree (client_key);

create table webhook_deliveries (
  number bigint generated always as identity not null,
  id uuid not null,
  webhook_id uuid not null,
  account_id uuid not null,
  event text not null,
  intent_id uuid,
  payload text not null,
  status text not null default 'pending'::text,
  attempts integer not null default 0,
  response_status smallint,
  error text,
  next_attempt_at timestamp with time zone,
  attempted_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null default (now() + '30 days'::interval),
  constraint webhook_deliveries_id_key UNIQUE (id),
  constraint webhook_deliveries_pkey PRIMARY KEY (number),
  constraint webhook_deliveries_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES webhooks(id),
  constraint webhook_deliveries_attempts_check CHECK ((attempts >= 0)),
  constraint webhook_deliveries_pending_check CHECK (((status = 'pending'::text) = (next_attempt_at IS NOT NULL))),
  constraint webhook_deliveries_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text])))
);
CREATE INDEX webhook_deliveries_by_end ON public.webhook_deliveries USING btree (expires_at);
CREATE INDEX webhook_deliveries_by_webhook ON public.webhook_deliveries USING btree (webhook_id, number DESC);
CREATE INDEX webhook_deliveries_failed ON public.webhook_deliveries USING btree (webhook_id, number DESC) WHERE (status = 'failed'::text);
CREATE INDEX webhook_deliveries_waiting ON public.webhook_deliveries USING btree (account_id, next_attempt_at, number) INCLUDE (created_at) WHERE (status = 'pending'::text);

create table webhooks (
  id uuid not null,
  number bigint generated always as identity not null,
  account_id uuid not null,
  environment text not null,
  url text not null,
  events text[] not null,
  enabled boolean not null default true,
  disabled_reason text,
  secret bytea,
  previous_secret bytea,
  previous_secret_until timestamp with time zone,
  failing_since timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  deleted_at timestamp with time zone,
  constraint webhooks_pkey PRIMARY KEY (id),
  constraint webhooks_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint webhooks_deleted_check CHECK (((secret IS NULL) = (deleted_at IS NOT NULL))),
  constraint webhooks_disabled_check CHECK (((disabled_reason IS NULL) OR (NOT enabled))),
  constraint webhooks_disabled_reason_check CHECK ((disabled_reason = ANY (ARRAY['GONE'::text, 'FAILING'::text]))),
  constraint webhooks_enabled_check CHECK (((deleted_at IS NULL) OR (NOT enabled))),
  constraint webhooks_environment_check CHECK ((environment = ANY (ARRAY['live'::text, 'sandbox'::text]))),
  constraint webhooks_events_check CHECK ((cardinality(events) > 0)),
  constraint webhooks_previous_secret_check CHECK (((previous_secret IS NULL) = (previous_secret_until IS NULL))),
  constraint webhooks_url_check CHECK (((octet_length(url) >= 1) AND (octet_length(url) <= 2048)))
);
CREATE INDEX webhooks_by_account ON public.webhooks USING btree (account_id, environment, number DESC) WHERE (deleted_at IS NULL);
CREATE INDEX webhooks_deleted ON public.webhooks USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);
