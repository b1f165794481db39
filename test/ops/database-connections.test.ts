import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readConfig } from '../../src/config.ts';
import { createDb, query } from '../../src/db/client.ts';
import { createKnownCommits } from '../../src/engine/index.ts';
import { openDatabase } from '../../src/start/database.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import { createAuthority } from '../../lab/stage/authority.ts';
import type { Authority } from '../../lab/stage/authority.ts';
import { findProgram } from '../../lab/stage/program.ts';
import { startOwnPostgres } from './own-postgres.ts';
import type { OwnPostgres } from './own-postgres.ts';
import { startPgBouncer } from './pgbouncer.ts';

const postgres = await findProgram('postgres', 'postgresql');
const openssl = await findProgram('openssl', 'openssl');
const pgbouncer = await findProgram('pgbouncer', 'pgbouncer');

/** Of these, three are reserved for superusers. */
const MAX_CONNECTIONS = 40;

(postgres && openssl && pgbouncer ? describe : describe.skip)('a database as an operator runs it', () => {
  let authority: Authority;
  let server: OwnPostgres;
  let url: string;

  beforeAll(async () => {
    authority = await createAuthority(openssl!);
    server = await startOwnPostgres(postgres!, {
      tls: await authority.issue('localhost'),
      settings: [`max_connections=${MAX_CONNECTIONS}`],
    });
    const { PGUSER, PGPASSWORD } = server.environment;
    await using admin = createDb(server.urlOf(PGUSER!, PGPASSWORD!, 'postgres'), 1);
    await query(admin, `create role mintmark login password 'secret'`);
    await query(admin, 'create database mintmark owner mintmark');
    url = server.urlOf('mintmark', 'secret', 'mintmark');
  });
  afterAll(() => Promise.all([server?.stop(), authority?.close()]));

  /** Opens what a process with these variables opens, and returns what `ask` finds there. */
  async function open<Result>(
    variables: Record<string, string>,
    { role = 'api', ask }: { role?: string; ask?: (db: ReturnType<typeof createDb>) => Promise<Result> } = {},
  ): Promise<Result | undefined> {
    await using stack = new AsyncDisposableStack();
    const environment = {
      RPC_URL: 'http://127.0.0.1:9',
      SIGNER_KEY: `0x${'1'.padStart(64, '0')}`,
      ...variables,
    };
    const config = readConfig(['--role', role], environment);
    const log = createLogger('silent');
    const { db } = await openDatabase(config, log, stack, {
      embedded: null,
      commits: createKnownCommits(),
      timings: {},
    });
    return await ask?.(db as ReturnType<typeof createDb>);
  }

  describe('with a private authority', () => {
    const secured = (hosts: (port: string) => string, options: string): string => {
      const { port } = new URL(url);
      return `postgres://mintmark:secret@${hosts(port)}/mintmark?${options}`;
    };
    const askForTls = (db: Parameters<typeof query>[0]) =>
      query<{ name: string; ssl: boolean }>(
        db,
        `select distinct application_name as name, ssl from pg_stat_ssl join pg_stat_activity using (pid)
          where usename = 'mintmark' order by 1`,
      );
    const all = [
      { name: 'mintmark', ssl: true },
      { name: 'mintmark listen', ssl: true },
    ];

    test('sslrootcert names its certificate, for every connection', async () => {
      const options = `sslmode=verify-full&sslrootcert=${authority.file}`;
      const DATABASE_URL = secured((port) => `localhost:${port}`, options);
      expect(await open({ DATABASE_URL }, { ask: askForTls })).toEqual(all);
    });

    test('likewise of several hosts, in both forms of libpq', async () => {
      const options = `sslmode=verify-full&sslrootcert=${authority.file}&target_session_attrs=read-write`;
      const DATABASE_URL = secured((port) => `localhost:9,localhost:${port}`, options);
      expect(await open({ DATABASE_URL }, { ask: askForTls })).toEqual(all);
      const { port } = new URL(url);
      const other = secured(() => '', `host=localhost,localhost&port=9,${port}&${options}`);
      expect(await open({ DATABASE_URL: other }, { ask: askForTls })).toEqual(all);
    });

    test('without it, or under another name, the start fails and says why', async () => {
      const options = 'sslmode=verify-full';
      await expect(open({ DATABASE_URL: secured((port) => `localhost:${port}`, options) })).rejects.toThrow(
        /The database does not answer as it should: .*certificate/,
      );
      const trusted = `${options}&sslrootcert=${authority.file}`;
      await expect(open({ DATABASE_URL: secured((port) => `127.0.0.1:${port}`, trusted) })).rejects.toThrow(
        /The database does not answer as it should: .*(IP|altname|certificate)/,
      );
      const missing = `${options}&sslrootcert=/nowhere/authority.pem`;
      await expect(open({ DATABASE_URL: secured((port) => `localhost:${port}`, missing) })).rejects.toThrow(
        /no such file.*\/nowhere\/authority.pem/,
      );
    });
  });

  describe('with a limit of connections', () => {
    test('a process that needs no more than that starts', async () => {
      const needed = { DATABASE_URL: url, DATABASE_POOL_SIZE: '36' };
      await expect(open(needed)).resolves.toBeUndefined();
      await expect(
        open({ ...needed, DATABASE_POOL_SIZE: '16' }, { role: 'engine' }),
      ).resolves.toBeUndefined();
    });

    test('one that needs more is refused with the figures', async () => {
      await expect(open({ DATABASE_URL: url, DATABASE_POOL_SIZE: '37' })).rejects.toThrow(
        'This process may need 38 connections to PostgreSQL (DATABASE_POOL_SIZE 37, 1 that listens) and gets 37 at most: ' +
          'max_connections is 40, of which 3 are reserved; raise that, or lower DATABASE_POOL_SIZE',
      );
      const engine = open({ DATABASE_URL: url, DATABASE_POOL_SIZE: '17' }, { role: 'engine' });
      await expect(engine).rejects.toThrow(/may need 38 .*20 for background work/);
    });

    test('the limits of the user and of the database count too', async () => {
      const { PGUSER, PGPASSWORD } = server.environment;
      await using admin = createDb(server.urlOf(PGUSER!, PGPASSWORD!, 'postgres'), 1);
      await query(admin, 'alter role mintmark connection limit 8');
      await expect(open({ DATABASE_URL: url })).rejects.toThrow("the database's user has a limit of 8");
      await query(admin, 'alter role mintmark connection limit -1');
      await query(admin, 'alter database mintmark connection limit 9');
      await expect(open({ DATABASE_URL: url })).rejects.toThrow('the database has a limit of 9');
      await query(admin, 'alter database mintmark connection limit -1');
    });
  });

  describe('behind PgBouncer', () => {
    test('that pools by transaction, a start without a direct connection is refused', async () => {
      await using pooler = await startPgBouncer(pgbouncer!, url, 'transaction');
      await expect(open({ DATABASE_URL: pooler.url })).rejects.toThrow(
        'DATABASE_URL leads to a pooler in transaction mode, such as PgBouncer, through which no notification arrives: ' +
          'set DATABASE_DIRECT_URL to PostgreSQL itself as well',
      );
      const direct = { DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: url };
      await expect(open(direct)).resolves.toBeUndefined();
      await expect(open({ DATABASE_URL: url, DATABASE_DIRECT_URL: pooler.url })).rejects.toThrow(
        'let it lead to PostgreSQL itself',
      );
    });

    test('that pools by transaction, what it does not carry over has to be the default of the sessions', async () => {
      const { PGUSER, PGPASSWORD } = server.environment;
      await using admin = createDb(server.urlOf(PGUSER!, PGPASSWORD!, 'postgres'), 1);
      await query(admin, `alter database mintmark set default_transaction_isolation = 'serializable'`);
      await query(admin, `alter database mintmark set datestyle = 'German'`);
      {
        await using pooler = await startPgBouncer(pgbouncer!, url, 'transaction');
        const start = open({ DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: url });
        await expect(start).rejects.toThrow(
          'Through the pooler of DATABASE_URL the sessions have default_transaction_isolation "serializable", and the service ' +
            `needs read committed: run "alter role mintmark in database mintmark set default_transaction_isolation = 'read committed'"`,
        );
      }
      await query(
        admin,
        `alter role mintmark in database mintmark set default_transaction_isolation = 'read committed'`,
      );
      await using pooler = await startPgBouncer(pgbouncer!, url, 'transaction');
      const ask = (db: Parameters<typeof query>[0]) =>
        Promise.all(
          Array.from({ length: 5 }, () =>
            db.transaction((tx) =>
              query(
                tx,
                `select current_setting('transaction_isolation') as isolation, now()::text ~ '^20' as "isIso", pg_sleep(0.1)::text`,
              ),
            ),
          ),
        );
      const found = await open({ DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: url }, { ask });
      expect(found!.flat()).toEqual(
        Array.from({ length: 5 }, () =>
          expect.objectContaining({ isolation: 'read committed', isIso: true }),
        ),
      );
      await query(admin, 'alter role mintmark in database mintmark reset all');
      await query(admin, 'alter database mintmark reset all');
    });

    test('that pools by session, nothing else is needed', async () => {
      await using pooler = await startPgBouncer(pgbouncer!, url, 'session');
      await expect(open({ DATABASE_URL: pooler.url, DATABASE_POOL_SIZE: '4' })).resolves.toBeUndefined();
    });
  });
});
