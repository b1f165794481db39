import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import { createNotifications } from '../../src/db/notifications.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';
import { administer } from '../../lab/stage/template.ts';

const { db, url } = useSuiteDatabase(1);

const log = createLogger('silent');
const notify = (payload: string) => query(db, `select pg_notify('mintmark_settled', :payload)`, { payload });
/** Ends the connection that listens. */
const cut = () =>
  query(
    db,
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'mintmark listen'`,
  );

/** Notifies again until it is heard, for at most ten seconds. */
async function untilHeard(heard: readonly string[], payload: string): Promise<boolean> {
  for (let look = 0; look < 600 && !heard.includes(payload); look += 1) {
    await notify(payload);
    await sleep(100);
  }
  return heard.includes(payload);
}

test('a listening connection that is lost is opened again, also when the database is away for a while', async () => {
  const heard: string[] = [];
  await using notifications = await createNotifications(url, log);
  notifications.on('mintmark_settled', (payload) => heard.push(payload));
  expect(await untilHeard(heard, 'at first')).toBe(true);
  await cut();
  expect(await untilHeard(heard, 'after a cut')).toBe(true);

  const name = new URL(url).pathname.slice(1);
  const server = process.env['TEST_DATABASE_URL']!;
  await administer(server, `alter database ${name} allow_connections false`);
  await cut();
  // Time for two attempts, which are refused.
  await sleep(2_500);
  await administer(server, `alter database ${name} allow_connections true`);
  expect(await untilHeard(heard, 'after an outage')).toBe(true);
});

test('each channel has listeners of its own, and all of them are told', async () => {
  const heard: string[] = [];
  await using notifications = await createNotifications(url, log);
  notifications.on('mintmark_queued', () => heard.push('queued'));
  notifications.on('mintmark_settled', (payload) => heard.push(`first ${payload}`));
  notifications.on('mintmark_settled', (payload) => heard.push(`second ${payload}`));
  await notify('1,2');
  for (let look = 0; look < 600 && heard.length < 2; look += 1) await sleep(50);
  expect(heard).toEqual(['first 1,2', 'second 1,2']);
});

test('a start without a database to listen to fails, and leaves nothing behind that tries again', async () => {
  const refusals: Socket[] = [];
  await using nowhere = createServer((socket) => {
    refusals.push(socket);
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(nowhere, 'listening');
  const { port } = nowhere.address() as AddressInfo;
  await expect(createNotifications(`postgres://a:b@127.0.0.1:${port}/c`, log)).rejects.toThrow();
  await sleep(1_500);
  expect(refusals).toHaveLength(1);
});

test('once it is closed nothing of it keeps the process alive', async () => {
  // Only what keeps a process alive is listed.
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const before = timers();
  const notifications = await createNotifications(url, log);
  await notifications.close();
  expect(timers()).toBeLessThanOrEqual(before);
});
