import { expect, test } from '@jest/globals';
import { checkSchema } from '../../src/db/schema-range.ts';
import { askOf, createDb, query } from '../../src/db/client.ts';
import { renewDatabase } from '../../src/db/renew-database.ts';
import { createEmptyDatabase } from '../../lab/stage/database.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import { openSession } from '../../lab/stage/session.ts';

test('a database is replaced by an empty one with the schema of the release, though somebody uses it', async () => {
  await using database = await createEmptyDatabase();
  const said: string[] = [];
  const log = createLogger('info', {
    write: (line) => void said.push((JSON.parse(line) as { msg: string }).msg),
  });
  const user = await openSession(database.url);
  await user.query('create table of_before (number integer)');

  await renewDatabase(database.url, log);
  expect(said).toContain('migrated');
  said.length = 0;
  await renewDatabase(database.url, log);
  expect(said).toEqual([]);
  await expect(user.query('select 1')).rejects.toThrow();

  await using db = createDb(database.url, 1);
  await checkSchema(askOf(db));
  const rows = await query(
    db,
    `select to_regclass('of_before') as before, (select count(*)::int from accounts) as accounts`,
  );
  expect(rows).toEqual([{ before: null, accounts: 0 }]);
});
