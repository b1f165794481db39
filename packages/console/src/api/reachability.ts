import { createStore } from './store.ts';
import { SERVICE_URL } from './addresses.ts';

const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 15_000;

/** Whether the service answers. Once a request got no answer, `/health` is asked until it does. */
export const reachability = createStore({ isReachable: true });

let isAsking = false;
const recovered = new Set<() => void>();

/** Calls this each time that the service answers again. */
export function onRecovery(action: () => void): () => void {
  recovered.add(action);
  return () => recovered.delete(action);
}

export function noteAnswer(): void {
  if (reachability.get().isReachable) return;
  reachability.set({ isReachable: true });
  for (const action of recovered) action();
}

export function noteSilence(): void {
  reachability.set({ isReachable: false });
  if (!isAsking) void askUntilAnswered();
}

async function askUntilAnswered(): Promise<void> {
  isAsking = true;
  let pauseMs = FIRST_PAUSE_MS;
  while (!reachability.get().isReachable) {
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS);
    if (await isHealthy()) noteAnswer();
  }
  isAsking = false;
}

/** Asks at once, for a person who does not want to wait. */
export async function askNow(): Promise<void> {
  if (await isHealthy()) noteAnswer();
}

function isHealthy(): Promise<boolean> {
  return fetch(`${SERVICE_URL}/health`).then(
    ({ ok }) => ok,
    () => false,
  );
}
