import { INTENT_TRANSITIONS, TRANSACTION_TRANSITIONS } from '../../src/engine/states.ts';
import type { Transition } from '../../src/engine/states.ts';
import type { Violation } from '../judge/case.ts';
import type { PostgresServer } from './postgres.ts';

const TABLES: readonly (readonly [string, readonly Transition<string>[]])[] = [
  ['intents', INTENT_TRANSITIONS],
  ['transactions', TRANSACTION_TRANSITIONS],
];

/** Lets a server note each change of a status that is no row of src/engine/states.ts. */
export async function watchStates(postgres: PostgresServer): Promise<void> {
  const ask = (sql: string): Promise<unknown> => postgres.ask(sql);
  await ask('create table unlisted_changes (change text not null)');
  await ask(`create function note_unlisted() returns trigger language plpgsql as $$ begin
    insert into unlisted_changes values (tg_table_name || ': ' || old.status || ' to ' || new.status);
    return null;
  end $$`);
  for (const [table, transitions] of TABLES) {
    const pairs = transitions.flatMap(({ from, to }) =>
      from.flatMap((each) => (each === null ? [] : [`('${each}', '${to}')`])),
    );
    await ask(`create trigger note_unlisted after update of status on ${table} for each row
      when (old.status <> new.status and (old.status, new.status) not in (${pairs.join(', ')}))
      execute function note_unlisted()`);
  }
}

/** What was noted. */
export async function findUnlisted(postgres: PostgresServer): Promise<Violation[]> {
  const rows = await postgres.ask<{ change: string }>('select distinct change from unlisted_changes');
  return rows.map(({ change }) => ({ rule: 'states', subject: change, detail: 'no row of states.ts' }));
}
