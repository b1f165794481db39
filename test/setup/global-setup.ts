import { mkdtemp, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startEmbeddedPostgres } from '../../src/embedded/postgres.ts';
import { prepareRecord } from '../../lab/stage/contract-coverage.ts';
import { prepareTemplate } from '../../lab/stage/template.ts';
import { testPostgres } from './test-postgres.ts';

/** One throw-away PostgreSQL for the whole run. The workers inherit its address in TEST_DATABASE_URL. */
export default async function globalSetup(): Promise<void> {
  const dataDir = await mkdtemp(path.join(await findQuickFolder(), 'mintmark-test-'));
  const postgres = await startEmbeddedPostgres({ dataDir, data: 'throwaway', log: () => undefined });
  prepareRecord(dataDir);
  testPostgres.running = { postgres, dataDir };
  process.env['TEST_DATABASE_URL'] = postgres.url;
  await prepareTemplate(postgres.url);
}

/**
 * What is kept in memory alone: the 500 files of a database are copied there in a tenth of the time that ext4 takes.
 */
const IN_MEMORY = '/dev/shm';
/** Far more than the databases of a run ever take; a container may have 64 MB there. */
const ENOUGH_BYTES = 2 ** 31;

async function findQuickFolder(): Promise<string> {
  const memory = await statfs(IN_MEMORY).catch(() => null);
  return memory && memory.bavail * memory.bsize >= ENOUGH_BYTES ? IN_MEMORY : tmpdir();
}
