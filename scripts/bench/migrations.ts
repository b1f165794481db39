import { setTimeout as sleep } from 'node:timers/promises';
import { createDb, query } from '../../src/db/client.ts';
import type { Db } from '../../src/db/client.ts';
import { longTimeouts } from '../../src/db/connection.ts';
import { migrate } from '../../src/db/migrate.ts';
import type { Migration } from '../../src/db/migration.ts';
import { release } from '../../src/db/release.ts';
import { administer, databaseUrl } from '../../lab/stage/template.ts';
import { nextRelease } from '../../lab/upgrade/900-next-release.ts';
import { fillIntents } from './fill-intents.ts';
import type { Settings } from './settings.ts';
import { say } from '../lib/say.ts';
import { renderTable } from './table.ts';

const INTENTS = 10_000_000;
/**
 * Of the largest table. A backfill works half of the time, and locks a page of rows, whatever the size of the table.
 */
const BACKFILLED = 1_000_000;
const PAUSE_MS = 5;
const LOOK_MS = 10;
const BASELINE_MS = 20_000;

/** Statements like those of a service at work, on each table that a migration changes. */
const PROBES: readonly string[] = [
  `insert into intents (id, account_id, environment, kind, contract, arguments, status, final_at)
   select gen_random_uuid(), id, 'live', 'mint', decode(repeat('77', 20), 'hex'), '{}', 'confirmed', now() from accounts limit 1`,
  `update intents set updated_at = now() where number = (select max(number) from intents)`,
  `select number, status from intents where account_id = (select id from accounts limit 1) and environment = 'live'
      and status = 'confirmed' order by (-number) limit 20`,
  `update lanes set lease_until = now()`,
  `select t.name, c.chain_id from tokens t left join chain c on true
    where t.address = decode(repeat('77', 20), 'hex')`,
  'select held, committed from balances limit 1',
  'select token_id from nfts limit 1',
];

/** Milliseconds of the longest one so far. */
interface Longest {
  statement: number;
  /** For a lock, as the server says, within the time between two looks. */
  wait: number;
}

interface Prober {
  /** The longest ones since the last call. */
  take(): Longest & { statements: number };
  stop(): Promise<void>;
}

/** Sends each of the probes again and again over a connection of its own. */
function startProber(url: string): Prober {
  let longest: Longest = { statement: 0, wait: 0 };
  let [statements, isEnding] = [0, false];
  const probe = async (sql: string): Promise<void> => {
    await using db = createDb(url, 1, { timeouts: longTimeouts });
    for (; !isEnding; await sleep(PAUSE_MS)) {
      const began = performance.now();
      await query(db, sql);
      longest.statement = Math.max(longest.statement, performance.now() - began);
      statements += 1;
    }
  };
  const look = async (): Promise<void> => {
    await using db = createDb(url, 1, { timeouts: longTimeouts });
    for (; !isEnding; await sleep(LOOK_MS)) {
      const [row] = await query<{ ms: number | null }>(
        db,
        `select max(extract(epoch from clock_timestamp() - l.waitstart) * 1000)::float8 as ms
           from pg_locks l join pg_stat_activity a using (pid)
          where not l.granted and a.query not ilike 'alter%' and a.query not ilike 'create%' and a.query not ilike 'lock table%'
            and a.query not ilike 'drop%' and a.query not ilike '%create table%'`,
      );
      longest.wait = Math.max(longest.wait, row!.ms ?? 0);
    }
  };
  const all = Promise.all([...PROBES.map(probe), look()]);
  return {
    take: () => {
      const taken = { ...longest, statements };
      [longest, statements] = [{ statement: 0, wait: 0 }, 0];
      return taken;
    },
    stop: async () => {
      isEnding = true;
      await all;
    },
  };
}

interface Row extends Longest {
  what: string;
  seconds: number;
  statements: number;
}

/** How long migrations let ordinary statements wait: those of a made-up next release, one of each kind. */
export async function measureMigrations({ postgresUrl, scale }: Settings): Promise<string> {
  const intents = Math.ceil(INTENTS * scale);
  await administer(postgresUrl, 'create database migrations');
  const url = databaseUrl(postgresUrl, 'migrations');
  await migrate(url);
  await using db = createDb(url, 2, { timeouts: { ...longTimeouts, queryMs: 3_600_000 } });
  say(`  making ${intents} intents`);
  await fillIntents(db, intents);
  const size = await sizeOf(db);
  const prober = startProber(url);
  const rows: Row[] = [];
  const measure = async (what: string, work: () => Promise<unknown>): Promise<void> => {
    prober.take();
    const began = performance.now();
    await work();
    rows.push({ what, seconds: (performance.now() - began) / 1_000, ...prober.take() });
    const { seconds, statement, wait } = rows.at(-1)!;
    say(
      `  ${what}: ${seconds.toFixed(1)} s, statement ${statement.toFixed(0)} ms, lock ${wait.toFixed(0)} ms`,
    );
  };
  await measure('none', () => sleep(BASELINE_MS));
  const known = [...release.migrations];
  for (const migration of nextRelease.map((each) => bound(each, BACKFILLED * scale))) {
    known.push(migration);
    await measure(kindOf(migration), () => migrate(url, { release: { ...release, migrations: known } }));
  }
  await prober.stop();
  return `${intents.toLocaleString('en')} intents (${size}), ${PROBES.length} connections that read and write all the time. One of each kind, as a next release may have it.\n\n${renderTable(
    [
      ['Migration', ({ what }) => what],
      ['takes, s', ({ seconds }) => seconds.toFixed(1)],
      ['statements meanwhile', ({ statements }) => statements.toLocaleString('en')],
      ['longest statement, ms', ({ statement }) => statement.toFixed(0)],
      ['longest wait for a lock, ms', ({ wait }) => wait.toFixed(0)],
    ],
    rows,
  )}`;
}

const FIRST_WORDS = 5;

/** A backfill writes the first rows only, and reads all. */
const bound = (migration: Migration, rows: number): Migration =>
  'backfill' in migration
    ? { ...migration, where: `${migration.where} and ${migration.key} <= ${rows}` }
    : migration;

function kindOf(step: Migration): string {
  if ('backfill' in step) return `backfill of ${step.backfill} where ${step.where}`;
  if ('validate' in step) return `validate ${step.validate}`;
  if ('dropped' in step) return `drop index ${step.dropped}`;
  if ('whole' in step) return step.name;
  return step.sql.trim().split(/\s+/).slice(0, FIRST_WORDS).join(' ');
}

async function sizeOf(db: Db): Promise<string> {
  const [row] = await query<{ size: string }>(
    db,
    `select pg_size_pretty(pg_total_relation_size('intents')) as size`,
  );
  return row!.size;
}
