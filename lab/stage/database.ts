import { randomBytes } from 'node:crypto';
import { createDb } from '../../src/db/client.ts';
import type { Db } from '../../src/db/client.ts';
import type { ConnectionOptions } from '../../src/db/connection.ts';
import { administer, databaseUrl, templateDatabase } from './template.ts';

/** In milliseconds: a machine that is busy with other suites may answer late. */
export const PATIENT_TIMEOUTS = { connectMs: 60_000, queryMs: 60_000 };

/** Connections of a test's own to a database, which a busy machine may keep waiting. */
export const openTestDb = (
  url: string,
  poolSize: number,
  options?: Partial<ConnectionOptions>,
): Db & AsyncDisposable => createDb(url, poolSize, { timeouts: PATIENT_TIMEOUTS, ...options });

export interface TestDatabase extends AsyncDisposable {
  url: string;
  drop(): Promise<void>;
}

/** A database whose URL is known before it is there. */
interface PlannedDatabase extends TestDatabase {
  create(): Promise<void>;
}

/**
 * By files, a third of the work of copying through the log: a server of tests has nothing else to write down at a
 * checkpoint.
 */
const BY_FILES = 'strategy file_copy';

/** A new database with the schema, once it is created: a copy of the template. */
export const planTestDatabase = (): PlannedDatabase =>
  planDatabase(`template ${templateDatabase} ${BY_FILES}`);

/** @param options of `create database` */
function planDatabase(options: string): PlannedDatabase {
  const server = testServer();
  const name = `test_${randomBytes(6).toString('hex')}`;
  const drop = (): Promise<void> => administer(server, `drop database if exists ${name} with (force)`);
  return {
    url: databaseUrl(server, name),
    create: () => administer(server, `create database ${name} ${options}`),
    drop,
    [Symbol.asyncDispose]: drop,
  };
}

export const createTestDatabase = (): Promise<TestDatabase> => create(planTestDatabase());

/** A new database without a table. @param options of `create database` */
export const createEmptyDatabase = (options = ''): Promise<TestDatabase> => create(planDatabase(options));

async function create(database: PlannedDatabase): Promise<TestDatabase> {
  await database.create();
  return database;
}

/** Copies a database that has no connections, as a restored backup. Returns its URL. */
export async function copyDatabase(url: string): Promise<string> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  await administer(
    testServer(),
    `create database ${name} template ${new URL(url).pathname.slice(1)} ${BY_FILES}`,
  );
  return databaseUrl(url, name);
}

function testServer(): string {
  const server = process.env['TEST_DATABASE_URL'];
  if (server) return server;
  throw new Error(
    'TEST_DATABASE_URL is not set: run tests through Jest, whose global setup starts PostgreSQL',
  );
}
