import { mkdtempDisposable, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MIN_AGE_DAYS, archiveFinished } from '../../src/admin/archive/archive.ts';
import { query } from '../../src/db/client.ts';
import type { Db } from '../../src/db/client.ts';
import { administer, databaseUrl } from '../../lab/stage/template.ts';
import { startHardhat } from './nodes.ts';
import { mintOverHttp, readCounters, startOwn } from './own.ts';
import type { Settings } from './settings.ts';
import { say } from '../lib/say.ts';
import { renderTable } from './table.ts';

const MINTS = 100_000;
/** The largest plan grants each of them 10,000 mints a month. */
const ACCOUNTS = 20;
const CONNECTIONS = 100;
const MB = 1_000_000;
const DAY_MS = 86_400_000;
/** What is smaller, or updated less, is left out. */
const MIN_SHOWN = 200_000n;
const MIN_UPDATES = 100n;
/** The statistics of a connection are written a second after its last statement. */
const STATISTICS_MS = 3_000;

interface TableGrowth {
  name: string;
  rows: bigint;
  bytes: bigint;
  indexBytes: bigint;
  updates: bigint;
  hotUpdates: bigint;
}

interface IndexGrowth {
  name: string;
  of: string;
  bytes: bigint;
  scans: bigint;
}

/** What mints leave behind in the database: bytes of each table and index, and how their rows were updated. */
export async function measureGrowth({ postgresUrl, scale }: Settings): Promise<string> {
  await administer(postgresUrl, 'create database growth');
  const node = await startHardhat();
  const own = await startOwn(databaseUrl(postgresUrl, 'growth'), node.url, ACCOUNTS);
  await mintOverHttp(own, { mints: 500, connections: ACCOUNTS, respondAsync: true });
  await query(own.db, 'vacuum full analyze');
  await query(own.db, 'select pg_stat_reset()');
  const before = {
    bytes: await readSize(own.db),
    wal: await readWal(own.db),
    ...(await readCounters(own.url)),
  };
  const mints = Math.ceil(MINTS * scale);
  say(`  ${mints} mints`);
  const run = await mintOverHttp(own, { mints, connections: CONNECTIONS, respondAsync: true });
  const after = { wal: await readWal(own.db), ...(await readCounters(own.url)) };
  await sleep(STATISTICS_MS);
  const [tables, indexes] = [await readTables(own.db), await readIndexes(own.db)];
  const bytes = await readSize(own.db);
  await query(own.db, 'vacuum full analyze');
  const packed = await readSize(own.db);
  const [signed] = await query<{ count: bigint }>(own.db, 'select count(*) as count from transactions');
  say('  archiving them');
  const archived = await measureArchive(own.db, before.bytes);
  await own.stop();
  await node.stop();
  const each = 100_000 / mints;
  const figures = [
    ['Database, MB for 100,000 mints', (((bytes - before.bytes) * each) / MB).toFixed(0)],
    ['The same without room for new rows', (((packed - before.bytes) * each) / MB).toFixed(0)],
    ['Left of that after `archive`, MB for 100,000 mints', ((archived.left * each) / MB).toFixed(0)],
    ['File of `archive`, MB for 100,000 mints', ((archived.fileBytes * each) / MB).toFixed(0)],
    ['Intents archived a second', (archived.intents / archived.seconds).toFixed(0)],
    ['Write-ahead log, MB for 100,000 mints', (((after.wal - before.wal) * each) / MB).toFixed(0)],
    ['Updates that are HOT', share(sum(tables, 'hotUpdates'), sum(tables, 'updates'))],
    ['Database round trips a mint', ((after.roundTrips - before.roundTrips) / mints).toFixed(3)],
    ['Mints a second, one signer', (mints / run.seconds).toFixed(0)],
    ['Mints in a transaction', (mints / Number(signed!.count)).toFixed(0)],
  ] as const;
  return [
    `${mints.toLocaleString('en')} mints of ERC-20 at ${CONNECTIONS} connections, ${ACCOUNTS} accounts, one signer, Hardhat's node.`,
    renderTable(
      [
        ['Figure', ([name]) => name],
        ['', ([, value]) => value],
      ],
      figures,
    ),
    renderTable(
      [
        ['Table', ({ name }) => name],
        ['Rows', ({ rows }) => String(rows)],
        ['MB', (row) => mega(row.bytes)],
        ['MB of its indexes', (row) => mega(row.indexBytes)],
        ['Updates', ({ updates }) => String(updates)],
        ['HOT', (row) => share(row.hotUpdates, row.updates)],
      ],
      tables.filter(({ bytes: size, updates }) => size > MIN_SHOWN || updates > MIN_UPDATES),
    ),
    renderTable(
      [
        ['Index', ({ name }) => name],
        ['Table', ({ of }) => of],
        ['MB', (row) => mega(row.bytes)],
        ['Scans', ({ scans }) => String(scans)],
      ],
      indexes.filter(({ bytes: size }) => size > MIN_SHOWN),
    ),
  ].join('\n\n');
}

