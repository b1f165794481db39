import { Webhook } from 'standardwebhooks';
import type { Db } from '../../db/client.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { Observe, DeliveryEvent } from '../../telemetry/observe.ts';
import { findPending, giveUp, markDelivered, markFailed } from './delivery-store.ts';
import type { PendingDelivery } from './delivery-store.ts';
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

export interface Deliverer {
  /** Makes one attempt. Rejects only when its outcome could not be recorded; it is then made again. */
  deliver(number: string, signal: AbortSignal): Promise<void>;
  /** Accounts with as many attempts under way as are allowed. */
  busyAccounts(): string[];
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
  const count = (accountId: string, change: 1 | -1): void => {
    const now = (underWay.get(accountId) ?? 0) + change;
    if (now === 0) underWay.delete(accountId);
    else underWay.set(accountId, now);
  };

  return {
    deliver: async (number, signal) => {
      const delivery = await findPending(parts.db, number);
      if (!delivery) return;
      count(delivery.accountId, 1);
      try {
        parts.observe.attempted(await attempt(parts, delivery, signal));
      } finally {
        count(delivery.accountId, -1);
      }
    },
    busyAccounts: () => [...underWay].flatMap(([account, n]) => (n >= MAX_OF_ACCOUNT ? [account] : [])),
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
  if (error === null) {
    await markDelivered(db, delivery.number, status!);
    return { outcome: 'delivered', seconds };
  }
  const isGone = status === 410;
  const delay = isGone ? undefined : SCHEDULE[delivery.attempts];
  await markFailed(db, {
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
    const secret = sealed && box?.open(delivery.webhookId, sealed);
    return secret ? new Webhook(secret).sign(delivery.id, at, delivery.payload) : undefined;
  });
  return current && [current, ...previous.filter(Boolean)].join(' ');
}
