import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { isTransactional } from '../../src/db/migration.ts';
import type { Migration, ShortStep } from '../../src/db/migration.ts';

const clone = path.join(import.meta.dirname, '../..');
const PACKAGED = path.join(clone, 'node_modules/@squawk-cli/linux-x64/bin/squawk');

/** What an empty database begins with, and all that the first release has. */
export const FIRST = '001-schema';

/** Rules of squawk that are of style, or that the runner of the steps obeys by itself. */
const EXCLUDED = [
  'prefer-robust-stmts',
  'prefer-text-field',
  'prefer-bigint-over-int',
  'prefer-bigint-over-smallint',
  'require-lock-timeout',
  'require-statement-timeout',
];
/** What only a contraction may do: the release before still uses it, or inserts rows without it. */
const CONTRACTIONS = new Set([
  'adding-required-field',
  'ban-drop-column',
  'ban-drop-not-null',
  'ban-drop-table',
  'renaming-column',
  'renaming-table',
]);

interface Finding {
  rule_name: string;
  message: string;
}

/** Returns the program of the package, which npm has for Linux on x64, otherwise the one in the PATH. */
function findSquawk(): string {
  const inPath = (process.env['PATH'] ?? '')
    .split(path.delimiter)
    .map((folder) => path.join(folder, 'squawk'));
  const found = [PACKAGED, ...inPath].find((file) => existsSync(file));
  if (found) return found;
  throw new Error(
    'There is no squawk: npm has it as an optional package for Linux on x64; elsewhere install squawk-cli, so that it is in the PATH.',
  );
}

async function lint(sql: string, isInTransaction: boolean): Promise<Finding[]> {
  const flags = [
    isInTransaction ? '--assume-in-transaction' : '--no-assume-in-transaction',
    '--pg-version=15.0',
    '--reporter=json',
    `--exclude=${EXCLUDED.join(',')}`,
  ];
  const running = promisify(execFile)(findSquawk(), flags);
  running.child.stdin!.end(sql);
  // It ends with 1 when it finds something.
  const { stdout } = await running.catch((error: { stdout?: string }) => {
    if (!error.stdout) throw error;
    return { stdout: error.stdout };
  });
  return JSON.parse(stdout) as Finding[];
}

/** Why a migration may not be merged, one sentence each. */
export async function findFaults(migration: Migration): Promise<string[]> {
  if ('whole' in migration) return ['is for an empty database: take a step of another kind'];
  return [...(await lintStep(migration)), ...('index' in migration ? [] : checkStatements(migration))];
}

async function lintStep(migration: Migration): Promise<string[]> {
  const { needs } = migration;
  if ('dropped' in migration && needs === undefined)
    return ['drops an index by which the release before reads: only a contraction may'];
  if (!('sql' in migration)) return [];
  if ('index' in migration) {
    const form = new RegExp(`^create (unique )?index concurrently ${migration.index} on \\w+ [^;]*$`, 'i');
    if (!form.test(migration.sql.trim()))
      return [`is not "create index concurrently ${migration.index} on ..." alone`];
  }
  const findings = await lint(migration.sql, isTransactional(migration));
  return findings
    .filter(({ rule_name: rule }) => needs === undefined || !CONTRACTIONS.has(rule))
    .map(({ rule_name: rule, message }) => `${rule}: ${message}`);
}

const TEXTS = /\$(\w*)\$[^]*?\$\1\$|'(?:[^']|'')*'|--[^\n]*/g;
/** These change the catalog, or fill a table that is small or new. */
const ALLOWED = /^(create|alter|drop|comment on|insert into \w+ (\([^)]*\) )?(values|default values))\b/i;
const TOUCHED =
  /\b(?:alter table|drop table|references|on)(?: if exists| only)? (?!delete|update|conflict)(\w+)/gi;
const MADE = /\bcreate table (?:if not exists )?(\w+)/gi;

/** What squawk does not know of: rows that are read or written under a lock, and locks of several tables at once. */
function checkStatements(step: Migration): string[] {
  if (!('sql' in step)) return [];
  const text = step.sql.replace(TEXTS, "''").replaceAll(/\s+/g, ' ');
  const faults = text
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '' && !ALLOWED.test(statement))
    .map(
      (statement) =>
        `"${statement.slice(0, 40)}" may take long while it holds locks: take a step of its own kind`,
    );
  const { table } = step as ShortStep;
  const made = new Set([...text.matchAll(MADE)].map(([, name]) => name));
  const touched = new Set([...text.matchAll(TOUCHED)].map(([, name]) => name!));
  const others = [...touched].filter((name) => name !== table && !made.has(name));
  if (others.length === 0) return faults;
  return [
    ...faults,
    `locks ${others.join(' and ')}: name the one table that it locks, and divide it otherwise`,
  ];
}

/**
 * Why releases would not run side by side.
 * @param released name of the newest migration that the release before knows
 */
export function findGaps(
  { migrations, oldestSchema }: { migrations: readonly Migration[]; oldestSchema: string },
  released: string,
): string[] {
  const placeOf = (name: string): number => migrations.findIndex((migration) => migration.name === name);
  const last = placeOf(released);
  const slow = migrations.slice(last + 1, placeOf(oldestSchema) + 1).filter((each) => !isTransactional(each));
  return [
    ...slow.map(({ name }) => `the release needs ${name}, which the one before lacks and which takes long`),
    ...migrations.slice(last + 1).flatMap((migration) => {
      if (migration.needs === undefined) return [];
      const needed = placeOf(migration.needs);
      if (needed !== -1 && needed <= last) return [];
      return [
        `${migration.name} needs ${migration.needs}, which the release before lacks: contract one release later`,
      ];
    }),
  ];
}
