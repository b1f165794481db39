import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../db/client.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { link } from './chain.ts';
import type { Sealed } from './chain.ts';
import { findHead, insertSeals, isAnyUnsealed, lockHead, readAfter } from './store.ts';
import type { Unsealed } from './store.ts';

/** How long an entry waits for its seal at most, when nothing is wrong. */
const PAUSE_MS = 2_000;
const BATCH = 1_000;
/**
 * A number that was given out and is not to be seen: its transaction is open, or failed. No work of ours takes so long.
 */
const GAP_MS = 5_000;
/** How often the end of the chain is logged: whoever keeps the log can show that the chain was not made anew. */
const LOG_MS = 60_000;

/** A number that is missing before an entry. */
interface Gap {
  /** The entry after it. */
  before: bigint;
  /** Transactions that may still fill it are older than this one. */
  transaction: bigint;
  since: number;
}

export interface Sealer {
  /** Seals what it can. Returns true when there may be more at once. */
  seal(): Promise<boolean>;
}

/**
 * Creates what links entries into a chain of hashes, a batch at a time, in the order of their numbers. One process of
 * all does it at a time. A gap between two numbers is passed once nobody can fill it.
 * @param now milliseconds of a clock that only goes forward
 */
export function createSealer(db: Db, now: () => number = () => performance.now()): Sealer {
  let gap: Gap | undefined;

  /** The entries up to the first gap that somebody may still fill. */
  const settled = (head: Sealed, entries: readonly Unsealed[]): Unsealed[] => {
    let last = head.number;
    const end = entries.findIndex((entry) => {
      const isNext = entry.number === last + 1n;
      last = entry.number;
      return !isNext && !isPassable(entry);
    });
    return end === -1 ? [...entries] : entries.slice(0, end);
  };

  const isPassable = ({ number, oldestOpen, nextTransaction }: Unsealed): boolean => {
    if (gap?.before !== number) {
      gap = { before: number, transaction: nextTransaction, since: now() };
      return false;
    }
    return oldestOpen >= gap.transaction && now() - gap.since >= GAP_MS;
  };

  return {
    seal: async () => {
      if (!(await isAnyUnsealed(db))) return false;
      return db.transaction(async (tx) => {
        const head = await lockHead(tx);
        if (!head) return false;
        const entries = await readAfter(tx, head.number, BATCH);
        const next = settled(head, entries);
        await insertSeals(tx, link(head, next));
        return next.length >= BATCH;
      });
    },
  };
}

/** Logs the end of the chain, once a minute at most, when it has moved. */
function createHeadLog(db: Db, log: Logger): () => Promise<void> {
  let logged = { number: 0n, at: -Infinity };
  return async () => {
    if (performance.now() - logged.at < LOG_MS) return;
    const { number, hash } = await findHead(db);
    if (number === logged.number) return;
    logged = { number, at: performance.now() };
    log.info({ entry: String(number), hash: hash.slice(2) }, 'the audit log is sealed');
  };
}

/** Seals until `stop`. */
export function startSealing({ db, log }: { db: Db; log: Logger }): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const sealer = createSealer(db);
  const logHead = createHeadLog(db, log);

  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      const isMore = await sealer.seal().catch((error: unknown) => {
        log.warn({ reason: String(error) }, 'the audit log could not be sealed, and will be');
        return false;
      });
      await logHead().catch(() => undefined);
      if (!isMore) await sleep(PAUSE_MS, undefined, { signal }).catch(() => undefined);
    }
  };

  const running = run();
  return {
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}
