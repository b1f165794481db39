import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { query } from '../../src/db/client.ts';
import type { Db } from '../../src/db/client.ts';
import { findFreePort } from '../../src/embedded/free-port.ts';
import { startEmbeddedPostgres } from '../../src/embedded/postgres.ts';
import { administer, databaseUrl } from '../../lab/stage/template.ts';
import { startProfiler } from './cpu-profile.ts';
import { startAnvilNode } from './nodes.ts';
import { findPostmaster, mintOverHttp, startOwn } from './own.ts';
import { clusterCpuSeconds, cpuSeconds } from './process.ts';
import { warmUp } from './scenario.ts';
import type { Settings } from './settings.ts';
import { say } from '../lib/say.ts';
import { renderTable } from './table.ts';

const MINTS = 30_000;
const CONNECTIONS = 100;
const ACCOUNTS = 20;
/** The statistics of a connection are written a second after its last statement. */
const STATISTICS_MS = 3_000;
const SHOWN_PARTS = 6;
const SHOWN_RECORDS = 8;
const SHOWN_STATEMENTS = 5;
/** Characters of a statement that are shown. */
const STATEMENT_LENGTH = 60;

/** What a mint makes the service and the database do: CPU by part, row writes, index entries and bytes of the log. */
export async function measureProfile({ scale }: Settings): Promise<string> {
  await using folder = await mkdtempDisposable(path.join(tmpdir(), 'mintmark-profile-'));
  await using postgres = await startWithStatistics(folder.path);
  await administer(postgres.url, 'create database profile');
  const node = await startAnvilNode();
  const inspected = await findFreePort();
  const own = await startOwn(databaseUrl(postgres.url, 'profile'), node.url, ACCOUNTS, {
    variables: { NODE_OPTIONS: `--inspect=127.0.0.1:${inspected}` },
  });
  await warmUp(own);
  const { db } = own;
  await query(db, 'create extension pg_stat_statements');
  await query(db, 'create extension pg_walinspect');
  await sleep(STATISTICS_MS);
  const mints = Math.ceil(MINTS * scale);
  say(`  ${mints} mints`);
  await query(db, 'checkpoint');
  await query(db, 'select pg_stat_reset(), pg_stat_statements_reset()');
  const postmaster = await findPostmaster(db);
  const cpu = () => Promise.all([cpuSeconds(own.pid), clusterCpuSeconds(postmaster)]);
  const [from, used] = [await walPosition(db), await cpu()];
  const profiler = await startProfiler(inspected);
  const run = await mintOverHttp(own, { mints, connections: CONNECTIONS, respondAsync: true });
  const parts = await profiler.stop();
  const [to, usedAfter] = [await walPosition(db), await cpu()];
  const statements = await readStatements(db);
  const wal = await readWal(db, from, to);
  const records = await readRecords(db, from, to);
  await sleep(STATISTICS_MS);
  const writes = await readWrites(db);
  await own.stop();
  await node.stop();
  const each = (total: number, digits = 2): string => (total / mints).toFixed(digits);
  const [service, database] = usedAfter.map((after, index) => ((after - used[index]!) * 1_000) / mints);
  const busy = [...parts].filter(([part]) => part !== '(idle)');
  const sampled = busy.reduce((sum, [, ms]) => sum + ms, 0);
  return [
    `anvil, 1 s blocks; ${mints.toLocaleString('en')} asynchronous mints at ${CONNECTIONS} connections, ${ACCOUNTS} accounts: ` +
      `${Math.round(mints / run.seconds)} a second. CPU a mint: service ${service!.toFixed(3)} ms, database ${database!.toFixed(3)} ms.`,
    renderTable<[string, string]>(
      [
        ['What a mint writes', ([name]) => name],
        ['', ([, value]) => value],
      ],
      [
        ['Rows inserted, updated and deleted', each(writes.inserted + writes.updated + writes.deleted)],
        ['of them: updates that touch no index (HOT)', each(writes.hot)],
        ['Index entries', each(wal.indexEntries)],
        ['Write-ahead log, bytes', each(wal.bytes, 0)],
        ['of them: images of whole pages', each(wal.imageBytes, 0)],
      ],
    ),
    renderTable<WalRecords>(
      [
        ['Write-ahead log of', ({ name }) => `\`${name}\``],
        ['Record', ({ type }) => type],
        ['Bytes a mint', ({ bytes }) => each(bytes, 0)],
      ],
      records,
    ),
    renderTable<[string, number]>(
      [
        ['Part of the service', ([part]) => part],
        ['µs a mint', ([, ms]) => ((ms * 1_000) / mints).toFixed(1)],
        ['%', ([, ms]) => ((100 * ms) / sampled).toFixed(1)],
      ],
      busy.sort(([, a], [, b]) => b - a).slice(0, SHOWN_PARTS),
    ),
    renderTable<Statement>(
      [
        ['Statement', ({ text }) => `\`${text}\``],
        ['Calls', ({ calls }) => String(calls)],
        ['µs a mint', ({ ms }) => ((ms * 1_000) / mints).toFixed(1)],
        ['WAL bytes a mint', ({ bytes }) => each(bytes, 0)],
      ],
      statements.slice(0, SHOWN_STATEMENTS),
    ),
  ].join('\n\n');
}

