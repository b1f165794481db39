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

/** Renders the component again every five seconds, for what it says of the time. */
export function useTick(): void {
  useSyncExternalStore(subscribe, () => ticks);
}
