import { rm } from 'node:fs/promises';
import { testPostgres } from './test-postgres.ts';

/** Stops the run's PostgreSQL. When Jest is killed before, the server ends with it. */
export default async function globalTeardown(): Promise<void> {
  const { running } = testPostgres;
  if (!running) return;
  await running.postgres.stop();
  await rm(running.dataDir, { recursive: true, force: true });
}
