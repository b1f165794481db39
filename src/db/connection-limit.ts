import { query } from './client.ts';
import type { Db } from './client.ts';

/** How many connections the user of `db` may have. */
interface ConnectionLimit {
  connections: number;
  /** What says so, in words for an operator. */
  because: string;
}

interface Row {
  max: number;
  reserved: number;
  /** -1 for none. */
  ofUser: number;
  ofDatabase: number;
}

/** Asks the server for the least of its limits. Superusers may take what is reserved as well; the service is none. */
export async function readConnectionLimit(db: Db): Promise<ConnectionLimit> {
  const [row] = await query<Row>(
    db,
    `select current_setting('max_connections')::int as max,
            current_setting('superuser_reserved_connections')::int
              + coalesce(current_setting('reserved_connections', true)::int, 0) as reserved,
            (select rolconnlimit from pg_roles where rolname = current_user) as "ofUser",
            (select datconnlimit from pg_database where datname = current_database()) as "ofDatabase"`,
  );
  const { max, reserved, ofUser, ofDatabase } = row!;
  const limits: ConnectionLimit[] = [
    { connections: max - reserved, because: `max_connections is ${max}, of which ${reserved} are reserved` },
    { connections: ofUser, because: `the database's user has a limit of ${ofUser}` },
    { connections: ofDatabase, because: `the database has a limit of ${ofDatabase}` },
  ];
  const known = limits.filter(({ connections }) => connections >= 0);
  return known.reduce((least, limit) => (limit.connections < least.connections ? limit : least));
}
