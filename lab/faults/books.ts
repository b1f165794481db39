import { setTimeout as sleep } from 'node:timers/promises';
import { query } from '../../src/db/client.ts';
import type { Db } from '../../src/db/client.ts';

/*
 * What the service's own books say: the only place where the judge knows tables and columns.
 */

export interface BookedIntent {
  number: bigint;
  id: string;
  account: string;
  environment: 'live' | 'sandbox';
  kind: string;
  /** What was asked for, as far as it is not in the calldata. */
  asked: {
    [Key in 'account' | 'amount' | 'from' | 'symbol' | 'to' | 'tokenId' | 'type']?: string | null;
  } & { recipients?: string[] };
  /** Of what is sent; null when nothing is. */
  calldata: string | null;
  /** Address; of a deployment that of the new contract. */
  contract: string;
  status: string;
  /** Whether it has something to send; a control already in its target state has not. */
  sent: boolean;
  final: boolean;
  /** Mints and deployments in it; none in a free write. */
  units: number;
  /** Gas that its account was charged for it. */
  gas: number;
  /** It stops or bounds a token, and passed beyond the gas of its day: it is charged nothing. */
  exempt: boolean;
  /** Hash of the transaction that the service names; null when it names none. */
  transaction: string | null;
  /** First word of what its call returned; null when nobody can tell. */
  result: string | null;
  /** Code and message of a failure. */
  error: string | null;
}

export const readIntents = (db: Db): Promise<BookedIntent[]> =>
  query<BookedIntent>(
    db,
    `select number, id, account_id as account, environment, kind, arguments as asked, '0x' || encode(calldata, 'hex') as calldata, '0x' || encode(contract, 'hex') as contract, status,
            target is not null as sent, final_at is not null as final,
            '0x' || encode(transaction_hash, 'hex') as transaction, '0x' || encode(substring(result for 32), 'hex') as result,
            error_code || ' ' || error_message as error,
            case when kind in ('mint', 'deploy_token', 'create_collection') then 1
                 when kind = 'batch_mint' then jsonb_array_length(arguments -> 'recipients') else 0 end as units,
            case when final_at is null then 0 else coalesce(charged_gas, 0) end as gas,
            held_gas is null and kind in ('pause', 'lock_transfers', 'freeze', 'close_mint', 'set_mint_limit') as exempt
       from intents order by number`,
  );

/** The intents that may have an effect. */
export const readSent = async (db: Db): Promise<BookedIntent[]> =>
  (await readIntents(db)).filter(({ sent, status }) => sent && status !== 'cancelled');

/** SQL: an intent is not final. */
const IS_OPEN = `final_at is null and (status <> 'confirmed' or target is not null)`;

export const readOpen = (db: Db): Promise<Pick<BookedIntent, 'id' | 'status'>[]> =>
  query(db, `select id, status from intents where ${IS_OPEN}`);

/** Waits until every intent is final. Returns how many are not when the time is over. */
export async function waitForQuiet(db: Db, timeoutMs: number): Promise<number> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const [row] = await query<{ open: number }>(
      db,
      `select count(*)::int as open from intents where ${IS_OPEN}`,
    );
    if (row!.open === 0 || performance.now() > deadline) return row!.open;
    await sleep(200);
  }
}

/**
 * SQL: how many balances are not the sums of the ledger and of what is archived, how many metered intents have no hold,
 * or another one than they should have, and how many cancelled ones were charged.
 */
export const LEDGER_ERRORS = `
  with sums as (
    select account_id, meter, period, sum(held) as held, sum(committed) as committed from ledger group by 1, 2, 3
  ), wrong_balances as (
    select 1 from balances b full join sums s using (account_id, meter, period)
     where b.held is distinct from coalesce(s.held, 0) or b.committed is distinct from b.archived + coalesce(s.committed, 0)
  ), wrong_holds as (
    -- Whatever is metered was held when it was accepted: a unit each, or the price of a collection.
    select 1 from intents
     where environment = 'live' and kind in ('mint', 'batch_mint', 'deploy_token', 'create_collection')
       and (held_amount is null or kind <> 'create_collection' and held_amount <>
              case kind when 'batch_mint' then jsonb_array_length(arguments -> 'recipients') else 1 end)
  ), wrong_charges as (
    select 1 from intents where status = 'cancelled' and charged_gas > 0 and burnt_gas = 0
  )
  select (select count(*) from wrong_balances)::int + (select count(*) from wrong_holds)::int
           + (select count(*) from wrong_charges)::int as errors`;

export async function countLedgerErrors(db: Db): Promise<number> {
  const [row] = await query<{ errors: number }>(db, LEDGER_ERRORS);
  return row!.errors;
}
