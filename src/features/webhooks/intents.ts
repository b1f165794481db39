import type { Tx } from '../../db/client.ts';
import type { Intent, NewlyAccepted, Verdict } from '../../engine/index.ts';
import { insertDeliveries } from './store.ts';
import type { IntentEvent } from './store.ts';

/** The intent as `GET /intents/{id}` answers it. */
export type PresentIntent = (intent: Intent) => unknown;

const EVENT: Record<Verdict['outcome'], IntentEvent | null> = {
  confirmed: 'intent.confirmed',
  final: 'intent.confirmed',
  failed: 'intent.failed',
  retracted: 'intent.retracted',
  cancelled: null,
};

/**
 * Writes the messages about verdicts into the transaction of the verdicts, so that neither is without the other. Costs
 * nothing where nobody wants to be told.
 */
export const createWebhookOutbox = (present: PresentIntent) => {
  const tellVerdicts = (tx: Tx, verdicts: readonly Verdict[]): Promise<void> =>
    insertDeliveries(
      tx,
      verdicts.flatMap(({ intent, outcome, notifyAccount }) => {
        const event = EVENT[outcome];
        if (!notifyAccount || event === null) return [];
        const { accountId, environment, id: intentId, updatedAt } = intent;
        const payload = { type: event, timestamp: updatedAt.toISOString(), data: present(intent) };
        return [{ accountId, environment, event, intentId, payload: JSON.stringify(payload) }];
      }),
    );
  return {
    tellVerdicts,
    /** Of what got its verdict when it was accepted: in the sandbox, and when there was nothing to do. */
    tellAccepted: (tx: Tx, accepted: readonly NewlyAccepted[]): Promise<void> =>
      tellVerdicts(
        tx,
        accepted.map(({ intent, notifyAccount }): Verdict => ({
          intent,
          outcome: 'confirmed',
          notifyAccount,
        })),
      ),
  };
};
