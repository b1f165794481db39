import { ConfigError } from '../config.ts';
import type { Config } from '../config.ts';
import { migrate } from '../db/migrate.ts';
import { release } from '../db/release.ts';
import { headOf } from '../db/schema-range.ts';
import { createLogger } from '../telemetry/logger.ts';
import type { Terminal } from './add-command.ts';
import { databaseWords } from './database-error.ts';
import { findDatabase } from './open.ts';
import type { Report } from './report.ts';

/**
 * Brings the database, which may be empty, to the schema of this release, while the release before goes on. Its
 * progress goes to the terminal's errors, so that a program can read what the command answers. @throws ConfigError with
 * one sentence
 */
export async function migrateDatabase(config: Config, { writeError }: Terminal): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const url = await findDatabase(config, stack);
  const log = createLogger('info', { write: writeError });
  try {
    await migrate(config.databaseDirectUrl ?? url, { log });
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    const words = databaseWords(error) ?? (message || code);
    throw new ConfigError(`The database cannot be migrated: ${words}; check DATABASE_URL`);
  }
}

/** Shows what the database has now. */
export async function showMigration(): Promise<Report> {
  const done = { release: release.version, schema: headOf(release) };
  return {
    json: done,
    text: `The database has all migrations of release ${done.release}, up to ${done.schema}.`,
  };
}
