import type { Migration } from '../migration.ts';

/** SQL: what indexes know of a status. */
const PHASE = (status: string): string =>
  `case when ${status} in ('queued', 'submitted') then 'open' else ${status} end`;

/**
 * Half of what a mint wrote. Indexes do not see that an intent is submitted, so that its row changes alone (a heap-only
 * tuple), and what it holds of a quota stands in its own row, whose verdict is the end of the hold.
 *
 * It belongs to the first release, so that no release before it has to run beside: processes of older commits refuse.
 */
export const leanRows: Migration = {
  name: '011-lean-rows',
  needs: '011-lean-rows',
  steps: [
    {
      table: 'intents',
      // The trigger acts also where rows are copied by replication.
      sql: `
        alter table intents
          -- Queued and submitted are one: nothing but the row changes between them. Kept by a trigger.
          add column phase text,
          -- What was taken of a quota at acceptance: meter, units, first day of the month, and what that left of it. It is
          -- spent when the intent is confirmed for good, and given back when it ends otherwise. Null for one that took none.
          add column held_meter text,
          add column held_amount integer,
          add column held_period date,
          add column held_remaining integer,
          -- Whether the ledger may have a hold of it: of gas, or of what the columns above would say.
          add column in_ledger boolean not null default true,
          add constraint intents_phase_check check (phase is not null and phase = ${PHASE('status')}) not valid,
          add constraint intents_held_check check (
            held_amount > 0 and target is not null and num_nulls(held_meter, held_amount, held_period, held_remaining) = 0
            or num_nonnulls(held_meter, held_amount, held_period, held_remaining) = 0) not valid,
          -- The submitted row finds room on the page of the queued one.
          set (fillfactor = 50);
        create function set_phase() returns trigger language plpgsql as $$
          begin new.phase := ${PHASE('new.status')}; return new; end $$;
        create trigger intents_phase before insert or update of status on intents for each row
          when (new.phase is distinct from ${PHASE('new.status')}) execute function set_phase();
        alter table intents enable always trigger intents_phase;`,
    },
    { backfill: 'intents', key: 'number', set: `phase = ${PHASE('status')}`, where: 'phase is null' },
    { table: 'intents', validate: 'intents_phase_check' },
    { table: 'intents', validate: 'intents_held_check' },
    {
      index: 'intents_waiting',
      sql: `create index concurrently intents_waiting on intents (contract, number) where phase = 'open'`,
    },
    {
      // The order is that of minus the number, which no other index has: the planner has no choice but this one.
      index: 'intents_of_account',
      sql: `create index concurrently intents_of_account on intents (account_id, environment, phase, (- number))`,
    },
    {
      index: 'intents_of_contract',
      sql: `create index concurrently intents_of_contract on intents (account_id, contract, phase, (- number))
              where phase in ('confirmed', 'failed', 'cancelled')`,
    },
    {
      index: 'intents_of_kind',
      sql: `create index concurrently intents_of_kind on intents (account_id, environment, kind, (- number), phase, contract)
              where kind <> 'mint'`,
    },
    {
      index: 'intents_reversible',
      sql: `create index concurrently intents_reversible on intents (contract) where phase = 'confirmed' and final_at is null`,
    },
    {
      index: 'intents_refused',
      sql: `create index concurrently intents_refused on intents (contract) where phase = 'quarantined'`,
    },
    ...[
      'intents_queued',
      'intents_open',
      'intents_open_by_account',
      'intents_by_account',
      'intents_by_contract',
      'intents_by_kind',
      'intents_not_final',
      'intents_quarantined',
    ].map((dropped) => ({ dropped })),
    {
      // The ledger, row by row: the entries, and what stands in the rows of intents. A test, or an auditor, adds it up.
      sql: `
        create view ledger as
          select id, account_id, meter, period, kind, amount, round, intent_number, remaining, created_at from ledger_entries
          union all
          select null, account_id, held_meter, held_period, 'hold', held_amount, 0, number, held_remaining, created_at
            from intents where held_amount is not null
          union all
          select null, account_id, held_meter, held_period, case status when 'confirmed' then 'commit' else 'release' end,
                 held_amount, 0, number, null, final_at
            from intents where held_amount is not null and final_at is not null`,
    },
  ],
};
