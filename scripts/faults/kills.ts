import { CRASH_POINTS } from '../../src/lib/crash-points.ts';
import type { CrashPoint } from '../../src/lib/crash-points.ts';
import { ONCE, runKills } from '../../test/faults/kills.ts';
import type { Death } from '../../test/faults/kills.ts';
import { mintOnce } from '../../test/faults/load.ts';
import type { Fault } from './outcome.ts';
import { say } from './outcome.ts';
import { judgeStage, prepare, withAnvil, withDb } from './stage.ts';

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
