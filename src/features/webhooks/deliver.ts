import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import type { Db } from '../../db/client.ts';
import { toBytes } from '../../lib/hex.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { Observe, DeliveryEvent } from '../../telemetry/observe.ts';
import { SLOW, addJob, addNextJob, noteSlow } from './delivery-jobs.ts';
import {
  claimDelivery,
  giveBack,
  giveUp,
  giveUpOldest,
  noteDelivered,
  noteFailed,
} from './delivery-store.ts';
import type { ClaimedDelivery, PendingDelivery } from './delivery-store.ts';
import type { SecretBox } from './secret.ts';
import type { Attempt, Send } from './send.ts';

/** Seconds from one attempt to the next, as Standard Webhooks recommends them: ten attempts in three days. */
const SCHEDULE = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];
/** A tenth more or less, so that attempts that failed together are not repeated together. */
const JITTER = 0.1;
/** Days of nothing but failures after which a webhook is disabled. */
const RETRY_DAYS = 5;
/** Attempts of one account at a time and process, so that a receiver that never answers does not hold up the others. */
const MAX_OF_ACCOUNT = 4;
/**
 * Attempts of all accounts with a slow receiver at a time and process: far fewer than there are workers, so that any
 * number of such accounts leaves most of these to the others.
 */
const MAX_OF_SLOW = 8;
/**
 * A receiver that takes so many seconds or more, whatever it says then, is slow, and its account for so many minutes.
 */
const SLOW_SECONDS = 3;
const SLOW_MINUTES = 60;
/** Messages of an account that may wait; beyond it the oldest are given up. */
export const MAX_WAITING = 5_000;
/**
 * Milliseconds for which a job delivers one message after the other, if there are so many. Then it is another account's
 * turn.
 */
const TURN_MS = 250;
/** Milliseconds after which an attempt is taken to have died with its process; longer than any takes. */
const LEASE_MS = 30_000;
/**
 * A job that finds its slots taken waits so many milliseconds for them, which is long for receivers that answer at
 * once. Then it is put back, and not fetched while they are taken: no worker waits for a receiver that hangs.
 */
const SLOT_WAIT_MS = 250;
const SLOT_LOOK_MS = 10;

interface Deliverer {
  /**
   * Delivers the head of an account's line, and more of it for a moment; other jobs may do so beside. Rejects only when
   * what became of an attempt could not be recorded; it is then made again.
   */
  deliver(accountId: string, signal: AbortSignal): Promise<void>;
  /** Flags of jobs of which as many are under way as are allowed. */
  fullFlags(): string[];
}

interface DelivererParts {
  db: Db;
  /** Null while the operator has given no key: nothing can be signed then. */
  box: SecretBox | null;
  send: Send;
  log: Logger;
  observe: Pick<Observe, 'attempted'>;
}

