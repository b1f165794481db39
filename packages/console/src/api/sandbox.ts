import { queryClient } from './query.ts';
import { createStore } from './store.ts';

/** Chosen for this tab, and so for its reloads too. */
const STORED_AS = 'mintmark-environment';

/**
 * `sandbox` while the tab shows collections, webhooks and intents of the sandbox, null while it shows those of the
 * chain. The contract chooses by the token that asks, see `session.ts`.
 */
export const sandbox = createStore<'sandbox' | null>(
  sessionStorage.getItem(STORED_AS) === 'sandbox' ? 'sandbox' : null,
);

/** What was read before is of the other side. */
export function switchSandbox(isOn: boolean): void {
  if (isOn) sessionStorage.setItem(STORED_AS, 'sandbox');
  else sessionStorage.removeItem(STORED_AS);
  queryClient.clear();
  sandbox.set(isOn ? 'sandbox' : null);
}
