import { recordWrites } from '../../db/audit.ts';
import { hasRows, query } from '../../db/client.ts';
import type { Db, Tx } from '../../db/client.ts';
import { inList } from '../../db/in-list.ts';
import { pageBindings } from '../../db/page.ts';
import { toBytes } from '../../lib/hex.ts';
import type { Hex } from '../../lib/hex.ts';
import type { ErrorCode } from '../../errors.ts';
import type { Owner } from '../../lib/owner.ts';
import type { Page } from '../../lib/page.ts';
import type { Meter } from '../../lib/plans.ts';
import { hasVerdict } from '../intent.ts';
import type { Intent, IntentStatus, NewIntent } from '../intent.ts';
import type { Holds } from '../ports.ts';
import { noteAccepted } from './queue.ts';
import { NOTICE_OF_QUEUED } from './notices.ts';
import { completeOperatorOf, epochOfEffect } from './unknown-effects.ts';

/** An intent as `INTENT_COLUMNS` has it. */
export interface IntentRow extends Omit<Intent, 'error' | 'held'> {
  errorCode: ErrorCode | null;
  errorMessage: string;
  heldMeter: Meter | null;
  heldAmount: number;
  heldRemaining: number;
}

const TOKEN = `(select jsonb_build_object('symbol', t.symbol, 'decimals', t.decimals)
     from tokens t where t.address = i.contract) as token`;

const CALL_HEAD_BYTES = 68;

/**
 * Public status of `intents i` in SQL: a quarantined intent shows the status that it had before, or that a reorg has
 * left it.
 */
const SHOWN_STATUS = `case when i.status <> 'quarantined' then i.status when i.result is not null then 'confirmed'
       when i.transaction_hash is not null then 'submitted' else 'queued' end`;

/** Columns of `intents i` that make an Intent, with what other records know of it: so no page needs a second query. */
export const INTENT_COLUMNS = `${TOKEN}, substring(i.calldata for ${CALL_HEAD_BYTES}) as "callHead",
  case when i.phase = 'confirmed' and i.result is null
       then (select min(n.token_id) from nfts n where n.intent_number = i.number) end as "firstTokenId",
  i.number, i.id, i.account_id as "accountId", i.environment, i.kind, i.contract, i.arguments, ${SHOWN_STATUS} as status, i.result,
  i.error_code as "errorCode", i.error_message as "errorMessage", i.transaction_hash as "transactionHash", i.burnt_gas as "burntGas",
  i.held_meter as "heldMeter", i.held_amount as "heldAmount", i.held_remaining as "heldRemaining", i.held_gas as "heldGas",
  i.charged_gas as "chargedGas", i.sequence, i.created_at as "createdAt", i.updated_at as "updatedAt"`;

export const toIntent = ({
  errorCode,
  errorMessage,
  heldMeter,
  heldAmount,
  heldRemaining,
  ...row
}: IntentRow): Intent => ({
  ...row,
  error: errorCode && { code: errorCode, message: errorMessage },
  held: heldMeter && { meter: heldMeter, amount: heldAmount, remaining: heldRemaining },
});

/** A request that is accepted, with what it took. */
interface Granted extends Holds {
  request: NewIntent;
}

/** What is stored of a request: columns of `intents`, their types and values. */
const ASKED: Readonly<Record<string, readonly [type: string, value: (granted: Granted) => unknown]>> = {
  account_id: ['uuid', ({ request }) => request.accountId],
  environment: ['text', ({ request }) => request.environment],
  kind: ['text', ({ request }) => request.kind],
  contract: ['bytea', ({ request }) => toBytes(request.contract)],
  target: ['bytea', ({ request: { call } }) => call && toBytes(call.target)],
  calldata: ['bytea', ({ request: { call } }) => call && toBytes(call.data)],
  arguments: ['jsonb', ({ request }) => JSON.stringify(request.arguments)],
  gas_estimate: ['int', ({ request: { call } }) => call?.gasEstimate ?? 0],
  gas_max: ['int', ({ request: { call } }) => call?.gasMax ?? 0],
  is_control: ['boolean', ({ request: { call } }) => call?.isControl ?? false],
  held_meter: ['text', ({ held }) => held && held.meter],
  held_amount: ['int', ({ held }) => held && held.amount],
  held_remaining: ['int', ({ held }) => held && held.remaining],
  held_gas: ['int', ({ heldGas }) => heldGas],
};

/** The same of what is written down elsewhere. */
const BESIDES: typeof ASKED = {
  asked_id: ['uuid', ({ request }) => request.id],
  credential_id: ['uuid', ({ request }) => request.origin.credentialId],
  address: ['text', ({ request }) => request.origin.address],
  user_agent: ['text', ({ request }) => request.origin.userAgent],
};

const GIVEN = Object.entries({ ...ASKED, ...BESIDES });
const ASKED_COLUMNS = Object.keys(ASKED).join(', ');
const GIVEN_ROWS = `unnest(${GIVEN.map(([name, [type]]) => `:${name}::${type}[]`).join(', ')}) with ordinality
              as r (${GIVEN.map(([name]) => name).join(', ')}, place)`;

/**
 * Inserts accepted requests of locked accounts, wakes the lanes when some of them have to be sent, and returns the
 * intents in the same order. What changes something has its entry in the audit log; what the chain has already is no
 * change.
 */