export function createDeliverer(parts: DelivererParts): Deliverer {
  const underWay = new Map<string, number>();
  const count = (flag: string, change: 1 | -1): void => {
    const now = (underWay.get(flag) ?? 0) + change;
    if (now === 0) underWay.delete(flag);
    else underWay.set(flag, now);
  };
  const isFull = (flag: string): boolean =>
    (underWay.get(flag) ?? 0) >= (flag === SLOW ? MAX_OF_SLOW : MAX_OF_ACCOUNT);

  /** Claims the next message with its slots; none when nothing is due, or the slots are taken. */
  const claimWithSlots = async (accountId: string): Promise<ClaimedDelivery | undefined> => {
    const claimed = await claimDelivery(parts.db, accountId, { leaseMs: LEASE_MS, skipSlow: isFull(SLOW) });
    // Others took the last of these slots meanwhile.
    if (claimed?.isSlow && isFull(SLOW)) return void (await giveBack(parts.db, claimed.number));
    return claimed;
  };

  /** @returns whether anything of the account may wait yet */
  const takeTurn = async (accountId: string, signal: AbortSignal): Promise<boolean> => {
    const end = performance.now() + TURN_MS;
    for (let isFirst = true; isFirst || performance.now() < end; isFirst = false) {
      const claimed = await claimWithSlots(accountId);
      if (!claimed) return true;
      const isLone = !claimed.isMorePending;
      if (claimed.isSlow) count(SLOW, 1);
      try {
        if (isFirst && claimed.isMoreDue) {
          await giveUpOldest(parts.db, accountId, { most: MAX_WAITING, leaseMs: LEASE_MS });
          await addJob(parts.db, accountId);
        }
        const event = await attempt(parts, claimed, signal);
        parts.observe.attempted(event);
        if (isLone && event.outcome !== 'to_retry') return false;
      } catch (error) {
        await giveBack(parts.db, claimed.number).catch(() => undefined);
        throw error;
      } finally {
        if (claimed.isSlow) count(SLOW, -1);
      }
    }
    return true;
  };

  return {
    deliver: async (accountId, signal) => {
      // Workers that asked for jobs at the same moment knew nothing of each other's.
      for (const end = performance.now() + SLOT_WAIT_MS; isFull(accountId) && performance.now() < end;)
        await sleep(SLOT_LOOK_MS, undefined, { signal });
      if (isFull(accountId)) return addJob(parts.db, accountId);
      count(accountId, 1);
      try {
        if (await takeTurn(accountId, signal)) await addNextJob(parts.db, accountId);
      } finally {
        count(accountId, -1);
      }
    },
    fullFlags: () => [...underWay.keys()].filter(isFull),
  };
}

/** Makes one attempt and records what became of it. */
async function attempt(
  parts: DelivererParts,
  delivery: PendingDelivery,
  signal: AbortSignal,
): Promise<DeliveryEvent> {
  const { db } = parts;
  if (!delivery.enabled) {
    await giveUp(db, delivery.number, 'The webhook is disabled');
    return { outcome: 'given_up', seconds: null };
  }
  const { status, error, seconds } = await post(parts, delivery, signal);
  if (!delivery.isSlow && seconds !== null && seconds >= SLOW_SECONDS) {
    await noteSlow(db, delivery.accountId, SLOW_MINUTES);
  }
  if (error === null) {
    await noteDelivered(db, delivery.number, status!);
    return { outcome: 'delivered', seconds };
  }
  const isGone = status === 410;
  const delay = isGone ? undefined : SCHEDULE[delivery.attempts];
  await noteFailed(db, {
    delivery,
    responseStatus: status,
    error,
    retrySeconds: delay === undefined ? null : delay * (1 - JITTER + 2 * JITTER * Math.random()),
    isGone,
    retryDays: RETRY_DAYS,
  });
  return { outcome: delay === undefined ? 'given_up' : 'to_retry', seconds };
}

/** Signs and sends a message. */
async function post(
  { box, send, log }: DelivererParts,
  delivery: PendingDelivery,
  signal: AbortSignal,
): Promise<Attempt & Pick<DeliveryEvent, 'seconds'>> {
  const at = new Date();
  const signature = sign(box, delivery, at);
  if (signature === undefined) {
    log.error(
      { webhook: delivery.webhookId },
      'the secret of a webhook cannot be read with the key that is configured',
    );
    return { status: null, error: 'The signing secret cannot be read; rotate it', seconds: null };
  }
  const headers = {
    'Content-Type': 'application/json',
    'User-Agent': 'Mintmark-Webhooks',
    'webhook-id': delivery.id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': signature,
  };
  const startedAt = performance.now();
  const answer = await send({ url: delivery.url, body: delivery.payload, headers }, signal);
  return { ...answer, seconds: (performance.now() - startedAt) / 1_000 };
}

/** The signatures of the current secret and of the one before; undefined when the current one cannot be read. */
function sign(box: SecretBox | null, delivery: PendingDelivery, at: Date): string | undefined {
  const [current, ...previous] = [delivery.secret, delivery.previousSecret].map((sealed) => {
    const secret = sealed && box?.open(delivery.webhookId, toBytes(sealed));
    return secret ? new Webhook(secret).sign(delivery.id, at, delivery.payload) : undefined;
  });
  return current && [current, ...previous.filter(Boolean)].join(' ');
}
