import { beforeAll, expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';
import { createEmptyDatabase } from '../../lab/stage/database.ts';
import { createCli } from '../../lab/stage/cli.ts';

const { db, url } = useSuiteDatabase(1);
const refuse = (database: string, ...args: string[]): Promise<string> =>
  createCli({ DATABASE_URL: database, RPC_URL: 'http://127.0.0.1:9' }).refuse(...args);
function asUser(name: string, password: string): string {
  const changed = new URL(url);
  [changed.username, changed.password] = [name, password];
  return changed.href;
}

beforeAll(async () => {
  await query(
    db,
    `do $$ begin create role stranger login password 'secret'; exception when duplicate_object then null; end $$`,
  );
});

test('a database that refuses a connection or a table is quoted, without the statement', async () => {
  expect(await refuse(asUser('stranger', 'secret'), 'accounts', 'list')).toBe(
    'The database cannot be read: permission denied for table migration_releases (42501); check DATABASE_URL',
  );
  const nowhere = new URL(url);
  nowhere.pathname = '/nowhere';
  expect(await refuse(nowhere.href, 'accounts', 'list')).toBe(
    'The database cannot be read: database "nowhere" does not exist (3D000); check DATABASE_URL',
  );
  expect(await refuse('postgres://a:b@127.0.0.1:9/c', 'accounts', 'list')).toBe(
    'The database cannot be read: connect ECONNREFUSED 127.0.0.1:9; check DATABASE_URL',
  );
});

test('an empty database says so itself', async () => {
  await using empty = await createEmptyDatabase();
  expect(await refuse(empty.url, 'accounts', 'list')).toBe(
    'The database is empty: relation "migration_releases" does not exist (42P01); start the service once, which prepares it, or check DATABASE_URL',
  );
});

test('a database that cannot be migrated says why', async () => {
  expect(await refuse('postgres://a:b@127.0.0.1:9/c', 'migrate')).toBe(
    'The database cannot be migrated: connect ECONNREFUSED 127.0.0.1:9; check DATABASE_URL',
  );
});

test('a refusal in the middle of a command is quoted too', async () => {
  await query(db, 'alter table accounts rename column plan to tariff');
  expect(await refuse(url, 'accounts', 'list')).toBe(
    'The database refused: column "plan" does not exist (42703)',
  );
  await query(db, 'alter table accounts rename column tariff to plan');
});
