import { useSyncExternalStore } from 'react';

const EVERY_MS = 5_000;

let ticks = 0;
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    ticks += 1;
    for (const each of [...listeners]) each();
  }, EVERY_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Whether a time is past, looked at every five seconds. @param at ISO 8601; null for a time that never comes */
export function useIsPast(at: string | null): boolean {
  return useSyncExternalStore(subscribe, () => at !== null && Date.parse(at) <= Date.now());
}

/** Renders the component again every five seconds, for what it says of the time. */
export function useTick(): void {
  useSyncExternalStore(subscribe, () => ticks);
}
