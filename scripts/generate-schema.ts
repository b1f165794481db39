import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDb, query } from '../src/db/client.ts';
import type { Db } from '../src/db/client.ts';
import { migrate } from '../src/db/migrate.ts';
import { startEmbeddedPostgres } from '../src/embedded/postgres.ts';
import { describeTables } from './lib/describe-tables.ts';

/**
 * Writes src/db/schema.sql: what the migrations make, read back from a real database, so that a reader sees the tables
 * as they are and a migration that changes something else than meant shows in the diff; and generated/tables.ts, the
 * types of its rows.
 */
const TABLES = `
  select c.oid::int as oid, c.relname as name, c.relkind = 'v' as "isView",
         coalesce(' with (' || array_to_string(c.reloptions, ', ') || ')', '') as options from pg_class c
   where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'v') order by c.relname`;

const VIEW = 'select pg_get_viewdef(:oid::oid, true) as line';

const LINES = `
  select '  ' || quote_ident(a.attname) || ' ' || format_type(a.atttypid, a.atttypmod)
         || case when a.attidentity = 'a' then ' generated always as identity' else '' end
         || case when a.attnotnull then ' not null' else '' end
         || coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '') as line
    from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
   where a.attrelid = :oid and a.attnum > 0 and not a.attisdropped order by a.attnum`;

// Not-null constraints stand with their columns; PostgreSQL 18 lists them here as well.
const CONSTRAINTS = `
  select '  constraint ' || quote_ident(conname) || ' ' || pg_get_constraintdef(oid) as line
    from pg_constraint where conrelid = :oid and contype <> 'n' order by contype desc, conname`;

const INDEXES = `
  select pg_get_indexdef(i.indexrelid) || ';' as line
    from pg_index i join pg_class c on c.oid = i.indexrelid
   where i.indrelid = :oid and not exists (select 1 from pg_constraint where conindid = i.indexrelid)
   order by c.relname`;

const TRIGGERS = `
  select pg_get_triggerdef(oid) || ';' || case tgenabled when 'A' then ' -- always' else '' end as line
    from pg_trigger where tgrelid = :oid and not tgisinternal order by tgname`;

/** Those of no column. */
const SEQUENCES = `
  select format('create sequence %s as %s minvalue %s start %s increment %s;', sequencename, data_type, min_value, start_value, increment_by)
           as line
    from pg_sequences s where schemaname = 'public'
     and not exists (select 1 from pg_depend d where d.objid = s.sequencename::regclass and d.deptype in ('a', 'i')) order by 1`;

const FUNCTIONS = `
  select trim(pg_get_functiondef(oid), e'\\n') || ';' as line from pg_proc where pronamespace = 'public'::regnamespace order by proname`;

async function describeSchema(db: Db): Promise<string> {
  const lines = async (sql: string, oid = 0): Promise<string[]> =>
    (await query<{ line: string }>(db, sql, { oid })).map(({ line }) => line);
  const tables = await query<{ oid: number; name: string; isView: boolean; options: string }>(db, TABLES);
  const parts = [...(await lines(SEQUENCES)), ...(await lines(FUNCTIONS))];
  for (const { oid, name, isView, options } of tables) {
    if (isView) {
      parts.push(`create view ${name} as\n${(await lines(VIEW, oid)).join('')}`);
      continue;
    }
    const body = [...(await lines(LINES, oid)), ...(await lines(CONSTRAINTS, oid))];
    const rest = [...(await lines(INDEXES, oid)), ...(await lines(TRIGGERS, oid))];
    parts.push([`create table ${name} (`, body.join(',\n'), `)${options};`, ...rest].join('\n'));
  }
  return `-- Written from the migrations by \`npm run generate\`. Do not edit.\n\n${parts.join('\n\n')}\n`;
}

const root = join(import.meta.dirname, '..');
const [, , folder] = process.argv;
await using data = await mkdtempDisposable(join(tmpdir(), 'mintmark-schema-'));
await using postgres = await startEmbeddedPostgres({
  dataDir: data.path,
  data: 'throwaway',
  log: () => undefined,
});
await using db = createDb(postgres.url, 1);
await migrate(postgres.url);
await writeFile(join(folder ?? join(root, 'src', 'db'), 'schema.sql'), await describeSchema(db));
await writeFile(join(folder ?? join(root, 'generated'), 'tables.ts'), await describeTables(db));
