import { setTimeout as sleep } from 'node:timers/promises';
import { run } from 'graphile-worker';
import type { Runner } from 'graphile-worker';
import type { Pool } from 'pg';
import type { Config } from '../config.ts';
import { cleanUp } from '../db/clean-up.ts';
import type { Db } from '../db/client.ts';
import { deleteOldRecords } from '../db/idempotency.ts';
import { keepAsking } from '../db/connection.ts';
import type { ConnectionOptions } from '../db/connection.ts';
import { JOB_SCHEMA, createJobLogger, createJobPool, freeJobs } from '../db/jobs.ts';
import { deleteOldEffects } from '../engine/index.ts';
import { deleteOldAttempts } from '../features/accounts/login-throttle.ts';
import { createAuditClosing } from '../features/audit/close.ts';
import { startSealing } from '../features/audit/seal.ts';
import { createSandboxCleanUp } from '../features/collections/old-sandbox.ts';
import { deleteEmptyWrites } from '../features/metering/empty-writes.ts';
import { deleteExpired } from '../features/keys/store.ts';
import { createDeliverer } from '../features/webhooks/deliver.ts';
import { DELIVER, wakeDueLines } from '../features/webhooks/delivery-jobs.ts';
import { deleteOldDeliveries } from '../features/webhooks/delivery-store.ts';
import type { SecretBox } from '../features/webhooks/secret.ts';
import { createSend } from '../features/webhooks/send.ts';
import { deleteOldWebhooks } from '../features/webhooks/store.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Observe } from '../telemetry/observe.ts';

/** What is done apart from requests and lanes. */
interface BackgroundWork {
  /** What each kind of job does. A rejection brings it again later. */
  tasks: Record<string, (payload: unknown, signal: AbortSignal) => Promise<void>>;
  /** When the regular ones are done, a line each: minute, hour, day, month, day of the week, task. */
  crontab: string;
  /** Comes before the jobs of each start. */
  begin(): Promise<void>;
  /** Flags whose jobs wait for now. */
  forbiddenFlags(): string[];
}

export interface Background {
  /** Waits a moment for jobs that run, and releases those that do not end. */
  stop(): Promise<void>;
}

/** Jobs at a time. Most of them wait for an answer from elsewhere. */
const CONCURRENCY = 20;
/** Connections to the database that they open, beside those of the pool. */
export const MAX_JOB_CONNECTIONS = CONCURRENCY;
/** A new job wakes a worker at once; one of a later moment is found by polling, which each worker does. */
const POLL_MS = 5_000;
const SHUTDOWN_TIMEOUT_MS = 2_000;
const RESTART_MS = 2_000;

/** Everything whose time comes to an end, each with the function that deletes it. */
const OLD_ROWS = [
  deleteExpired,
  deleteOldRecords,
  deleteEmptyWrites,
  deleteOldEffects,
  deleteOldAttempts,
  deleteOldDeliveries,
  deleteOldWebhooks,
] as const;

/** Delivers messages to webhooks, cleans up, and seals the audit log. */
export function startJobs(parts: {
  config: Config;
  log: Logger;
  db: Db;
  /** Null while the operator has given no key for the secrets of webhooks. */
  box: SecretBox | null;
  observe: Observe;
  /** For connections with LISTEN, which no pooler in transaction mode can be between. */
  directUrl: string;
  connections: ConnectionOptions;
}): Background {
  const { config, log, db, box, observe, directUrl, connections } = parts;
  const send = createSend({ allowPrivate: config.webhookAllowPrivate });
  const deliverer = createDeliverer({ db, box, send, log, observe });
  const openPool = () => createJobPool(directUrl, MAX_JOB_CONNECTIONS, connections);
  const cleanSandbox = createSandboxCleanUp(db);
  const closeAudit = createAuditClosing(db, config.auditRetentionDays);
  const sealing = startSealing({ db, log });
  const jobs = runBackground(openPool, log, {
    tasks: {
      [DELIVER]: (payload, signal) => deliverer.deliver((payload as { account: string }).account, signal),
      'clean-up': async (_payload, signal) => {
        const rows =
          (await cleanUp(db, OLD_ROWS, signal)) + (await cleanSandbox(signal)) + (await closeAudit(signal));
        if (rows > 0) log.info({ rows }, 'deleted what has expired');
      },
      'free-jobs': async () => {
        await freeJobs(db);
        await wakeDueLines(db);
      },
    },
    crontab: '*/5 * * * * clean-up\n* * * * * free-jobs',
    begin: () => wakeDueLines(db),
    forbiddenFlags: deliverer.fullFlags,
  });
  return {
    stop: async () => {
      await Promise.all([sealing.stop(), jobs.stop()]);
    },
  };
}

/**
 * Runs the jobs of the database, shared with every other process that does. Ends only by `stop`: when the database
 * goes away, it goes on as soon as that is back.
 * @param openPool opens connections that may LISTEN
 */
function runBackground(openPool: () => Pool, log: Logger, work: BackgroundWork): Background {
  const stopping = new AbortController();
  let runner: Runner | undefined;

  const runOnce = async (): Promise<void> => {
    const pgPool = openPool();
    try {
      await work.begin();
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
            // Batches without a delay: only a batch is tried again while the database is away, and its failure
            // reported.
            completeJobBatchDelay: 0,
            failJobBatchDelay: 0,
          },
        },
      });
      runner.events.on('pool:listen:success', ({ client }) => keepAsking(client));
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
