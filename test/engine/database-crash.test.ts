import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { createDb, query } from '../../src/db/client.ts';
import { startEmbeddedPostgres } from '../../src/embedded/postgres.ts';
import { waitForQuiet } from '../../lab/faults/books.ts';
import { FLAWLESS, judge } from '../../lab/faults/judge.ts';
import { deployTargets, emptyLog, inParallel, mintOnce } from '../../lab/load/load.ts';
import { createTestRandom } from '../../lab/random.ts';
import { untilAnswered } from '../../lab/load/until-answered.ts';
import { startTestService } from '../../lab/stage/service.ts';

const CRASHES = 4;
const random = createTestRandom('crashes');

test('PostgreSQL crashes under load: no acknowledged write is lost, and the service goes on by itself', async () => {
  // A server of its own: the others' tests would not like it.
  await using folder = await mkdtempDisposable(path.join(tmpdir(), 'mintmark-crash-'));
  await using postgres = await startEmbeddedPostgres({ dataDir: folder.path, log: () => undefined });
  await using mintmark = await startTestService({ DATABASE_URL: postgres.url, LOG_LEVEL: 'silent' });
  const targets = await deployTargets(await Promise.all([mintmark.register(), mintmark.register()]));
  const { db, system } = mintmark.service.context;
  const log = emptyLog();
  for (let crash = 0; crash < CRASHES; crash += 1) {
    const before = log.acknowledged.size;
    const load = inParallel(20, 5, (index) => mintOnce(targets[index % 2]!, log, { retry: index % 2 === 0 }));
    // On a busy machine the crash would come before the first answer, and all that follows would be refused.
    while (log.acknowledged.size === before) await sleep(5);
    await sleep(random.whole(0, 150));
    const [backend] = await untilAnswered(() => query<{ pid: number }>(db, 'select pg_backend_pid() as pid'));
    // PostgreSQL answers the violent death of a backend as a crash: every connection ends, and it recovers from its
    // log.
    process.kill(backend!.pid, 'SIGKILL');
    await load;
    await untilAnswered(() => query(db, 'select 1'));
  }
  // Another connection of the pool may learn of the crash by this query.
  expect(await untilAnswered(() => waitForQuiet(db, 60_000))).toBe(0);
  const judgement = await judge(db, mintmark.chain.url, system.operator, log);
  expect(judgement).toMatchObject(FLAWLESS);
  expect(judgement.acknowledged).toBeGreaterThan(0);
});

test('a process that is frozen in the middle of a transaction does not hold up the others', async () => {
  await using mintmark = await startTestService({ LOG_LEVEL: 'silent' });
  await using frozen = createDb(mintmark.databaseUrl, 1);
  const [target] = await deployTargets([await mintmark.register()]);
  const transaction = await frozen.transaction();
  await query(transaction, 'select 1 from accounts for update');
  await query(transaction, 'select 1 from balances for update');
  const log = emptyLog();
  await mintOnce(target!, log);
  expect(log.acknowledged.size).toBe(1);
  await expect(query(transaction, 'select 1')).rejects.toThrow();
  await transaction.rollback().catch(() => undefined);
});
