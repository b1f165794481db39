import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../db/client.ts';
import type { Notifications } from '../../db/notifications.ts';
import type { CanonicalChain } from '../lane/lane.ts';
import { readCursor } from '../store/reader.ts';
import { notifyLook } from '../store/notices.ts';
import type { Cursor } from '../../lib/block-id.ts';
import type { Wakeup } from '../../lib/wakeups.ts';

/** A fresh head that takes longer is given up: the reader is catching up, or reaches no endpoint. */
const FRESH_TIMEOUT_MS = 2_000;
/** How often a process that does not read the chain itself looks for the head that another one stores. */
const POLL_MS = 20;
/** How often it asks for a look: a notice may be lost, or come right after the look that it asks for has begun. */
const ASK_MS = 500;

/** A call that waits for a look which begins after it. */
interface Waiter {
  /** In milliseconds of `performance.now`. */
  askedAt: number;
  /** Looks of this process that had begun by then. */
  looks: number;
  end(cursor: Cursor | null): void;
  fail(error: unknown): void;
}

/** The canonical chain, and what its reader in this process reports. */
export interface ReaderSide {
  chain: CanonicalChain;
  /** Whether somebody waits for a look that begins now. */
  isAsked(): boolean;
  /** What a look found. Waiting calls get it when the chain has shown no block beyond that head. */
  onLook(cursor: Cursor, isLatest: boolean): void;
  /** This process reads no longer. */
  onEnd(): void;
}

/** Gives this process the chain as its reader holds it, whether that is in this process or in another one. */
export function createCanonicalChain(
  { db, notifications }: { db: Db; notifications: Pick<Notifications, 'on'> },
  wakeup: Wakeup,
): ReaderSide {
  let isReader = false;
  let isAskedElsewhere = false;
  let looks = 0;
  const waiters = new Set<Waiter>();

  notifications.on('mintmark_look', () => {
    isAskedElsewhere = true;
    wakeup.wake();
  });
  const endThose = (isMeant: (waiter: Waiter) => boolean, cursor: Cursor | null): void => {
    for (const waiter of waiters) if (isMeant(waiter)) waiter.end(cursor);
  };
  const poll = createPoll(db, waiters, () => isReader);

  return {
    chain: {
      fresh: async () => {
        const { promise, resolve, reject } = Promise.withResolvers<Cursor | null>();
        const end = (cursor: Cursor | null): void => {
          waiters.delete(waiter);
          resolve(cursor);
        };
        const fail = (error: unknown): void => {
          waiters.delete(waiter);
          reject(error);
        };
        const waiter = { askedAt: performance.now(), looks, end, fail };
        waiters.add(waiter);
        const timer = setTimeout(() => end(null), FRESH_TIMEOUT_MS).unref();
        if (isReader) wakeup.wake();
        else poll.ask();
        return promise.finally(() => clearTimeout(timer));
      },
      expectBlock: () => {
        wakeup.wake();
        if (!isReader) void notifyLook(db).catch(() => undefined);
      },
    },
    isAsked: () => {
      const asked = isAskedElsewhere || waiters.size > 0;
      isAskedElsewhere = false;
      looks += 1;
      return asked;
    },
    onLook: (cursor, isLatest) => {
      isReader = true;
      if (isLatest) endThose((waiter) => waiter.looks < looks, cursor);
    },
    onEnd: () => {
      if (isReader) endThose(() => true, null);
      isReader = false;
    },
  };
}

/** One poll for all who wait in a process that does not read the chain: the head that another one stores. */
function createPoll(db: Db, waiters: ReadonlySet<Waiter>, isReader: () => boolean): { ask(): void } {
  let isPolling = false;
  let askedAt = -Infinity;
  const look = async (): Promise<void> => {
    if (performance.now() - askedAt > ASK_MS) {
      askedAt = performance.now();
      await notifyLook(db);
    }
    await sleep(POLL_MS);
    const readAt = performance.now();
    const cursor = await readCursor(db);
    if (!cursor) return;
    for (const waiter of waiters) if (cursor.ageMs < readAt - waiter.askedAt) waiter.end(cursor);
  };
  const poll = async (): Promise<void> => {
    isPolling = true;
    try {
      while (waiters.size > 0 && !isReader()) await look();
    } catch (error) {
      for (const waiter of waiters) waiter.fail(error);
    } finally {
      isPolling = false;
    }
  };
  return {
    ask: () => {
      askedAt = -Infinity;
      if (!isPolling) void poll();
    },
  };
}
