import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';

const page = readFileSync('docs/postgres.md', 'utf8');
const [, relied = '', rest = ''] = /## What is relied on\n([^]*?)\nNot used: ([^]*?)\n\n/.exec(page) ?? [];
const rows = [...relied.matchAll(/^\| ([^|]+?) +\|/gm)].map(([, cell]) => cell!);

/** Without comments: these may name what is not used. */
const sources = globSync(['src/**/*.ts', 'src/db/migrations/*.sql'])
  .map((file) => readFileSync(file, 'utf8').replaceAll(/\/\*[^]*?\*\/|^\s*(?:\/\/|--).*$/gm, ''))
  .join('\n');

/** What in the sources shows that each is used. */
const RELIED: Record<string, RegExp[]> = {
  'durable commits': [/insert into attempts/i],
  '`READ COMMITTED`': [/\.transaction\(/],
  'row locks': [/\bfor update\b/, /\bfor no key update\b/, /\bfor share\b/],
  '`skip locked`': [/\bskip locked\b/],
  'unique and partial indexes': [/create unique index \w+ on \w+ \([^;]*\) where/],
  '`on conflict`': [/\bon conflict\b/],
  'checks and foreign keys': [/\bcheck \(/, /\breferences \w+/],
  'identity columns': [/generated always as identity/],
  'triggers and PL/pgSQL': [/create trigger/, /language plpgsql/],
  'data-modifying `with`, `returning`': [
    /\bas (?:not materialized )?\(\s*(?:update|insert|delete)\b/,
    /\breturning\b/,
  ],
  '`lateral`, window functions': [/\blateral\b/, /\bover \(/],
  'arrays, `unnest`, `jsonb`, `numeric`': [/\bunnest\(/, /\bjsonb\b/, /\bnumeric\(/],
  savepoints: [/tx\.transaction\(/],
  'transactional DDL': [/transaction: isTransactional\(migration\)/],
  '`pg_try_advisory_xact_lock`': [/pg_try_advisory_xact_lock/],
  '`LISTEN`, `pg_notify`': [/\blisten /i, /pg_notify\(/],
  snapshots: [/pg_snapshot_xmin\(pg_current_snapshot\(\)\)/],
  '`now()`': [/\bnow\(\)/],
  'deadlock detection': [/40P01/],
  '`ctid`': [/\bctid\b/],
  'settings of a session': [
    /statement_timeout/,
    /idle_in_transaction_session_timeout/,
    /tcp_keepalives_idle/,
    /\bjit: 'off'/,
  ],
  'prepared statements': [/\bprepares = false/],
  '`transaction_read_only`': [/transaction_read_only/],
  'system identifier and timeline': [/pg_control_system\(\)/, /pg_walfile_name\(/],
  'graphile-worker': [/from 'graphile-worker'/],
};

/** What would show that the others are. */
const UNUSED: Record<string, RegExp> = {
  extensions: /\bcreate extension\b/i,
  '`SERIALIZABLE`': /isolation level|isolationLevel|\bserializable\b/i,
  'two-phase commit': /\bprepare transaction\b/i,
  'session-wide advisory locks': /pg_(?:try_)?advisory_lock/i,
  'temporary and unlogged tables': /\b(?:temp|temporary|unlogged) table\b/i,
  '`COPY`': /\bcopy \w+ (?:from|to) std/i,
  'large objects': /\blo_(?:create|import|open|put)\b/i,
  'logical replication': /\bcreate (?:publication|subscription)\b|pg_create_logical/i,
};

describe('docs/postgres.md', () => {
  test('has a row for each feature that is looked for here', () => {
    expect(rows.filter((row) => row !== 'Feature' && !row.startsWith('-'))).toEqual(Object.keys(RELIED));
    for (const name of Object.keys(UNUSED)) expect(rest.replaceAll('\n', ' ')).toContain(name);
  });

  test.each(Object.entries(RELIED))('%s: the sources use it', (_, patterns) => {
    for (const pattern of patterns) expect(sources).toMatch(pattern);
  });

  test.each(Object.entries(UNUSED))('%s: the sources do not use it', (_, pattern) => {
    expect(sources).not.toMatch(pattern);
  });
});
