import { readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { query } from '../../src/db/client.ts';
import type { Db, Tx } from '../../src/db/client.ts';
import { migrate } from '../../src/db/migrate.ts';
import { release } from '../../src/db/release.ts';
import type { Anvil } from '../stage/anvil.ts';
import { openTestDb } from '../stage/database.ts';

/** A database and a chain as a version of the service left them in the middle of its work. */
export interface Snapshot {
  /** What `anvil_dumpState` answers: all blocks, and the newest state. */
  state: string;
  /** Rows by table, each a JSON array as PostgreSQL writes it, so that no number loses a digit. */
  tables: Record<string, string>;
  /** Last value by sequence. */
  sequences: Record<string, string>;
  story: Story;
}

/** What the test has to know of a snapshot. */
export interface Story {
  email: string;
  password: string;
  /** The Operator that they belong to. */
  operator: string;
  /** An ERC-20 with an intent that is queued or in flight, and its units once all of them are done. */
  coin: string;
  units: string;
  /** An ERC-721, and its tokens once everything is done. */
  art: string;
  tokens: string;
  /** Intents that were queued or in flight. */
  open: string[];
}

const TABLES = `
  select table_name as name from information_schema.tables
   where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`;

/** Of which there are snapshots. */
export const versions = readdirSync(import.meta.dirname).flatMap(
  (name) => /^(.*)\.json\.gz$/.exec(name)?.[1] ?? [],
);

const fileOf = (version: string): string => path.join(import.meta.dirname, `${version}.json.gz`);

/** Reads database and chain of a service at work. The chain must not make a block meanwhile. */
export async function takeSnapshot(db: Db, anvil: Anvil, story: Story): Promise<Snapshot> {
  const rows = await db.transaction(async (tx) => {
    await query(tx, 'set transaction isolation level repeatable read');
    return { tables: await readTables(tx), sequences: await readSequences(tx) };
  });
  const state = await anvil.call<string>('anvil_dumpState', [false]);
  return { state, ...rows, story };
}

/** Writes lab/upgrade/VERSION.json.gz. */
export async function keepSnapshot(version: string, snapshot: Snapshot): Promise<void> {
  await writeFile(fileOf(version), await promisify(gzip)(JSON.stringify(snapshot), { level: 9 }));
}

async function readTables(tx: Tx): Promise<Record<string, string>> {
  const tables: Record<string, string> = {};
  for (const { name } of await query<{ name: string }>(tx, TABLES)) {
    const [row] = await query<{ rows: string }>(
      tx,
      `select coalesce(json_agg(t), '[]')::text as rows from ${name} t`,
    );
    tables[name] = row!.rows;
  }
  return tables;
}

async function readSequences(tx: Tx): Promise<Record<string, string>> {
  const found = await query<{ name: string; value: string }>(
    tx,
    `select sequencename as name, last_value::text as value from pg_sequences
      where schemaname = 'public' and last_value is not null`,
  );
  return Object.fromEntries(found.map(({ name, value }) => [name, value]));
}

export async function readSnapshot(version: string): Promise<Snapshot> {
  const text = await promisify(gunzip)(await readFile(fileOf(version)));
  return JSON.parse(text.toString()) as Snapshot;
}

/** The newest migration of all snapshots: what the release before this one knows, and at least this one. */
export async function readReleasedHead(least: string): Promise<string> {
  let head = least;
  for (const version of versions) {
    const { tables } = await readSnapshot(version);
    const applied = JSON.parse(tables['knex_migrations']!) as { name: string }[];
    for (const { name } of applied) if (name > head) head = name;
  }
  return head;
}

/**
 * Puts the database of a snapshot into an empty one: the schema of its own time, then its rows. Later migrations come
 * at the start of the service.
 */
export async function restoreDatabase(url: string, { tables, sequences }: Snapshot): Promise<void> {
  const applied = JSON.parse(tables['knex_migrations']!) as { name: string }[];
  const migrations = release.migrations.slice(0, applied.length);
  await migrate(url, { release: { ...release, migrations } });
  await using db = openTestDb(url, 1);
  await db.transaction(async (tx) => {
    // Rows come table by table, so no reference can be checked, and no trigger may act on what is old.
    await query(tx, 'set local session_replication_role = replica');
    for (const [name, rows] of Object.entries(tables)) {
      await query(tx, `delete from ${name}`);
      await query(
        tx,
        `insert into ${name} overriding system value select * from json_populate_recordset(null::${name}, :rows)`,
        { rows },
      );
    }
    for (const [name, value] of Object.entries(sequences)) {
      await query(tx, 'select setval(:name::regclass, :value::bigint)', { name, value });
    }
  });
}
