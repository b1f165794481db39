import type { Db } from '../../db/client.ts';
import type { Notifications } from '../../db/notifications.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { hasVerdict } from '../intent.ts';
import type { Intent } from '../intent.ts';
import { findIntents } from '../store/intents.ts';

interface Waiters {
  /** Returns the intent as soon as it has a verdict, or as it is after `timeoutMs` milliseconds. */
  wait(intent: Intent, timeoutMs: number): Promise<Intent>;
  /** Returns all that wait with their intents as they are, and whoever comes later at once. */
  stop(): void;
}

/**
 * Requests that wait for a verdict, on whatever replica. A notice names the settled numbers; a look every `lookMs`
 * milliseconds finds what a lost notice would have told. Either way one query serves all that wait.
 */
export function createWaiters(
  { db, notifications, log }: { db: Db; notifications: Notifications; log: Logger },
  lookMs: number,
): Waiters {
  const waiting = new Map<bigint, Set<(intent: Intent | null) => void>>();
  let stopped = false;

  const look = async (numbers: bigint[]): Promise<void> => {
    if (numbers.length === 0) return;
    for (const intent of await findIntents(db, numbers)) {
      if (!hasVerdict(intent.status)) continue;
      for (const wake of waiting.get(intent.number) ?? []) wake(intent);
    }
  };
  const lookSafely = (numbers: bigint[]): void => {
    look(numbers).catch((error: unknown) =>
      log.warn({ error: String(error) }, 'cannot look for verdicts yet'),
    );
  };

  /** The intent as it is now, or as it was when nobody can tell: it is accepted, so its request has not failed. */
  const readAgain = async (intent: Intent): Promise<Intent> => {
    try {
      return (await findIntents(db, [intent.number]))[0] ?? intent;
    } catch (error) {
      log.warn({ error: String(error) }, 'cannot read what became of an intent');
      return intent;
    }
  };

  notifications.on('mintmark_settled', (payload) => {
    lookSafely(
      payload
        .split(',')
        .map(BigInt)
        .filter((number) => waiting.has(number)),
    );
  });
  const timer = setInterval(() => lookSafely([...waiting.keys()]), lookMs);

  return {
    wait: async (intent, timeoutMs) => {
      if (hasVerdict(intent.status) || timeoutMs === 0 || stopped) return intent;
      const settled = await new Promise<Intent | null>((resolve) => {
        const wakers = waiting.get(intent.number) ?? new Set();
        waiting.set(intent.number, wakers);
        const finish = (result: Intent | null): void => {
          clearTimeout(timeout);
          wakers.delete(finish);
          if (wakers.size === 0) waiting.delete(intent.number);
          resolve(result);
        };
        const timeout = setTimeout(() => finish(null), timeoutMs);
        wakers.add(finish);
      });
      return settled ?? (await readAgain(intent));
    },
    stop: () => {
      stopped = true;
      clearInterval(timer);
      for (const wakers of waiting.values()) for (const wake of wakers) wake(null);
    },
  };
}
