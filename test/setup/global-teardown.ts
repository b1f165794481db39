import { rm } from 'node:fs/promises';
import { testPostgres } from './test-postgres.ts';

/** Stops the run's PostgreSQL. When Jest is killed before it gets here, the server ends with it all the same. */
export default async function globalTeardown(): Promise<void> {
  const { running } = testPostgres;
  if (!running) return;
  await running.postgres.stop();
  await rm(running.dataDir, { recursive: true, force: true });
}
