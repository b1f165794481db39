import { query } from '../../src/db/client.ts';
import type { Db } from '../../src/db/client.ts';

/** As src/db/client.ts has the driver read them; a list of bigint is none of bigint. */
const TYPES: Readonly<Record<string, string>> = {
  uuid: 'string',
  text: 'string',
  bytea: 'Hex',
  int2: 'number',
  int4: 'number',
  float8: 'number',
  int8: 'bigint',
  numeric: 'string',
  bool: 'boolean',
  date: 'string',
  timestamptz: 'Date',
  jsonb: 'unknown',
  _text: 'string[]',
  _int4: 'number[]',
  _int8: 'string[]',
  _uuid: 'string[]',
};

interface Column {
  table: string;
  name: string;
  type: string;
  isNullable: boolean;
  /** By a default, or since it may be null. */
  isOptional: boolean;
  /** The database gives it. */
  isGiven: boolean;
  /** What a constraint lets it be: `kind = ANY (ARRAY['mint'::text, 'burn'::text])`. */
  values: string | null;
}

const COLUMNS = `
  select c.relname as table, a.attname as name, t.typname as type, not a.attnotnull as "isNullable",
         not a.attnotnull or a.atthasdef as "isOptional", a.attidentity = 'a' as "isGiven",
         (select substring(pg_get_constraintdef(k.oid) from '^CHECK \\(\\(\\w+ = ANY \\(ARRAY\\[(.*)\\]\\)\\)\\)$')
            from pg_constraint k where k.conrelid = c.oid and k.contype = 'c' and k.conkey = array[a.attnum]
             and pg_get_constraintdef(k.oid) ~ '= ANY \\(ARRAY' limit 1) as values
    from pg_class c join pg_attribute a on a.attrelid = c.oid join pg_type t on t.oid = a.atttypid
   where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname !~ '^knex_' and a.attnum > 0 and not a.attisdropped
   order by c.relname, a.attnum`;

function typeOf({ table, name, type, values, isNullable }: Column): string {
  const known = TYPES[type];
  if (!known)
    throw new Error(`${table}.${name}: scripts/lib/describe-tables.ts does not know the type ${type}`);
  const own = values === null ? known : values.replaceAll('::text', '').replaceAll(', ', ' | ');
  return isNullable ? `${own} | null` : own;
}

const union = (columns: readonly Column[]): string =>
  columns.map(({ name }) => `'${name}'`).join(' | ') || 'never';

/** TypeScript: a row of each table as it is read, and which columns an insert may leave out, or has to. */
export async function describeTables(db: Db): Promise<string> {
  const columns = await query<Column>(db, COLUMNS);
  const tables = Map.groupBy(columns, ({ table }) => table);
  const parts = [...tables].map(
    ([name, own]) => `  ${name}: {
    row: {
${own.map((column) => `      ${column.name}: ${typeOf(column)};\n`).join('')}    };
    optional: ${union(own.filter(({ isOptional }) => isOptional))};
    given: ${union(own.filter(({ isGiven }) => isGiven))};
  };
`,
  );
  return `// Written from the migrations by \`npm run generate\`. Do not edit.\n\nimport type { Hex } from '../src/lib/hex.ts';\n\nexport interface Tables {\n${parts.join('')}}\n`;
}
