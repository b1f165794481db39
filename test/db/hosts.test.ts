import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createDb, query } from '../../src/db/client.ts';
import { startEmbeddedPostgres } from '../../src/embedded/postgres.ts';
import { readConfig } from '../../src/config.ts';
import { startStandby } from '../../lab/faults/standby.ts';
import type { Standby } from '../../lab/faults/standby.ts';

/*
 * URLs that name a primary and a read-only standby, both real. What happens at a failover:
 * test/engine/lossy-failover.test.ts.
 */

const stack = new AsyncDisposableStack();
let primary: URL;
let standby: Standby;

beforeAll(async () => {
  const folder = stack.use(await mkdtempDisposable(path.join(tmpdir(), 'mintmark-hosts-')));
  const options = { dataDir: folder.path, data: 'throwaway', log: () => undefined } as const;
  primary = new URL(stack.use(await startEmbeddedPostgres(options)).url);
  standby = stack.use(await startStandby(primary.href));
});

afterAll(() => stack.disposeAsync());

const ATTRIBUTES = 'target_session_attrs=read-write';

/** Both forms of a URL with these ports, as the configuration takes them. */
function urlsOf(ports: readonly string[]): string[] {
  const { username, password, pathname } = primary;
  const user = `postgres://${username}:${password}@`;
  const hosts = ports.map(() => '127.0.0.1').join(',');
  return [
    `${user}${ports.map((port) => `127.0.0.1:${port}`).join(',')}${pathname}?${ATTRIBUTES}`,
    `${user}${pathname}?host=${hosts}&port=${ports.join(',')}&${ATTRIBUTES}`,
  ].map((url) => readConfig(['--role', 'api'], { DATABASE_URL: url, RPC_URL: 'http://a' }).databaseUrl!);
}

test('of a primary and a standby, in either order and form, a connection takes the primary', async () => {
  const second = new URL(standby.url).port;
  for (const url of [...urlsOf([second, primary.port]), ...urlsOf([primary.port, second])]) {
    await using db = createDb(url, 1);
    expect(await query(db, 'select pg_is_in_recovery() as standby, inet_server_port() as port')).toEqual([
      { standby: false, port: Number(primary.port) },
    ]);
  }
});

test('where only a standby answers, the connection is refused with a sentence', async () => {
  for (const url of urlsOf(['9', new URL(standby.url).port])) {
    await using db = createDb(url, 1);
    await expect(query(db, 'select 1')).rejects.toThrow('The database is read-only');
  }
});
