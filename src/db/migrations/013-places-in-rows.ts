import type { Migration } from '../migration.ts';

/**
 * Which intents a transaction has, and which transactions an intent was in, stand in their own rows, which are written anyway
 * when it is sent: a mint has a row and three index entries less. `transaction_intents` is a view of them.
 *
 * It belongs to the first release, so that no release before it has to run beside: processes of older commits refuse.
 */
export const placesInRows: Migration = {
  name: '013-places-in-rows',
  needs: '013-places-in-rows',
  steps: [
    {
      table: 'transactions',
      sql: `
        alter table transactions
          -- Its intents, in the order of its calls. What is archived from now on stays named.
          add column intent_numbers bigint[] not null default '{}',
          -- Gas that each of these calls may use, in the same order.
          add column gas_caps integer[] not null default '{}',
          add constraint transactions_places_check
            check (cardinality(intent_numbers) = cardinality(gas_caps) and 0 < all (gas_caps)
                   and array_position(intent_numbers, null) is null and array_position(gas_caps, null) is null) not valid`,
    },
    {
      table: 'intents',
      sql: `
        alter table intents
          -- The transaction whose end is its verdict: one at most, and none while it waits in the queue.
          add column live_in bigint,
          -- All transactions that it was ever in, the newest last.
          add column sent_in bigint[] not null default '{}',
          add constraint intents_live_check
            check (live_in is null or status <> 'queued' and (live_in = any (sent_in)) is true) not valid`,
    },
    {
      backfill: 'transactions',
      key: 'id',
      set: `(intent_numbers, gas_caps) = (
              select array_agg(m.intent_number order by m.position), array_agg(m.gas_cap order by m.position)
                from transaction_intents m where m.transaction_id = transactions.id)`,
      where: `intent_numbers = '{}' and exists (select 1 from transaction_intents m where m.transaction_id = transactions.id)`,
    },
    {
      backfill: 'intents',
      key: 'number',
      set: `(sent_in, live_in) = (
              select array_agg(m.transaction_id order by m.transaction_id), max(m.transaction_id) filter (where m.live)
                from transaction_intents m where m.intent_number = intents.number)`,
      where: `sent_in = '{}' and exists (select 1 from transaction_intents m where m.intent_number = intents.number)`,
    },
    { table: 'transactions', validate: 'transactions_places_check' },
    { table: 'intents', validate: 'intents_live_check' },
    {
      // It locks the tables that its foreign keys name as well: nothing else runs beside a contraction of the first release.
      table: 'transaction_intents',
      sql: `
        drop table transaction_intents;
        create view transaction_intents as
          select t.id as transaction_id, (m.place - 1)::integer as position, number as intent_number, m.gas_cap,
                 coalesce(i.live_in = t.id, false) as live
            from transactions t
            cross join lateral unnest(t.intent_numbers, t.gas_caps) with ordinality as m (number, gas_cap, place)
            left join (select number, live_in from intents) i using (number)`,
    },
  ],
};