/** A PostgreSQL with `pg_stat_statements`, which is loaded at the start alone. */
async function startWithStatistics(dataDir: string) {
  const first = await startEmbeddedPostgres({ dataDir, log: () => undefined });
  await administer(first.url, `alter system set shared_preload_libraries = 'pg_stat_statements'`);
  await first.stop();
  return startEmbeddedPostgres({ dataDir, log: () => undefined });
}

async function walPosition(db: Db): Promise<string> {
  const [row] = await query<{ at: string }>(db, 'select pg_current_wal_insert_lsn()::text as at');
  return row!.at;
}

/** Records of the write-ahead log between two positions. An entry of an index is a record of its own. */
async function readWal(db: Db, from: string, to: string) {
  const [row] = await query<{ entries: bigint; bytes: string; images: string }>(
    db,
    `select coalesce(sum(count) filter (where "resource_manager/record_type" like 'Btree/INSERT%'), 0)::bigint as entries,
            sum(record_size) as bytes, sum(fpi_size) as images
       from pg_get_wal_stats(:from::pg_lsn, :to::pg_lsn, true)`,
    { from, to },
  );
  return {
    indexEntries: Number(row!.entries),
    bytes: Number(row!.bytes) + Number(row!.images),
    imageBytes: Number(row!.images),
  };
}

interface WalRecords {
  /** Of the table or index. */
  name: string;
  type: string;
  bytes: number;
}

/** What has most of the write-ahead log between two positions. */
function readRecords(db: Db, from: string, to: string): Promise<WalRecords[]> {
  return query<WalRecords>(
    db,
    `select c.relname as name, lower(b.record_type) as type, sum(b.record_length)::float8 as bytes
       from pg_get_wal_block_info(:from::pg_lsn, :to::pg_lsn) b join pg_class c on c.relfilenode = b.relfilenode
      where b.block_id = 0 group by 1, 2 order by 3 desc limit :limit`,
    { from, to, limit: SHOWN_RECORDS },
  );
}

async function readWrites(db: Db) {
  const rows = await query<{ name: string; inserted: bigint; updated: bigint; deleted: bigint; hot: bigint }>(
    db,
    `select relname as name, n_tup_ins as inserted, n_tup_upd as updated, n_tup_del as deleted, n_tup_hot_upd as hot
       from pg_stat_user_tables where schemaname = 'public'`,
  );
  const sum = (field: 'inserted' | 'updated' | 'deleted' | 'hot'): number =>
    rows.reduce((total, row) => total + Number(row[field]), 0);
  return { inserted: sum('inserted'), updated: sum('updated'), deleted: sum('deleted'), hot: sum('hot') };
}

interface Statement {
  /** Its beginning. */
  text: string;
  calls: bigint;
  ms: number;
  bytes: number;
}

async function readStatements(db: Db): Promise<Statement[]> {
  const rows = await query<{ text: string; calls: bigint; ms: number; bytes: string }>(
    db,
    `select query as text, calls, total_exec_time + total_plan_time as ms, wal_bytes as bytes
       from pg_stat_statements order by ms desc`,
  );
  return rows.map(({ text, bytes, ...row }) => ({
    ...row,
    text: text.replaceAll(/\s+/g, ' ').slice(0, STATEMENT_LENGTH),
    bytes: Number(bytes),
  }));
}
