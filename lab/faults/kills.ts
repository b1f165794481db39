import { setTimeout as sleep } from 'node:timers/promises';
import type { CrashPoint } from '../../src/lib/crash-points.ts';
import type { Db } from '../../src/db/client.ts';
import { query } from '../../src/db/client.ts';
import type { TestService } from '../stage/service.ts';
import { emptyLog, mintOnce } from '../load/load.ts';
import type { ClientLog } from './judge.ts';
import { createTestRandom } from '../random.ts';
import type { Random } from '../random.ts';
import { spawnService } from '../stage/service-process.ts';
import { CRASH_POINTS } from '../../src/lib/crash-points.ts';
import type { Fault } from './outcome.ts';
import { say } from './outcome.ts';
import { judgeStage, prepare, withAnvil, withDb } from './stage.ts';

/** Where a life of the service ends: at a named point on its nth pass, or at any moment. */
export type Death = { point: CrashPoint; pass: number } | 'random';

/** Points that a life comes to only once. */
const ONCE: readonly CrashPoint[] = ['lane-taken', 'recovered'];

interface KillsReport {
  log: ClientLog;
  kills: number;
  /** Milliseconds from each new start to the first verdict after it, of the lives that came to one. */
  recoveries: number[];
  /** Milliseconds until each new process was ready. */
  starts: number[];
  /** Kills that left at least one transaction in flight and one intent queued. */
  busy: number;
  writes: number;
}

interface KillsOptions {
  deaths: readonly Death[];
  /** Requests over all lives; each gets its share. */
  writes: number;
  width: number;
  /** Draws the moments of random deaths, and the clients' pauses. */
  random?: Random;
  /** More requests than that are made while fewer intents than this are without a verdict. */
  backlog?: number;
  /**
   * A death that leaves no transaction in flight, or no intent queued, comes again later, a pass later; to twice as
   * many.
   */
  untilBusy?: boolean;
  /** Prepares a life that ends so. Returns variables of its own. */
  prepareLife?(death: Death): Promise<Record<string, string>>;
  /** One request of a client. With `retry` it is repeated under its key until it is answered. */
  write(index: number, log: ClientLog, options: { retry: boolean }): Promise<void>;
  progress?: (done: number) => void;
}

/** A point that a life does not come to in time is no reason to let it live. */
const LONGEST_LIFE_MS = 15_000;
/** Random deaths meet the wait for the dead one's lease, the recovery and the work after it. */
const RANDOM_LIFE_MS = 9_000;

/**
 * Lets the service die again and again under load, each life a new process over the same database and chain. Half of
 * the clients repeat a broken request under its key until it is answered, the others give up and do not know.
 */
export async function runKills(
  mintmark: TestService,
  db: Db,
  {
    deaths,
    writes,
    width,
    random = createTestRandom('kills'),
    backlog = 0,
    untilBusy = false,
    prepareLife = async () => ({}),
    write,
    progress = () => undefined,
  }: KillsOptions,
): Promise<KillsReport> {
  const report: KillsReport = { log: emptyLog(), kills: 0, recoveries: [], starts: [], busy: 0, writes: 0 };
  // Apart from the deaths: how often clients pause depends on how fast the machine is.
  const pauses = random.fork('pauses');
  // Each life gets its share of the load, so that there is something under way whenever one ends.
  let allowed = 0;
  let isOver = false;
  let open = 0;
  // A client that finds nobody listening has asked nothing: it waits for the next life.
  let isUp = false;
  const client = async (): Promise<void> => {
    while (report.writes < writes || !isOver) {
      if (!isUp || (report.writes >= allowed && (isOver || open >= backlog))) {
        await sleep(20);
        continue;
      }
      const index = report.writes;
      report.writes += 1;
      await write(index, report.log, { retry: index % 2 === 0 });
      await sleep(pauses.whole(0, 50));
    }
  };
  const clients: Promise<void>[] = [];

  const toDie = [...deaths];
  for (const [index, death] of toDie.entries()) {
    const crash: Record<string, string> =
      death === 'random' ? {} : { CRASH_AT: `${death.point}:${death.pass}` };
    // In half of the lives small batches, so that many transactions are under way and intents wait behind them.
    const batch: Record<string, string> = index % 2 === 0 ? {} : { MAX_BATCH: '5' };
    const before = await look(db);
    const startedAt = Date.now();
    const own = await prepareLife(death);
    const life = await spawnService({ ...mintmark.environment, ...crash, ...batch, ...own });
    report.starts.push(Date.now() - startedAt);
    isUp = true;
    allowed = Math.ceil((writes * (index + 1)) / (deaths.length + 1));
    if (clients.length === 0) clients.push(...Array.from({ length: width }, client));
    const end = Date.now() + (death === 'random' ? random.whole(0, RANDOM_LIFE_MS) : LONGEST_LIFE_MS);
    for (let recovered = false; Date.now() < end && life.child.signalCode === null;) {
      const now = await look(db);
      open = now.open;
      if (!recovered && now.verdicts > before.verdicts) {
        recovered = true;
        report.recoveries.push(Date.now() - startedAt);
      }
      await Promise.race([life.ended, sleep(100)]);
    }
    isUp = false;
    await life.kill('SIGKILL');
    const left = await look(db);
    const wasBusy = left.inFlight > 0 && left.queued > 0;
    report.busy += Number(wasBusy);
    if (untilBusy && !wasBusy && toDie.length < 2 * deaths.length) toDie.push(later(death));
    report.kills += 1;
    progress(index + 1);
  }

  allowed = writes;
  isOver = true;
  const last = await spawnService({ ...mintmark.environment, ...(await prepareLife('random')) });
  isUp = true;
  await Promise.all(clients);
  for (let wait = 0; wait < 600 && (await look(db)).open > 0; wait += 1) await sleep(100);
  await last.kill('SIGTERM');
  return report;
}

