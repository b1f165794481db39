import type { Knex } from 'knex';
import type { Tables } from '../../generated/tables.ts';
import type { Hex } from '../lib/hex.ts';
import type { Db, Tx } from './client.ts';

type Name = keyof Tables;

/** A row of a table, as it is read. */
export type Row<Table extends Name> = Tables[Table]['row'];

/** A value, or SQL for one. Bytes are read as Hex, and bound as a Buffer. */
type Value<Column> = (Column extends Hex ? Buffer : Column) | Knex.Raw;
export type Values<Table extends Name> = { [Column in keyof Row<Table>]: Value<Row<Table>[Column]> };
type Given<Table extends Name> = Omit<Values<Table>, Tables[Table]['given']>;
type Optional<Table extends Name> = Extract<keyof Given<Table>, Tables[Table]['optional']>;
type NewRow<Table extends Name> = Omit<Given<Table>, Optional<Table>> &
  Partial<Pick<Given<Table>, Optional<Table>>>;

/**
 * The columns that fit a field: a field may be narrower than its column, where a constraint says more than the type
 * does.
 */
type Fitting<Table extends Name, Field> = {
  [Column in keyof Row<Table>]: Field extends Row<Table>[Column] | null ? Column : never;
}[keyof Row<Table>];

/** The column of each field of what is read. */
export type Columns<Table extends Name, Shown> = {
  readonly [Field in keyof Shown]: Fitting<Table, Shown[Field]>;
};

/** SQL: the same list for a statement that Knex does not build. */
export const listOf = (columns: Readonly<Record<string, string>>): string =>
  Object.entries(columns)
    .map(([field, column]) => `${column} as "${field}"`)
    .join(', ');

/**
 * A plain statement over one table, as Knex builds it. Knex's own types take any text for a column and answer with
 * `any`: by these a column that the schema does not have, or has with another type, does not compile. Each is a new
 * text to prepare, so no statement may depend on how many values there are: `anyNumber` is one parameter.
 */
export interface Statement<Table extends Name, Answer> extends PromiseLike<Answer> {
  where(values: Partial<Values<Table>>): this;
  where<Column extends keyof Row<Table>>(
    column: Column,
    operator: '=' | '<>' | '<' | '<=' | '>' | '>=',
    value: Value<NonNullable<Row<Table>[Column]>>,
  ): this;
  whereRaw(sql: string, bindings?: Readonly<Record<string, string>>): this;
  whereNotNull(column: keyof Row<Table>): this;
  orderBy(column: keyof Row<Table>, direction?: 'asc' | 'desc'): this;
  limit(rows: number): this;
  forNoKeyUpdate(): this;
  select<Column extends keyof Row<Table>>(
    ...columns: readonly Column[]
  ): Statement<Table, Pick<Row<Table>, Column>[]>;
  /** Under names of their own. */
  select<Shown>(columns: Columns<Table, Shown>): Statement<Table, Shown[]>;
  returning<Column extends keyof Row<Table>>(
    columns: readonly Column[],
  ): Statement<Table, Pick<Row<Table>, Column>[]>;
  returning<Shown>(columns: Columns<Table, Shown>): Statement<Table, Shown[]>;
  insert(row: NewRow<Table>): Statement<Table, unknown>;
  onConflict(): { ignore(): Statement<Table, unknown> };
  /** The answer is how many rows there were. */
  update(values: Partial<Given<Table>>): Statement<Table, number>;
  delete(): Statement<Table, number>;
}

/** Begins a plain statement over a table. */
export function table<Table extends Name>(db: Db | Tx, name: Table): Statement<Table, unknown> {
  const builder: unknown = db(name);
  return builder as Statement<Table, unknown>;
}

/** SQL: any of these bytes, as one parameter. */
export const anyBytes = (db: Db | Tx, values: readonly Buffer[]): Knex.Raw =>
  db.raw('any(cast(:values as bytea[]))', { values: [...values] });

/** SQL: any of these numbers, as one parameter. */
export const anyNumber = (db: Db | Tx, values: readonly bigint[]): Knex.Raw =>
  db.raw('any(cast(:values as bigint[]))', { values: values.map(String) });

/** SQL: the time of so many seconds from now, by the database's clock; null for none. */
export function inSeconds(db: Db | Tx, seconds: number | null): Knex.Raw {
  return db.raw(`now() + cast(:seconds as float8) * interval '1 second'`, { seconds });
}
