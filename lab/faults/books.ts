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
            coalesce((select sum(case kind when 'charge' then amount else -amount end) from ledger
                       where intent_number = number and kind in ('charge', 'refund')), 0)::float8 as gas,
            not in_ledger and kind in ('pause', 'lock_transfers', 'freeze', 'close_mint', 'set_mint_limit') as exempt
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
 * Counts balances that differ from their ledger rows, holds that differ from the verdict of their intent, and metered
 * intents without a hold.
 */
export async function countLedgerErrors(db: Db): Promise<number> {
  const [row] = await query<{ errors: number }>(
    db,
    `with sums as (
       select account_id, meter, period,
              coalesce(sum(amount) filter (where kind = 'grant'), 0) as granted,
              coalesce(sum(amount) filter (where kind in ('hold', 'retract', 'recharge')), 0)
                - coalesce(sum(amount) filter (where kind in ('commit', 'release')), 0) as held,
              coalesce(sum(amount) filter (where kind in ('commit', 'charge')), 0)
                - coalesce(sum(amount) filter (where kind in ('retract', 'refund')), 0) as committed
         from ledger group by 1, 2, 3
     ), wrong_balances as (
       select 1 from balances b left join sums s using (account_id, meter, period)
         left join ledger_closings c using (account_id, meter, period)
        where b.held <> coalesce(s.held, 0) or b.committed <> coalesce(s.committed, 0) + coalesce(c.committed, 0) or b.granted <> coalesce(s.granted, 0)
     ), wrong_holds as (
       -- A deep reorg opens an ended hold again: the verdict that counts is that of its last round.
       select 1 from intents i join ledger h on h.intent_number = i.number and h.kind = 'hold'
         cross join lateral (
           select count(*) as round, count(*) filter (where r.amount <> h.amount) as wrong from ledger r
            where r.intent_number = i.number and (r.meter = 'gas') = (h.meter = 'gas')
              and r.kind in ('retract', 'recharge')) r
         left join ledger v
           on v.intent_number = i.number and (v.meter = 'gas') = (h.meter = 'gas') and v.kind in ('commit', 'release') and v.round = r.round
        where r.wrong > 0 or v.amount <> h.amount
           or (i.final_at is not null and v.kind is distinct from
                 case when i.status = 'confirmed' and h.meter <> 'gas' then 'commit' else 'release' end)
           or (i.final_at is null and v.kind is not null)
     ), missing_holds as (
       -- Whatever is metered was held when it was accepted: a unit each, or the price of a collection.
       select 1 from intents i
        where i.environment = 'live' and i.kind in ('mint', 'batch_mint', 'deploy_token', 'create_collection')
          and not exists (
            select 1 from ledger h
             where h.intent_number = i.number and h.kind = 'hold' and h.meter <> 'gas'
               and (i.kind = 'create_collection' or h.amount =
                      case i.kind when 'batch_mint' then jsonb_array_length(i.arguments -> 'recipients') else 1 end))
     ), wrong_rounds as (
       -- What opens a hold again undoes the verdict of the round before.
       select 1 from ledger r
        where r.kind in ('retract', 'recharge') and not exists (
          select 1 from ledger v
           where v.intent_number = r.intent_number and v.meter = r.meter and v.round = r.round - 1
             and v.kind = case r.kind when 'retract' then 'commit' else 'release' end)
     ), wrong_charges as (
       -- Of what was charged and not refunded: one a verdict at the most, and none without a verdict that is final.
       select 1 from (
         select intent_number, max(meter) as meter, count(*) filter (where kind = 'charge') - count(*) filter (where kind = 'refund') as open
           from ledger where kind in ('charge', 'refund') group by intent_number) c
         join intents i on i.number = c.intent_number
        where c.meter <> 'gas' or c.open not in (0, 1) or (c.open = 1 and (i.final_at is null or i.status = 'cancelled' and i.burnt_gas = 0))
     )
     select (select count(*) from wrong_balances)::int + (select count(*) from wrong_charges)::int + (select count(*) from wrong_holds)::int
              + (select count(*) from missing_holds)::int + (select count(*) from wrong_rounds)::int as errors`,
  );
  return row!.errors;
}
