import { setTimeout as sleep } from 'node:timers/promises';
import { run } from 'graphile-worker';
import type { Runner } from 'graphile-worker';
import { JOB_SCHEMA, createJobLogger, createJobPool } from '../db/jobs.ts';
import type { Logger } from '../telemetry/logger.ts';

/** What is done apart from requests and lanes. */
export interface BackgroundWork {
  /** What each kind of job does. A rejection brings it again later. */
  tasks: Record<string, (payload: unknown, signal: AbortSignal) => Promise<void>>;
  /** When the regular ones are done, a line each: minute, hour, day, month, day of the week, task. */
  crontab: string;
  /** Flags whose jobs wait for now. */
  forbiddenFlags(): string[];
}

export interface Background {
  /** Lets what is under way end, for a moment, and hands the rest back. */
  stop(): Promise<void>;
}

/** Jobs at a time, and connections to the database at most. Most jobs wait for an answer from elsewhere. */
const CONCURRENCY = 10;
/** New jobs are told at once; those of a later moment are found by looking. */
const POLL_MS = 3_000;
const SHUTDOWN_TIMEOUT_MS = 2_000;
const RESTART_MS = 2_000;

/**
 * Runs the jobs of the database, shared with every other process that does. Ends only by \`stop\`: when the database
 * goes away, it goes on when that is back.
 * @param url a connection that carries LISTEN
 */
export function runBackground(url: string, log: Logger, work: BackgroundWork): Background {
  const stopping = new AbortController();
  let runner: Runner | undefined;

  const runOnce = async (): Promise<void> => {
    const pgPool = createJobPool(url, CONCURRENCY);
    try {
      runner = await run({
        pgPool,
        logger: createJobLogger(log),
        noHandleSignals: true,
        crontab: work.crontab,
        forbiddenFlags: work.forbiddenFlags,
        taskList: Object.fromEntries(
          Object.entries(work.tasks).map(([name, task]) => [
            name,
            (payload: unknown, { abortSignal }: { abortSignal: AbortSignal }) => task(payload, abortSignal),
          ]),
        ),
        preset: {
          worker: {
            schema: JOB_SCHEMA,
            concurrentJobs: CONCURRENCY,
            pollInterval: POLL_MS,
            gracefulShutdownAbortTimeout: SHUTDOWN_TIMEOUT_MS,
            // Together, and with somebody to tell when the database is away at that moment.
            completeJobBatchDelay: 0,
            failJobBatchDelay: 0,
          },
        },
      });
      if (stopping.signal.aborted) await runner.stop();
      await runner.promise;
    } finally {
      runner = undefined;
      await pgPool.end();
    }
  };

  const runForEver = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await runOnce().catch((error: unknown) =>
        log.warn({ reason: String(error) }, 'background work stopped, and will begin again'),
      );
      await sleep(RESTART_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };

  const running = runForEver();
  return {
    stop: async () => {
      stopping.abort();
      await runner?.stop().catch(() => undefined);
      await running;
    },
  };
}
