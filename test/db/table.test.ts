import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createDb, query } from '../../src/db/client.ts';
import type { Db } from '../../src/db/client.ts';
import { anyBytes, anyNumber, inSeconds, table } from '../../src/db/table.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';

/* Plain statements, as Knex builds them; what does not compile is in test/types/tables.test-d.ts. */

const { url } = useSuiteDatabase(1);
let db: Db & AsyncDisposable;
let sent: string[];

beforeEach(async () => {
  db = createDb(url, 1, { prepares: true });
  await query(db, 'truncate invites');
  for (const [index, hint] of ['a', 'b', 'c'].entries())
    await table(db, 'invites').insert(invite(index, hint));
  sent = [];
  db.on('query', ({ sql }: { sql: string }) => void sent.push(sql));
});

afterEach(async () => db[Symbol.asyncDispose]());

const bytes = (index: number): Buffer => Buffer.alloc(32, index);
const invite = (index: number, hint: string) => ({ code_hash: bytes(index), hint });

test('fields have the names that are asked for, in one round trip', async () => {
  const columns = { start: 'hint', at: 'used_at' } as const;
  const shown = { start: 'b', at: null };
  expect(await table(db, 'invites').where(invite(1, 'b')).select<typeof shown>(columns)).toEqual([shown]);
  expect(
    await table(db, 'invites').where({ hint: 'b' }).update({ tries: 2 }).returning<typeof shown>(columns),
  ).toEqual([shown]);
  expect(sent).toHaveLength(2);
});

test('a change tells how many rows there were, and an insert of what is there none', async () => {
  expect(await table(db, 'invites').where('tries', '<', 1).update({ created_at: db.fn.now() })).toBe(3);
  expect(await table(db, 'invites').whereNotNull('used_at').delete()).toBe(0);
  expect(await table(db, 'invites').insert(invite(1, 'd')).onConflict().ignore().returning(['hint'])).toEqual(
    [],
  );
});

test('however many values there are, the statement that is prepared is the same', async () => {
  for (const indexes of [[0], [0, 1, 2], []]) {
    const rows = await table(db, 'invites')
      .where('code_hash', '=', anyBytes(db, indexes.map(bytes)))
      .select('hint');
    expect(rows).toHaveLength(indexes.length);
  }
  expect(
    await table(db, 'intents')
      .where('number', '=', anyNumber(db, [1n, 2n]))
      .select('id'),
  ).toEqual([]);
  expect(new Set(sent).size).toBe(2);
  const prepared = await query(
    db,
    `select 1 from pg_prepared_statements where name like 'mintmark%' and statement like '%where "code_hash" = any(cast($1 as bytea[]))'`,
  );
  expect(prepared).toHaveLength(1);
});

test('a bigint is one on its way to the database too', async () => {
  const rows = await table(db, 'intents')
    .where('number', '<', 2n ** 63n - 1n)
    .limit(1)
    .select('number');
  expect(rows).toEqual([]);
});

test('a value that was forgotten is refused, and not taken for null', async () => {
  const forgotten = { hint: ({} as { hint: string }).hint };
  await expect(async () => table(db, 'invites').where(forgotten).select('hint')).rejects.toThrow(
    /Undefined binding/,
  );
});

test('seconds are counted from the time of the database', async () => {
  await table(db, 'invites').update({ created_at: inSeconds(db, 60) });
  const [row] = await query<{ seconds: number }>(
    db,
    'select extract(epoch from created_at - now())::float8 as seconds from invites limit 1',
  );
  expect(row!.seconds).toBeGreaterThan(0);
  expect(row!.seconds).toBeLessThanOrEqual(60);
});
