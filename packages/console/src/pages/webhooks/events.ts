import type { components } from '../../../../../generated/api.ts';

export type Event = components['schemas']['WebhookEvent'];

/** What each event tells: the compiler says when the contract has another one. */
export const EVENTS: Record<Event, string> = {
  'intent.confirmed': 'A write has its effect: its transaction is mined, or nothing had to be sent.',
  'intent.failed': 'A write had no effect and never will; its quota or credits are given back.',
  'intent.retracted': 'A reorg took the confirmation back. One of the other two follows.',
  'account.wallet_changed': 'The wallet that will own new tokens was set or cleared.',
};

/** Of an account, which the sandbox is not told of. */
const LIVE_ONLY: Event = 'account.wallet_changed';

export function eventsOf(isSandbox: boolean): Event[] {
  return (Object.keys(EVENTS) as Event[]).filter((event) => !isSandbox || event !== LIVE_ONLY);
}

/** What a webhook is told that names no events. */
export const USUAL_EVENTS: readonly Event[] = ['intent.confirmed', 'intent.failed', 'intent.retracted'];
