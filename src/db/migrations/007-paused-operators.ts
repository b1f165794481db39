import type { Migration } from '../migration.ts';

/** An Operator that executes nothing holds up its own calls only: lanes are not paused for it any more. */
export const pausedOperators: Migration = {
  name: '007-paused-operators',
  up: `
    -- Operators that execute nothing of the signer of a lane, as its holder found: their calls wait, and those of other
    -- Operators go on. It begins anew with each holder.
    create table paused_operators (
      signer bytea not null references lanes,
      operator bytea not null check (octet_length(operator) = 20),
      reason text not null check (reason in ('stopped', 'wrong-epoch', 'no-role')),
      since timestamptz not null default now(),
      primary key (signer, operator)
    );

    -- Its holder finds out which Operator that is. A process of an earlier version cannot store such a pause any more, which
    -- would keep other Operators' calls from lanes that can send them.
    update lanes set pause_reason = null, paused_since = null where pause_reason in ('stopped', 'wrong-epoch', 'no-role');
    alter table lanes drop constraint lanes_pause_reason_check,
      add constraint lanes_pause_reason_check check (pause_reason in ('signer', 'budget', 'stuck'));
  `,
};
