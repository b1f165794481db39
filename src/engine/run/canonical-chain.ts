import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../db/client.ts';
import type { Notifications } from '../../db/notifications.ts';
import type { CanonicalChain } from '../lane/canonical-chain.ts';
import { readCursor } from '../store/follower.ts';
import type { Cursor } from '../store/follower.ts';
import { notifyLook } from '../store/notices.ts';
import type { Wakeup } from './wakeups.ts';

/** Who waits longer for a fresh head goes without: the reader is busy with what is far behind, or out of reach. */
const FRESH_TIMEOUT_MS = 2_000;
/** How often a process that does not read the chain itself looks for the head that another one stores. */
const POLL_MS = 20;

type Waiter = (cursor: Cursor | null) => void;

/** The chain, and what its reader in this process tells. */
export interface ReaderSide {
  chain: CanonicalChain;
  /** Whether somebody waits for a look that begins now. */
  isAsked(): boolean;
  /** What a look found. Who waits is told when the chain has shown no block beyond that head. */
  onLook(cursor: Cursor, isLatest: boolean): void;
  /** This process reads no longer. */
  onEnd(): void;
}

/** Gives this process the chain as its reader holds it, whether that is in this process or in another one. */
export function createCanonicalChain(
  { db, notifications }: { db: Db; notifications: Notifications },
  wakeup: Wakeup,
): ReaderSide {
  let isReader = false;
  let isAskedElsewhere = false;
  /** Those who came before the look that goes on, and those who came since it began. */
  let waiters: { current: Waiter[]; next: Waiter[] } = { current: [], next: [] };

  notifications.on('mintmark_look', () => {
    isAskedElsewhere = true;
    wakeup.wake();
  });

  const waitForLook = (): Promise<Cursor | null> => {
    const waiting = new Promise<Cursor | null>((resolve) => waiters.next.push(resolve));
    wakeup.wake();
    return Promise.race([waiting, sleep(FRESH_TIMEOUT_MS, null, { ref: false })]);
  };
  const pollForLook = async (): Promise<Cursor | null> => {
    const askedAt = performance.now();
    await notifyLook(db);
    for (;;) {
      await sleep(POLL_MS);
      const elapsed = performance.now() - askedAt;
      const cursor = await readCursor(db);
      if (cursor && cursor.ageMs < elapsed) return cursor;
      if (elapsed > FRESH_TIMEOUT_MS) return null;
    }
  };

  return {
    chain: {
      fresh: () => (isReader ? waitForLook() : pollForLook()),
      expectBlock: () => {
        wakeup.wake();
        if (!isReader) void notifyLook(db).catch(() => undefined);
      },
    },
    isAsked: () => {
      const asked = isAskedElsewhere || waiters.next.length + waiters.current.length > 0;
      isAskedElsewhere = false;
      waiters = { current: [...waiters.current, ...waiters.next], next: [] };
      return asked;
    },
    onLook: (cursor, isLatest) => {
      isReader = true;
      if (!isLatest) return;
      const told = waiters.current;
      waiters = { current: [], next: waiters.next };
      for (const tell of told) tell(cursor);
    },
    onEnd: () => {
      isReader = false;
      const told = [...waiters.current, ...waiters.next];
      waiters = { current: [], next: [] };
      for (const tell of told) tell(null);
    },
  };
}
