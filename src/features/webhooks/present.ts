import type { Delivery } from './delivery-store.ts';
import type { Webhook } from './store.ts';

/** As it is in JSON: what is answered now is kept for a replay. */
type Shown<Record> = {
  [Key in keyof Record as Key extends 'number' ? never : Key]: Record[Key] extends Date
    ? string
    : Record[Key] extends Date | null
      ? string | null
      : Record[Key];
};
export type ShownWebhook = Shown<Webhook>;
export type ShownDelivery = Shown<Delivery>;

export function presentWebhook({ number: _number, createdAt, updatedAt, ...webhook }: Webhook): ShownWebhook {
  return { ...webhook, createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
}

export function presentDelivery({ number: _number, ...delivery }: Delivery): ShownDelivery {
  return {
    ...delivery,
    nextAttemptAt: delivery.nextAttemptAt && delivery.nextAttemptAt.toISOString(),
    attemptedAt: delivery.attemptedAt && delivery.attemptedAt.toISOString(),
    createdAt: delivery.createdAt.toISOString(),
  };
}
