import { query } from '../../src/db/client.ts';
import type { Db } from '../../src/db/client.ts';

/**
 * The database refuses verdicts from now on, as a constraint would that nobody thought of: those of intents in
 * `refused`.
 */
export async function refuseVerdicts(db: Db): Promise<void> {
  await query(db, 'create table if not exists refused (id uuid)');
  await query(
    db,
    `create or replace function refuse() returns trigger language plpgsql as $$
     begin
       if new.status in ('confirmed', 'failed') and new.id in (select id from refused) then
         raise exception 'this verdict cannot be stored';
       end if;
       return new;
     end $$`,
  );
  await query(
    db,
    'create or replace trigger refuse before update on intents for each row execute function refuse()',
  );
}

/** Names the newest intent that is under way. */
export async function poisonNewest(db: Db): Promise<void> {
  await query(
    db,
    `insert into refused select id from intents where status in ('queued', 'submitted') order by number desc limit 1`,
  );
}
