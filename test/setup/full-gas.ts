import { query } from '../../src/db/client.ts';
import type { Db } from '../../src/db/client.ts';

/**
 * What is accepted while `work` runs goes with all the gas that a transaction has, as a batch may that used up its cap.
 */
export async function withFullGas<Result>(db: Db, work: () => Promise<Result>): Promise<Result> {
  await query(
    db,
    `create function give_full_gas() returns trigger language plpgsql as $$
     begin
       new.retry_stage = 1;
       new.gas_max = 16777216;
       return new;
     end $$`,
  );
  await query(
    db,
    'create trigger give_full_gas before insert on intents for each row execute function give_full_gas()',
  );
  try {
    return await work();
  } finally {
    await query(db, 'drop function give_full_gas cascade');
  }
}
