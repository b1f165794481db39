import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { CRASH_POINTS } from '../../src/lib/crash-points.ts';
import { query } from '../../src/db/client.ts';
import { waitForQuiet } from '../../lab/faults/books.ts';
import { FLAWLESS, judge } from '../../lab/faults/judge.ts';
import { runKills } from '../../lab/faults/kills.ts';
import type { Death } from '../../lab/faults/kills.ts';
import { deployTargets, mintOnce } from '../../lab/load/load.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestService } from '../../lab/stage/service.ts';
import { openTestDb } from '../../lab/stage/database.ts';

const WRITES = 240;
const ACCOUNTS = 4;

let mintmark: TestService;

beforeAll(async () => {
  mintmark = await startTestService();
});

afterAll(async () => {
  await mintmark?.stop();
});

test('kill -9 at every named point under load: every acknowledged write happens once, no unknown one twice', async () => {
  const { system } = mintmark.service.context;
  const accounts = await Promise.all(Array.from({ length: ACCOUNTS }, () => mintmark.register()));
  const targets = await deployTargets(accounts);
  await mintmark.service.stop();
  await using db = openTestDb(mintmark.databaseUrl, 2);
  await query(db, `update accounts set plan = 'PRO_PLUS'`);
  const deaths: Death[] = [...CRASH_POINTS.map((point): Death => ({ point, pass: 1 })), 'random'];
  const report = await runKills(mintmark, db, {
    deaths,
    writes: WRITES,
    width: 6,
    write: (index, log, retry) => mintOnce(targets[index % targets.length]!, log, retry),
  });
  expect(await waitForQuiet(db, 30_000)).toBe(0);
  const judgement = await judge(db, mintmark.chain.url, system.operator, report.log);
  process.stdout.write(`${report.kills} kills: ${JSON.stringify(judgement)}\n`);
  expect(judgement).toMatchObject(FLAWLESS);
  expect(judgement.acknowledged + judgement.unknown + judgement.refused).toBe(WRITES);
  expect(judgement.confirmed).toBeGreaterThanOrEqual(judgement.acknowledged);
  expect(judgement.confirmed).toBeLessThanOrEqual(judgement.acknowledged + judgement.unknown + ACCOUNTS);
});
