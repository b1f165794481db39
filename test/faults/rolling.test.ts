import { expect, test } from '@jest/globals';
import { setPlan } from '../../lab/stage/accounts.ts';
import { findProgram } from '../../lab/stage/program.ts';
import { startTestService } from '../../lab/stage/service.ts';
import { waitForQuiet } from '../../lab/faults/books.ts';
import { FLAWLESS, judge } from '../../lab/faults/judge.ts';
import { deployTargets } from '../../lab/load/load.ts';
import { createTestRandom } from '../../lab/random.ts';
import { openCustomers, runRolling } from '../../lab/faults/rolling.ts';
import { openTestDb } from '../../lab/stage/database.ts';

/** `npm run faults -- --only "rolling restart"` is the whole promise: four of each, for half an hour. */
const REPLICAS = 2;

const nginx = await findProgram('nginx', 'nginx-light');
const openssl = await findProgram('openssl', 'openssl');

(nginx && openssl ? test : test.skip)(
  'while each process is restarted in turn behind nginx, every request is answered and has one effect',
  async () => {
    await using mintmark = await startTestService({}, { blockTimeSeconds: 1 });
    const accounts = [await mintmark.register(), await mintmark.register()];
    // Restarts of a busy machine take their time, and the load goes on.
    for (const account of accounts) await setPlan(mintmark, account, 'PRO_PLUS');
    const targets = await deployTargets(accounts, (place) => place === 1);
    const customers = await openCustomers(mintmark, targets);
    const { operator } = mintmark.service.context.system;
    await mintmark.service.stop();
    const report = await runRolling(mintmark, customers, {
      programs: { nginx: nginx!, openssl: openssl! },
      ...{ replicas: REPLICAS, perSecond: 5, random: createTestRandom('rolling') },
      isOver: (restarts) => restarts === 2 * REPLICAS,
    });
    await mintmark.restart();
    await using db = openTestDb(mintmark.databaseUrl, 2);
    expect(await waitForQuiet(db, 60_000)).toBe(0);
    expect(report).toMatchObject({
      failures: [],
      badEnds: [],
      restarts: 4,
      log: { unknown: 0, refused: [] },
    });
    expect(report.log.acknowledged.size).toBe(report.requests);
    expect(report.requests).toBeGreaterThan(20);
    const judgement = await judge(db, mintmark.chain.url, operator, report.log);
    expect(judgement).toMatchObject({ ...FLAWLESS, failed: 0, acknowledged: report.requests });
  },
);
