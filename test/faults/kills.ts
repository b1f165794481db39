import { setTimeout as sleep } from 'node:timers/promises';
import type { CrashPoint } from '../../src/crash-points.ts';
import type { Db } from '../../src/db/client.ts';
import { query } from '../../src/db/client.ts';
import type { TestService } from '../setup/service.ts';
import { emptyLog, mintOnce } from './load.ts';
import type { Target } from './load.ts';
import type { ClientLog } from './judge.ts';
import { spawnService } from './service-process.ts';

/** Where a life of the service ends: at a named point on its nth pass, or at any moment. */
export type Death = { point: CrashPoint; pass: number } | 'random';

export interface KillsReport {
  log: ClientLog;
  kills: number;
  /** Milliseconds from each new start to the first verdict after it. */
  recoveries: number[];
}

/**
 * Lets the service die again and again under load, each life a new process over the same database and chain. Half of
 * the clients repeat a broken request under its key until it is answered, the others give up and do not know.
 */
export async function runKills(
  mintmark: TestService,
  db: Db,
  targets: readonly Target[],
  { deaths, writes, width }: { deaths: readonly Death[]; writes: number; width: number },
  progress: (done: number) => void = () => undefined,
): Promise<KillsReport> {
  const report: KillsReport = { log: emptyLog(), kills: 0, recoveries: [] };
  let next = 0;
  // Each life gets its share of the load, so that there is something under way whenever one ends.
  let allowed = 0;
  const client = async (): Promise<void> => {
    while (next < writes) {
      if (next >= allowed) {
        await sleep(20);
        continue;
      }
      const index = next;
      next += 1;
      await mintOnce(targets[index % targets.length]!, report.log, { retry: index % 2 === 0 });
      await sleep(Math.random() * 50);
    }
  };
  const clients: Promise<void>[] = [];

  for (const [index, death] of deaths.entries()) {
    const crash: Record<string, string> =
      death === 'random' ? {} : { CRASH_AT: `${death.point}:${death.pass}` };
    // In half of the lives small batches, so that many transactions are under way and intents wait behind them.
    const batch: Record<string, string> = index % 2 === 0 ? {} : { MAX_BATCH: '5' };
    const before = await countVerdicts(db);
    const startedAt = Date.now();
    const life = await spawnService({ ...mintmark.environment, ...crash, ...batch });
    allowed = Math.ceil((writes * (index + 1)) / (deaths.length + 1));
    if (clients.length === 0) clients.push(...Array.from({ length: width }, client));
    if (death === 'random') {
      await untilVerdict(db, before);
      report.recoveries.push(Date.now() - startedAt);
      await sleep(Math.random() * 1_000);
    }
    // A point that this life does not come to in time is no reason to let it live.
    await Promise.race([life.ended, sleep(15_000)]);
    await life.kill('SIGKILL');
    report.kills += 1;
    progress(index + 1);
  }

  allowed = writes;
  const last = await spawnService(mintmark.environment);
  await Promise.all(clients);
  await untilVerdict(db, 0);
  await quiet(db);
  await last.kill('SIGTERM');
  return report;
}

const countVerdicts = async (db: Db): Promise<number> =>
  (await query<{ n: number }>(db, 'select count(*)::int as n from intents where final_at is not null'))[0]!.n;

async function untilVerdict(db: Db, before: number): Promise<void> {
  for (let look = 0; look < 300 && (await countVerdicts(db)) <= before; look += 1) await sleep(100);
}

async function quiet(db: Db): Promise<void> {
  for (let look = 0; look < 600; look += 1) {
    const [row] = await query<{ n: number }>(
      db,
      'select count(*)::int as n from intents where final_at is null',
    );
    if (row!.n === 0) return;
    await sleep(100);
  }
}
