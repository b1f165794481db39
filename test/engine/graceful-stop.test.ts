import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import { waitForQuiet } from '../../lab/faults/books.ts';
import { FLAWLESS, judge } from '../../lab/faults/judge.ts';
import { deployTargets } from '../../lab/load/load.ts';
import { spawnService } from '../../lab/stage/service-process.ts';
import { runStops } from '../../lab/faults/stops.ts';
import { openChain } from '../setup/chain.ts';
import { waitForStatus } from '../../lab/stage/intents.ts';
import { withoutBlocks } from '../setup/mining.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestService } from '../../lab/stage/service.ts';
import { deployToken, requestMint } from '../../lab/stage/tokens.ts';
import { openTestDb } from '../../lab/stage/database.ts';

/** `npm run faults -- --only "graceful stop"` is the whole promise. */
const STOPS = 3;

let mintmark: TestService;

beforeAll(async () => {
  mintmark = await startTestService({}, { drain: { idleMs: 50, hurryMs: 200 } });
});

afterAll(async () => {
  await mintmark?.stop();
});

test('a request that waits when the service stops is answered that its write goes on', async () => {
  const account = await mintmark.register();
  const token = await deployToken(account);
  using chain = openChain(mintmark);
  await withoutBlocks(chain, async (mine) => {
    const waiting = requestMint(account, token);
    const { db } = mintmark.service.context;
    while ((await query(db, `select 1 from intents where status = 'submitted'`)).length === 0)
      await sleep(50);
    await mintmark.restart();
    const { status, intentId } = await waiting;
    expect(status).toBe(202);
    await mine();
    await waitForStatus(account, intentId!, 'confirmed');
  });
});

test(
  'SIGTERM under load: every request that was taken is answered, and nothing that was acknowledged is lost',
  async () => {
    const { system } = mintmark.service.context;
    const accounts = await Promise.all(Array.from({ length: 4 }, () => mintmark.register()));
    const targets = await deployTargets(accounts);
    await mintmark.service.stop();
    await using db = openTestDb(mintmark.databaseUrl, 2);
    await query(db, `update accounts set plan = 'PRO_PLUS'`);
    const report = await runStops(mintmark, targets, { stops: STOPS, width: 12 });
    const last = await spawnService(mintmark.environment);
    expect(await waitForQuiet(db, 30_000)).toBe(0);
    await last.kill('SIGTERM');
    const judgement = await judge(db, mintmark.chain.url, system.operator, report.log);
    const { log: _log, ...seen } = report;
    process.stdout.write(`${JSON.stringify(seen)} ${JSON.stringify(judgement)}\n`);
    expect(report.resets).toEqual([]);
    expect(report.exitCodes).toEqual(Array.from({ length: STOPS }, () => 0));
    expect(judgement).toMatchObject(FLAWLESS);
    expect(judgement.acknowledged).toBeGreaterThan(STOPS * 10);
  },
  60_000 + STOPS * 20_000,
);
