import type { Tx } from '../../db/client.ts';
import type { FollowUps, Intent, VerdictChange } from '../../engine/index.ts';
import { insertDeliveries } from './delivery-store.ts';
import type { WakeLines } from './delivery-jobs.ts';
import type { AccountEvent } from './delivery-store.ts';
import type { IntentEvent } from './store.ts';

/** The intent as `GET /intents/{id}` answers it. */
type PresentIntent = (intent: Intent) => unknown;

/** The ids that mints of the sandbox have just got, by the number of the intent. */
type FindFirstIds = (tx: Tx, intentNumbers: readonly bigint[]) => Promise<ReadonlyMap<bigint, bigint>>;

const EVENTS: Record<VerdictChange['outcome'], IntentEvent | null> = {
  confirmed: 'intent.confirmed',
  final: 'intent.confirmed',
  failed: 'intent.failed',
  retracted: 'intent.retracted',
  cancelled: null,
  // What became of it is told.
  reopened: null,
};

/**
 * Writes the messages about verdicts into the transaction of the verdicts, so that neither is without the other. Costs
 * nothing for accounts without webhooks.
 */
export function createWebhookFollowUps(
  present: PresentIntent,
  { findFirstIds, wake }: { findFirstIds: FindFirstIds; wake: WakeLines },
): FollowUps {
  const toEvents = (
    verdicts: readonly Pick<VerdictChange, 'intent' | 'outcome' | 'notifyAccount'>[],
  ): AccountEvent[] =>
    verdicts.flatMap(({ intent, outcome, notifyAccount }) => {
      const event = EVENTS[outcome];
      if (!notifyAccount || event === null) return [];
      const { accountId, environment, id: intentId, updatedAt, sequence } = intent;
      const payload = { type: event, timestamp: updatedAt.toISOString(), sequence, data: present(intent) };
      return [{ accountId, environment, event, intentId, payload: JSON.stringify(payload) }];
    });
  return {
    // Some get their verdict when they are accepted: in the sandbox, and when there was nothing to do.
    accepted: async (tx, intents) => {
      const notified = intents.filter(({ notifyAccount }) => notifyAccount);
      const inSandbox = notified.filter(({ intent }) => intent.environment === 'sandbox');
      const ids = await findFirstIds(
        tx,
        inSandbox.map(({ intent }) => intent.number),
      );
      const verdicts = notified.map(({ intent, notifyAccount }) => ({
        intent: { ...intent, firstTokenId: ids.get(intent.number) ?? null },
        outcome: 'confirmed' as const,
        notifyAccount,
      }));
      await insertDeliveries(tx, wake, toEvents(verdicts));
    },
    settled: (tx, verdicts) => insertDeliveries(tx, wake, toEvents(verdicts)),
  };
}
