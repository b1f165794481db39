import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { createDb, query } from '../../src/db/client.ts';
import { startEmbeddedPostgres } from '../../src/embedded/postgres.ts';
import { until } from '../setup/until.ts';

const timeouts = { connectMs: 5_000, queryMs: 2_000 };

/*
 * PostgreSQL acknowledges a commit whose wait for the standby is cancelled, with a warning
 * (https://www.postgresql.org/docs/current/warm-standby.html#SYNCHRONOUS-REPLICATION-HA): what the service acknowledges
 * then, a failover loses. Its time limits must not be such a cancel.
 */
test('a commit that waits for its standby is never acknowledged without', async () => {
  await using folder = await mkdtempDisposable(path.join(tmpdir(), 'mintmark-synchronous-'));
  await using server = await startEmbeddedPostgres({ dataDir: folder.path, log: () => undefined });
  await using db = createDb(server.url, 2, { timeouts });
  await query(db, 'create table t (n int)');
  await query(db, `alter system set synchronous_standby_names = 'ANY 1 (db2, db3)'`);
  await query(db, 'select pg_reload_conf()');
  // A reload takes a moment to reach a connection.
  await using other = createDb(server.url, 1, { timeouts });

  const reason = /The database has not answered for 2000 ms/;
  await expect(query(other, 'insert into t values (1)')).rejects.toThrow(reason);
  const transaction = other.transaction((tx) => query(tx, 'insert into t values (2)'));
  await expect(transaction).rejects.toThrow(reason);
  expect(await query(db, 'select n from t')).toEqual([]);

  // What it would be with a cancel.
  await using third = createDb(server.url, 1);
  const cancelled = query(third, 'insert into t values (3)');
  const waits = `from pg_stat_activity where wait_event = 'SyncRep'`;
  await until(async () => (await query(db, `select 1 ${waits}`)).length === 3);
  await query(db, `select pg_cancel_backend(pid) ${waits}`);
  await expect(cancelled).resolves.toEqual([]);
  // The other two, which nobody waits for, are seen once their backends have noticed.
  await until(async () => (await query(db, 'select 1 from t')).length === 3);
});