export async function insertIntents(tx: Tx, granted: readonly Granted[]): Promise<Intent[]> {
  const rows = await query<NewRow>(
    tx,
    `with asked as (
       select * from ${GIVEN_ROWS}
     ), r as materialized (
       -- By a clock that was set back, a key that is free again may give an id that is not.
       select *, case when exists (select 1 from intents where id = asked_id) then gen_random_uuid() else asked_id end as id from asked
     ), audited as (
       ${recordWrites("(select * from r where target is not null or environment = 'sandbox') changes")}
     ), i as (
       insert into intents (number, id, ${ASKED_COLUMNS}, operator, epoch, status, sequence, created_at, final_at)
       overriding system value
       select nextval(case environment when 'sandbox' then 'sandbox_intents_number_seq'::regclass else 'intents_number_seq'::regclass end),
              id, ${ASKED_COLUMNS},
              case when target is not null then o.operator end,
              case when target is not null then coalesce(${epochOfEffect('r.id', 'o')}, o.epoch) end,
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
     select r.asked_id as "askedId", i.id, i.number, i.status, i.created_at as "createdAt", i.updated_at as "updatedAt", ${TOKEN}
       from i join r on r.id = i.id left join noticed on true`,
    Object.fromEntries(GIVEN.map(([name, [, value]]) => [name, granted.map(value)])),
  );
  const byAsked = new Map(rows.map((row) => [row.askedId, row]));
  return granted.map((each) => acceptedIntent(each, byAsked.get(each.request.id)!));
}

/** What the database has given to an accepted request. */
type NewRow = Pick<Intent, 'id' | 'number' | 'status' | 'token' | 'createdAt' | 'updatedAt'> & {
  askedId: string;
};

/** The intent of a request; the rest of its row is what was asked, and need not come back. */
function acceptedIntent(
  { request: { accountId, environment, kind, contract, call, arguments: asked }, ...holds }: Granted,
  { askedId: _askedId, ...given }: NewRow,
): Intent {
  return {
    ...{ accountId, environment, kind, contract },
    ...given,
    arguments: asked,
    result: null,
    firstTokenId: null,
    callHead: call && (call.data.slice(0, 2 + 2 * CALL_HEAD_BYTES) as Hex),
    error: null,
    transactionHash: null,
    burntGas: 0,
    chargedGas: null,
    sequence: given.status === 'confirmed' ? 1 : 0,
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

/** Which intents a page shows; null for all. */
export interface IntentPage extends Page {
  /** `open` for those that are queued or submitted. */
  status: IntentStatus | 'open' | null;
  kind: string | null;
  contract: Hex | null;
}

const OPEN = ['queued', 'submitted'] as const;
const PHASES = ['open', 'confirmed', 'failed', 'cancelled', 'quarantined'] as const;
/** What there is most of by far: `intents_of_kind` has all others. */
const COMMON_KIND = 'mint';

/** A page, newest first. However few of an account's intents a filter lets through, an index finds them. */
export async function listIntents(db: Db, owner: Owner, page: IntentPage): Promise<Intent[]> {
  const shown = page.status === 'open' ? OPEN : page.status && [page.status];
  const isCommon = page.kind === null || page.kind === COMMON_KIND;
  const sql = isCommon ? byStatus(page, shown) : byKind(page, shown);
  const rows = await query<IntentRow>(db, `${sql} limit :limit`, {
    ...owner,
    ...pageBindings(page),
    contract: page.contract && toBytes(page.contract),
  });
  return rows.map(toIntent);
}

type Filter = Pick<IntentPage, 'kind' | 'contract'>;
type Shown = readonly IntentStatus[] | null;

/** What indexes know of a status. */
const phaseOf = (status: IntentStatus): string => (hasVerdict(status) ? status : 'open');

/**
 * Each phase is read by itself, since an index has its intents in the order of the page: no more rows are read than a
 * page has, for each phase. Those of the common kind are hardly ever rare among them.
 */
function byStatus({ kind, contract }: Filter, shown: Shown): string {
  // No index is used for "is not distinct from": not the one of all contracts either, in which those of one may be far
  // apart.
  const within = contract
    ? 'i.contract = :contract and i.environment is not distinct from :environment'
    : 'i.environment = :environment';
  const ofKind = kind === null ? '' : `and i.kind = '${COMMON_KIND}'`;
  const parts = (shown ? [...new Set(shown.map(phaseOf)), 'quarantined'] : PHASES).map((phase) => {
    const asShown = shown ? `and ${SHOWN_STATUS} ${inList(shown)}` : '';
    return `(select ${INTENT_COLUMNS} from intents i
      where i.account_id = :accountId and ${within} and i.phase = '${phase}' ${ofKind}
        and -i.number > -(:before::bigint) ${asShown}
      order by -i.number limit :limit)`;
  });
  return `${parts.join(' union all ')} order by number desc`;
}

/**
 * The kind stands in the statement, so that its index is found. That has all that is filtered by: what a filter leaves
 * out is not read from the table.
 */
function byKind({ kind, contract }: Filter, shown: Shown): string {
  if (kind === null || !/^[a-z_]+$/.test(kind)) throw new Error(`${kind} is no name of a kind`);
  const asShown = shown
    ? `and i.phase ${inList([...shown.map(phaseOf), 'quarantined'])} and ${SHOWN_STATUS} ${inList(shown)}`
    : '';
  return `select ${INTENT_COLUMNS} from intents i
    where i.account_id = :accountId and i.environment = :environment and i.kind = '${kind}' ${contract ? 'and i.contract = :contract' : ''}
      and -i.number > -(:before::bigint) ${asShown}
    order by -i.number`;
}
