/** Aborts by itself, and when its parent signal does, which lives longer. */
interface LinkedAbort {
  readonly signal: AbortSignal;
  abort(reason: Error): void;
  /** Removes the listener from the parent. Without this call the parent keeps it in memory. */
  release(): void;
}

/**
 * Links an abort to a parent signal. Not with `AbortSignal.any`: Node 24 never frees a signal derived from one that
 * lives as long as the process, once it was listened to (nodejs/node#64476).
 */
export function linkAbort(parent: AbortSignal): LinkedAbort {
  const controller = new AbortController();
  const onParentAbort = (): void => controller.abort(parent.reason);
  if (parent.aborted) onParentAbort();
  else parent.addEventListener('abort', onParentAbort);
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    release: () => parent.removeEventListener('abort', onParentAbort),
  };
}
