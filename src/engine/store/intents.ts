import { recordWrites } from '../../db/audit.ts';
import { hasRows, query } from '../../db/client.ts';
import type { Db, Tx } from '../../db/client.ts';
import { toBytes } from '../../lib/hex.ts';
import type { Hex } from '../../lib/hex.ts';
import type { ErrorCode } from '../../errors.ts';
import type { Environment, Owner } from '../../lib/owner.ts';
import type { Meter } from '../../lib/plans.ts';
import type { Intent, IntentStatus, NewIntent } from '../intent.ts';
import type { Holds } from '../ports.ts';
import { noteAccepted } from './queue.ts';
import { NOTICE_OF_QUEUED } from './notices.ts';
import { completeOperatorOf, epochOfEffect } from './unknown-effects.ts';

export interface IntentRow {
  number: bigint;
  id: string;
  account_id: string;
  environment: Environment;
  kind: string;
  contract: Hex;
  arguments: Record<string, unknown>;
  status: IntentStatus | 'quarantined';
  result: Hex | null;
  token: Intent['token'];
  first_token_id: bigint | null;
  call_head: Hex | null;
  error_code: ErrorCode | null;
  error_message: string | null;
  transaction_hash: Hex | null;
  burnt_gas: number;
  held_meter: Meter | null;
  held_amount: number;
  held_remaining: number;
  held_gas: number | null;
  charged_gas: number | null;
  sequence: number;
  created_at: Date;
  updated_at: Date;
}

const TOKEN = `(select jsonb_build_object('symbol', t.symbol, 'decimals', t.decimals)
     from tokens t where t.address = i.contract) as token`;

const CALL_HEAD_BYTES = 68;

/** Columns of `intents i` that make an Intent, with what other records know of it: so no page needs a second query. */
export const INTENT_COLUMNS = `${TOKEN}, substring(i.calldata for ${CALL_HEAD_BYTES}) as call_head,
  case when i.phase = 'confirmed' and i.result is null
       then (select min(n.token_id) from nfts n where n.intent_number = i.number) end as first_token_id,
  i.number, i.id, i.account_id, i.environment, i.kind, i.contract, i.arguments, i.status, i.result,
  i.error_code, i.error_message, i.transaction_hash, i.burnt_gas, i.held_meter, i.held_amount, i.held_remaining,
  i.held_gas, i.charged_gas, i.sequence, i.created_at, i.updated_at`;

/**
 * Public status of `intents i` in SQL: a quarantined intent shows the status that it had before, or that a reorg has
 * left it.
 */
export const SHOWN_STATUS = `case when i.status <> 'quarantined' then i.status when i.result is not null then 'confirmed'
       when i.transaction_hash is not null then 'submitted' else 'queued' end`;

/** The same of a row. */
function shownStatus({ status, result, transaction_hash: hash }: IntentRow): IntentStatus {
  if (status !== 'quarantined') return status;
  if (result) return 'confirmed';
  return hash ? 'submitted' : 'queued';
}