/**
 * Archives all of it, as if it were old. Returns what the database keeps of it, without what it keeps free for new
 * rows.
 */
async function measureArchive(db: Db, bytesBefore: number) {
  await using folder = await mkdtempDisposable(path.join(tmpdir(), 'mintmark-growth-'));
  const file = path.join(folder.path, 'archive.jsonl');
  await query(
    db,
    `update intents set created_at = created_at - interval '60 days', final_at = final_at - interval '60 days' where final_at is not null`,
  );
  await query(
    db,
    `update transactions set created_at = created_at - interval '60 days' where status = 'final'`,
  );
  await query(db, 'vacuum analyze');
  const startedAt = performance.now();
  const before = new Date(Date.now() - MIN_AGE_DAYS * DAY_MS);
  const { removed } = await archiveFinished(db, { before, file }, () => undefined);
  const seconds = (performance.now() - startedAt) / 1_000;
  await query(db, 'vacuum full');
  return {
    left: (await readSize(db)) - bytesBefore,
    fileBytes: (await stat(file)).size,
    intents: removed.intents,
    seconds,
  };
}

const mega = (bytes: bigint): string => (Number(bytes) / MB).toFixed(2);

const share = (part: bigint, all: bigint): string =>
  all === 0n ? '–' : `${((100 * Number(part)) / Number(all)).toFixed(1)} %`;

const sum = (tables: readonly TableGrowth[], field: 'updates' | 'hotUpdates'): bigint =>
  tables.reduce((total, table) => total + table[field], 0n);

async function readSize(db: Db): Promise<number> {
  const [row] = await query<{ bytes: bigint }>(db, 'select pg_database_size(current_database()) as bytes');
  return Number(row!.bytes);
}

async function readWal(db: Db): Promise<number> {
  const [row] = await query<{ bytes: string }>(db, `select pg_current_wal_lsn() - '0/0' as bytes`);
  return Number(row!.bytes);
}

function readTables(db: Db): Promise<TableGrowth[]> {
  return query<TableGrowth>(
    db,
    `select relname as name, n_live_tup as rows, pg_table_size(relid) as bytes, pg_indexes_size(relid) as "indexBytes",
            n_tup_upd as updates, n_tup_hot_upd as "hotUpdates"
       from pg_stat_user_tables where schemaname = 'public' order by pg_total_relation_size(relid) desc`,
  );
}

function readIndexes(db: Db): Promise<IndexGrowth[]> {
  return query<IndexGrowth>(
    db,
    `select indexrelname as name, relname as of, pg_relation_size(indexrelid) as bytes, idx_scan as scans
       from pg_stat_user_indexes where schemaname = 'public' order by pg_relation_size(indexrelid) desc, indexrelname`,
  );
}