/** The first pass of a life through most points finds nothing under way yet. */
const later = (death: Death): Death =>
  death === 'random' || ONCE.includes(death.point) ? death : { ...death, pass: death.pass + 1 };

/** What the database knows at this moment. In flight is what may still have another end: mined and not final, too. */
async function look(db: Db): Promise<{ verdicts: number; open: number; queued: number; inFlight: number }> {
  const [row] = await query<{ verdicts: number; open: number; queued: number; inFlight: number }>(
    db,
    `select (select count(*)::int from intents where final_at is not null) as verdicts,
            (select count(*)::int from intents where final_at is null) as open,
            (select count(*)::int from intents where status = 'queued') as queued,
            (select count(*)::int from transactions where status in ('open', 'mined')) as "inFlight"`,
  );
  return row!;
}

const MAX_RECOVERY_MS = 30_000;
/** Intents that are kept waiting: more than the two transactions take, so that every death finds some. */
const BACKLOG = 200;

/**
 * A block has all transactions that fill the lane, and they are settled together: only where the lane is never full are
 * some in flight at these points.
 */
const NEVER_FULL = { MAX_IN_FLIGHT: '64', MAX_BATCH: '5' };
const BETWEEN: readonly CrashPoint[] = ['simulated', 'signed', 'settled'];
/** Before these the chain makes no block: else what the dead one had in flight is settled while its lease runs out. */
const EARLY: readonly CrashPoint[] = [...ONCE, 'accept-before-commit', 'accept-after-commit'];

/** Every third death is at a random moment, the others go round the named points. */
export function deathsOf(kills: number): Death[] {
  return Array.from({ length: kills }, (_, index): Death => {
    if (index % 3 === 2) return 'random';
    const named = Math.ceil((index * 2) / 3);
    const point = CRASH_POINTS[named % CRASH_POINTS.length]!;
    return { point, pass: ONCE.includes(point) ? 1 : 1 + (named % 3) };
  });
}

export const kills: Fault = ({ scaled, random }) =>
  withAnvil(async (anvil) => {
    // Two transactions at a time, of half the backlog at the most: behind them something is always queued.
    const variables = { MAX_IN_FLIGHT: '2', MAX_BATCH: String(BACKLOG / 4) };
    const stage = await prepare(anvil.url, { variables });
    await stage.mintmark.service.stop();
    const wanted = scaled(200);
    const report = await withDb(stage.mintmark.databaseUrl, (db) =>
      runKills(stage.mintmark, db, {
        deaths: deathsOf(wanted),
        random,
        writes: scaled(12_000),
        width: 20,
        backlog: BACKLOG,
        untilBusy: true,
        prepareLife: async (death) => {
          const point = death === 'random' ? null : death.point;
          await anvil.call('evm_setIntervalMining', [point && EARLY.includes(point) ? 0 : 1]);
          return point && BETWEEN.includes(point) ? NEVER_FULL : {};
        },
        write: (index, log, retry) => mintOnce(stage.targets[index % stage.targets.length]!, log, retry),
        progress: (done) => {
          if (done % 10 === 0) say(`  ${done} kills`);
        },
      }),
    );
    await stage.mintmark.restart();
    stage.log = report.log;
    const judgement = await judgeStage(stage);
    await stage.mintmark.stop();
    // From the start of a process to its first verdict.
    const slowest = Math.max(0, ...report.recoveries);
    return {
      made: `${report.kills} kills at ${CRASH_POINTS.length} points and at random`,
      judgement,
      note: `slowest recovery ${seconds(slowest)} s, start ${seconds(Math.max(...report.starts))} s`,
      flaws: [
        ...(slowest > MAX_RECOVERY_MS ? ['a recovery took longer than 30 s'] : []),
        ...(report.busy < wanted ? [`only ${report.busy} deaths found both`] : []),
      ],
    };
  });

const seconds = (ms: number): string => (ms / 1_000).toFixed(1);