export const toIntent = (row: IntentRow): Intent => ({
  number: row.number,
  id: row.id,
  accountId: row.account_id,
  environment: row.environment,
  kind: row.kind,
  contract: row.contract,
  arguments: row.arguments,
  status: shownStatus(row),
  result: row.result,
  token: row.token,
  firstTokenId: row.first_token_id,
  callHead: row.call_head,
  error: row.error_code && { code: row.error_code, message: row.error_message! },
  transactionHash: row.transaction_hash,
  burntGas: row.burnt_gas,
  held: row.held_meter && {
    meter: row.held_meter,
    amount: row.held_amount,
    remaining: row.held_remaining,
  },
  heldGas: row.held_gas,
  chargedGas: row.charged_gas,
  sequence: row.sequence,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

/** A request that is accepted, with what it took. */
interface Granted extends Holds {
  request: NewIntent;
}

/**
 * Inserts accepted requests of locked accounts, wakes the lanes when some of them have to be sent, and returns the intents in
 * the same order. What changes something has its entry in the audit log; what the chain has already is no change.
 */
export async function insertIntents(tx: Tx, granted: readonly Granted[]): Promise<Intent[]> {
  const requests = granted.map(({ request }) => request);
  const rows = await query<NewRow>(
    tx,
    `with asked as (
       select * from unnest(:ids::uuid[], :accountIds::uuid[], :environments::text[], :kinds::text[],
                   :contracts::bytea[], :targets::bytea[], :calldata::bytea[], :arguments::jsonb[],
                   :gasEstimates::int[], :gasMaxima::int[], :areControls::boolean[],
                   :heldMeters::text[], :heldAmounts::int[], :heldRemaining::int[], :heldGas::int[],
                   :credentialIds::uuid[], :addresses::text[], :userAgents::text[]) with ordinality
              as r (asked_id, account_id, environment, kind, contract, target, calldata, arguments, gas_estimate, gas_max, is_control,
                    held_meter, held_amount, held_remaining, held_gas, credential_id, address, user_agent, place)
     ), r as materialized (
       -- By a clock that was set back, a key that is free again may give an id that is not.
       select *, case when exists (select 1 from intents where id = asked_id) then gen_random_uuid() else asked_id end as id from asked
     ), audited as (
       ${recordWrites("(select * from r where target is not null or environment = 'sandbox') changes")}
     ), i as (
       insert into intents (number, id, account_id, environment, kind, contract, target, calldata, operator, epoch, arguments, gas_estimate, gas_max, is_control,
                            held_meter, held_amount, held_remaining, held_gas, status, sequence, created_at, final_at)
       overriding system value
       select nextval(case environment when 'sandbox' then 'sandbox_intents_number_seq'::regclass else 'intents_number_seq'::regclass end),
              id, account_id, environment, kind, contract, target, calldata,
              case when target is not null then o.address end,
              case when target is not null then coalesce(${epochOfEffect('r.id', 'o')}, o.epoch) end,
              arguments, gas_estimate, gas_max, is_control,
              held_meter, held_amount, held_remaining, held_gas,
              case when target is null then 'confirmed' else 'queued' end,
              case when target is null then 1 else 0 end,
              -- In the period that its holds were taken of.
              now(), case when target is null then now() end
         -- Without an Operator a constraint refuses it: an epoch is about to begin, and what lost commits did is not known yet.
         from r left join lateral (${completeOperatorOf('r.contract')}) o on true
        -- Volatile functions, nextval among them, are called after the sort.
        order by place
       returning *
     ), waiting as (${noteAccepted("(select contract, account_id from i where status = 'queued')")}
     ), noticed as (${NOTICE_OF_QUEUED} from i where status = 'queued' limit 1)
     -- What nobody selects from is not run.
     select r.asked_id, i.id, i.number, i.status, i.created_at, i.updated_at, ${TOKEN}
       from i join r on r.id = i.id left join noticed on true`,
    {
      ids: requests.map(({ id }) => id),
      accountIds: requests.map(({ accountId }) => accountId),
      environments: requests.map(({ environment }) => environment),
      kinds: requests.map(({ kind }) => kind),
      contracts: requests.map(({ contract }) => toBytes(contract)),
      targets: requests.map(({ call }) => call && toBytes(call.target)),
      calldata: requests.map(({ call }) => call && toBytes(call.data)),
      arguments: requests.map((request) => JSON.stringify(request.arguments)),
      gasEstimates: requests.map(({ call }) => call?.gasEstimate ?? 0),
      gasMaxima: requests.map(({ call }) => call?.gasMax ?? 0),
      areControls: requests.map(({ call }) => call?.isControl ?? false),
      heldMeters: granted.map(({ held }) => held && held.meter),
      heldAmounts: granted.map(({ held }) => held && held.amount),
      heldRemaining: granted.map(({ held }) => held && held.remaining),
      heldGas: granted.map(({ heldGas }) => heldGas),
      credentialIds: requests.map(({ origin }) => origin.credentialId),
      addresses: requests.map(({ origin }) => origin.address),
      userAgents: requests.map(({ origin }) => origin.userAgent),
    },
  );
  const byAsked = new Map(rows.map((row) => [row.asked_id, row]));
  return granted.map((each) => acceptedIntent(each, byAsked.get(each.request.id)!));
}

/** What the database has given to an accepted request. */
type NewRow = Pick<IntentRow, 'id' | 'number' | 'token' | 'created_at' | 'updated_at'> & {
  asked_id: string;
  status: 'queued' | 'confirmed';
};

/** The intent of a request; the rest of its row is what was asked, and need not come back. */
function acceptedIntent(
  { request: { accountId, environment, kind, contract, call, arguments: asked }, ...holds }: Granted,
  { id, number, status, token, created_at: createdAt, updated_at: updatedAt }: NewRow,
): Intent {
  return {
    ...{ number, id, accountId, environment, kind, contract, status, createdAt, updatedAt },
    arguments: asked,
    result: null,
    token,
    firstTokenId: null,
    callHead: call && (call.data.slice(0, 2 + 2 * CALL_HEAD_BYTES) as Hex),
    error: null,
    transactionHash: null,
    burntGas: 0,
    chargedGas: null,
    sequence: status === 'confirmed' ? 1 : 0,
    ...holds,
  };
}

/** Notes what the final verdicts of these intents are charged, as it changes what an earlier one was. */
export async function noteChargedGas(
  tx: Tx,
  charges: readonly { intent: Intent; charge: number }[],
): Promise<void> {
  const changed = charges.filter(({ intent, charge }) => charge !== (intent.chargedGas ?? 0));
  if (changed.length === 0) return;
  await query(
    tx,
    `update intents i set charged_gas = nullif(c.charge, 0)
       from unnest(:numbers::bigint[], :charges::int[]) as c (number, charge) where i.number = c.number`,
    {
      numbers: changed.map(({ intent }) => String(intent.number)),
      charges: changed.map(({ charge }) => charge),
    },
  );
}

/** The intents of these numbers, in no promised order. */
export async function findIntents(db: Db | Tx, numbers: readonly bigint[]): Promise<Intent[]> {
  if (numbers.length === 0) return [];
  const rows = await query<IntentRow>(
    db,
    `select ${INTENT_COLUMNS} from intents i where i.number = any(:numbers::bigint[])`,
    { numbers: numbers.map(String) },
  );
  return rows.map(toIntent);
}

/** The intent of this id if the account owns it in this environment. */
export async function findIntent(db: Db | Tx, owner: Owner, id: string): Promise<Intent | undefined> {
  const [row] = await query<IntentRow>(
    db,
    `select ${INTENT_COLUMNS} from intents i where i.id = :id and i.account_id = :accountId and i.environment = :environment`,
    { id, ...owner },
  );
  return row && toIntent(row);
}

/**
 * Whether anything on this contract is queued, submitted or quarantined, or done in a block that a reorg may still take
 * back.
 */
export function hasOpenIntent(db: Db, contract: Hex): Promise<boolean> {
  return hasRows(
    db,
    // Each part has a partial index of its own; an "or" would leave it to the planner to see them.
    `select 1 from intents where contract = :contract and phase = 'open'
     union all
     select 1 from intents where contract = :contract and phase = 'confirmed' and final_at is null
     union all
     select 1 from intents where contract = :contract and phase = 'quarantined'
      limit 1`,
    { contract: toBytes(contract) },
  );
}
