import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startEmbeddedPostgres } from '../../src/embedded/postgres.ts';
import { prepareRecord } from './contract-coverage.ts';
import { prepareTemplate } from './template.ts';
import { testPostgres } from './test-postgres.ts';

/** One throw-away PostgreSQL for the whole run. The workers inherit its address in TEST_DATABASE_URL. */
export default async function globalSetup(): Promise<void> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'mintmark-test-'));
  const postgres = await startEmbeddedPostgres({ dataDir, data: 'throwaway', log: () => undefined });
  prepareRecord(dataDir);
  testPostgres.running = { postgres, dataDir };
  process.env['TEST_DATABASE_URL'] = postgres.url;
  await prepareTemplate(postgres.url);
}
