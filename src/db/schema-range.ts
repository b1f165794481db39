import type { Ask } from './connection.ts';
import { release as thisRelease } from './release.ts';
import type { Release } from './release.ts';
import { ServerRefused } from './server-health.ts';

/** A migration that a database has, or that has begun there. */
export interface Applied {
  name: string;
  /** Version of the release that began it. */
  release: string;
  /** What a release has to know to work with it; null when every release may. */
  needs: string | null;
  isComplete: boolean;
}

/** Release and database do not fit. The message is one sentence, which says what to start instead. */
export class SchemaRefused extends ServerRefused {}

/** PostgreSQL's code for a table that does not exist. */
const NO_SUCH_TABLE = '42P01';

/**
 * The migrations of a database; none of an empty one. Not to be asked in a transaction, which an empty database would
 * fail.
 */
export async function readApplied(ask: Ask): Promise<Applied[]> {
  try {
    return await ask<Applied>(
      `select name, release, needs, name in (select name from knex_migrations) as "isComplete"
         from migration_releases order by name`,
    );
  } catch (error) {
    if ((error as { code?: string }).code === NO_SUCH_TABLE) return [];
    throw error;
  }
}

/**
 * Refuses a database on which a release may not work: a migration that it does not know has taken away what it uses, or
 * changed what that means. What other migrations it does not know, it does not notice. @throws SchemaRefused
 */
export function refuseContracted(applied: readonly Applied[], release: Release): void {
  const known = new Set(release.migrations.map(({ name }) => name));
  const breaking = applied.find(({ name, needs }) => !known.has(name) && needs !== null && !known.has(needs));
  if (!breaking) return;
  const newer = `release ${breaking.release}`;
  throw new SchemaRefused(
    `The database has migration ${breaking.name} of ${newer}, for which a release has to know migration ${breaking.needs}; ` +
      `this is release ${release.version}, which knows migrations up to ${headOf(release)}: ` +
      `start ${newer}, or one between them that knows ${breaking.needs}`,
  );
}

/** The first migration that a release cannot do without and that is not complete; null when it can work. */
export function findMissing(applied: readonly Applied[], release: Release): string | null {
  const complete = new Set(applied.flatMap(({ name, isComplete }) => (isComplete ? [name] : [])));
  const oldest = release.migrations.findIndex(({ name }) => name === release.oldestSchema);
  const required = release.migrations.slice(0, oldest + 1);
  return required.find(({ name }) => !complete.has(name))?.name ?? null;
}

export const headOf = ({ migrations }: Pick<Release, 'migrations'>): string => migrations.at(-1)!.name;

/** Refuses a database that a later release has contracted, also after the start. @throws SchemaRefused */
export async function checkSchema(ask: Ask): Promise<void> {
  refuseContracted(await readApplied(ask), thisRelease);
}
