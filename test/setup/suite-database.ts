import { afterAll, beforeAll } from '@jest/globals';
import type { Db } from '../../src/db/client.ts';
import type { ConnectionOptions } from '../../src/db/connection.ts';
import { openTestDb, planTestDatabase } from '../../lab/stage/database.ts';

interface SuiteDatabase {
  url: string;
  db: Db;
}

/**
 * A database for all tests of the file or the `describe` that calls this: there from `beforeAll` on, and dropped after
 * them. Apart from `database.ts`, which the fault suite uses outside of Jest.
 */
export function useSuiteDatabase(poolSize: number, options: Partial<ConnectionOptions> = {}): SuiteDatabase {
  const database = planTestDatabase();
  // It connects when it is asked something for the first time.
  const db = openTestDb(database.url, poolSize, options);
  beforeAll(() => database.create());
  afterAll(async () => {
    await db[Symbol.asyncDispose]();
    await database.drop();
  });
  return { url: database.url, db };
}
