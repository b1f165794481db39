import { NO_DEPLOYMENT } from '../../src/chain/system/system-contracts.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openSession } from './session.ts';

/** Name of the database that the database of every test file is copied from. */
export const templateDatabase = 'mintmark_template';

/** The URL of another database on the same server. */
export function databaseUrl(url: string, database: string): string {
  const other = new URL(url);
  other.pathname = `/${database}`;
  return other.href;
}

/**
 * Makes the template database, once a run.
 * @param url connection string of the run's PostgreSQL, as superuser
 */
export async function prepareTemplate(url: string): Promise<void> {
  await administer(url, `create database ${templateDatabase}`);
  const template = databaseUrl(url, templateDatabase);
  await migrate(template);
  // Known, so that a test can deploy the system of its service before that starts.
  await administer(template, `update deployment set id = '\\x${NO_DEPLOYMENT.slice(2)}'`);
}

/** Runs one statement as superuser, outside of all test databases. */
export async function administer(url: string, sql: string): Promise<void> {
  await using session = await openSession(url);
  await session.query(sql);
}
