/**
 * What our statements rely on. A session inherits these from its role, its database and the server, where an operator
 * may have set them for other programs; so each connection sets them itself.
 */
export const RELIED_ON: Readonly<Record<string, string>> = {
  // A row that was waited for is read anew; and a snapshot that the lock of the migrations held would keep
  // `create index concurrently` waiting for ever.
  default_transaction_isolation: 'read committed',
  // The forms in which the driver reads times, and we intervals and bytes.
  DateStyle: 'ISO, MDY',
  IntervalStyle: 'postgres',
  bytea_output: 'hex',
  // Days are those of UTC.
  TimeZone: 'UTC',
  // Where the tables are.
  search_path: 'public',
  standard_conforming_strings: 'on',
  transform_null_equals: 'off',
  // Our own limits are those of a statement and of an idle transaction.
  lock_timeout: '0',
  idle_session_timeout: '0',
  transaction_timeout: '0',
};

/**
 * Those that a pooler in transaction mode does not carry from one connection of the server to the next, as PgBouncer
 * does with `DateStyle`, `TimeZone` and `standard_conforming_strings`: there the default has to be one of these.
 */
export const NEEDED_BEHIND_POOLER: Readonly<Record<string, readonly string[]>> = {
  default_transaction_isolation: ['read committed'],
  bytea_output: ['hex'],
  search_path: ['public', '"$user", public'],
  transform_null_equals: ['off'],
  lock_timeout: ['0'],
  idle_session_timeout: ['0'],
  transaction_timeout: ['0'],
};

/**
 * How our statements are planned. They are short: compiling one (JIT) takes longer than running it, whatever the
 * planner expects. They find their rows by an index, so a sequential scan is the last resort: the planner prefers it
 * for a table of a few pages, and would keep such a plan, or make one from a new table's missing statistics, while the
 * table grows to a million rows. A bitmap reads all that an index has and sorts it where a few rows in the index's
 * order are asked for. Nor do plans depend on the values: planning a statement anew for each took a third of what a
 * lone mint costs the database.
 */
const PLANNING: Readonly<Record<string, string>> = {
  jit: 'off',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  plan_cache_mode: 'force_generic_plan',
};

/**
 * The server ends a connection whose client is gone, or that a firewall forgot, after a minute. The system's default is
 * more than two hours, in which reconnecting processes can use up `max_connections`
 * (https://www.postgresql.org/docs/current/runtime-config-connection.html#RUNTIME-CONFIG-TCP-SETTINGS; seconds).
 */
const KEEPALIVES: Readonly<Record<string, string>> = {
  tcp_keepalives_idle: '30',
  tcp_keepalives_interval: '10',
  tcp_keepalives_count: '3',
};

/** SQL that sets `:names` to `:values` for the session, but for those that the server's version does not have. */
export const SET_ALL = `
  select count(set_config(name, value, false)) from unnest(:names::text[], :values::text[]) as wanted (name, value)
   where current_setting(name, true) is not null`;

/** What a connection sets when it is opened. */
export function sessionSettings(limits: Readonly<Record<string, string>>): {
  names: string[];
  values: string[];
} {
  const all = { ...RELIED_ON, ...PLANNING, ...KEEPALIVES, ...limits };
  return { names: Object.keys(all), values: Object.values(all) };
}
