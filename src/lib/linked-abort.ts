/** Aborts together with a signal that lives longer than it. */
export interface LinkedAbort {
  readonly signal: AbortSignal;
  abort(reason: Error): void;
  /** Ends the following, and has to be called: else the other signal keeps it. */
  release(): void;
}

/**
 * What `AbortSignal.any` is for, without its price: Node 24 keeps for ever what was made of a signal that lives as long
 * as the process, once that was listened to (nodejs/node#64476).
 */
export function linkAbort(parent: AbortSignal): LinkedAbort {
  const controller = new AbortController();
  const end = (): void => controller.abort(parent.reason);
  if (parent.aborted) end();
  else parent.addEventListener('abort', end);
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    release: () => parent.removeEventListener('abort', end),
  };
}
