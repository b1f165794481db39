import { expect, test } from '@jest/globals';
import { createDb, query } from '../../src/db/client.ts';
import { migrate } from '../../src/db/migrate.ts';
import { placesInRows } from '../../src/db/migrations/013-places-in-rows.ts';
import { release } from '../../src/db/release.ts';
import { createEmptyDatabase } from '../../lab/stage/database.ts';

const before = release.migrations.slice(0, release.migrations.indexOf(placesInRows));

/** More than a backfill reads at once. */
const INTENTS = 1_500;

const PLACES = `select transaction_id, position, intent_number, gas_cap, live from transaction_intents
                 order by transaction_id, position`;

test('places of before are those of after: who is in a transaction, in which order, with which gas, and who is not any more', async () => {
  await using database = await createEmptyDatabase();
  await using db = createDb(database.url, 2);
  await migrate(database.url, { release: { ...release, migrations: before } });
  const bindings = { address: Buffer.alloc(20, 1), hash: Buffer.alloc(32, 1), intents: INTENTS };
  await query(
    db,
    `insert into accounts (id, email, password_hash) values (gen_random_uuid(), 'a@example.com', 'x')`,
  );
  await query(db, 'insert into lanes (signer, next_nonce) values (:address, 1502)', bindings);
  // Every third of them was not sent; the first third has come back to the queue.
  await query(
    db,
    `insert into intents (id, account_id, environment, kind, contract, target, calldata, operator, epoch, status, transaction_hash)
     select gen_random_uuid(), id, 'live', 'mint', :address, :address, '', :address, 1,
            case when n % 3 = 0 or n <= :intents / 3 then 'queued' else 'submitted' end,
            case when n % 3 = 0 or n <= :intents / 3 then null else :hash::bytea end
       from accounts, generate_series(1, :intents::int) n order by n`,
    bindings,
  );
  // Each has a transaction of its own, and the last two have one with everything, in the opposite order; one is a no-op.
  await query(
    db,
    `insert into transactions (signer, nonce, gas_limit, expected_gas, operator, epoch, calldata, is_noop)
     select :address, n, 1, 1, :address, 1, '', n = 1 from generate_series(1, :intents::int + 2) n order by n`,
    bindings,
  );
  await query(
    db,
    `insert into transaction_intents (transaction_id, position, intent_number, gas_cap, live)
     select number, 0, number, 7, false from intents where number % 3 > 0
     union all
     select :intents + 1, 5 + :intents - number, number, 10 + number, number > :intents / 3 from intents where number % 3 > 0`,
    bindings,
  );
  const places = await query(db, PLACES);
  expect(places).toHaveLength(2_000);

  await migrate(database.url);

  // Positions had gaps where nothing was; they count from 0 now.
  const counted = new Map<unknown, number>();
  const expected = places.map((place) => {
    const { transaction_id: id } = place as { transaction_id: bigint };
    const position = counted.get(id) ?? 0;
    counted.set(id, position + 1);
    return { ...(place as object), position };
  });
  expect(await query(db, PLACES)).toEqual(expected);
  const [lists] = await query<{ all: bigint[]; last: bigint | null; never: number }>(
    db,
    `select (select sent_in from intents where number = 1000) as all, (select live_in from intents where number = 1000) as last,
            (select count(*)::int from intents where sent_in = '{}') as never`,
  );
  expect(lists).toEqual({ all: ['1000', '1501'], last: 1_501n, never: 500 });
});
