import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Migration } from './migration.ts';

/** What a release knows of schemas. */
export interface Release {
  /** As in package.json. */
  version: string;
  /** In the order in which they are applied. */
  migrations: readonly Migration[];
  /**
   * Name of the newest migration without which its code does not work: one that the release before knew, or one that is
   * done at once. What takes long comes after it, so that a start does not wait for it.
   */
  oldestSchema: string;
}

/** The schema that everything begins with, as a file that a person reads and an editor knows. */
const schema = readFileSync(path.join(import.meta.dirname, 'migrations', '001-schema.sql'), 'utf8');

/** This one. */
export const release: Release = {
  version: '0.2.0',
  migrations: [{ name: '001-schema', whole: schema }],
  oldestSchema: '001-schema',
};
