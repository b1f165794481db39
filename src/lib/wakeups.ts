/** Ends waits of a loop before their time. */
export interface Wakeup {
  wake: () => void;
  /**
   * Returns when woken, also since the last wait, after `ms` milliseconds, and at once when the service stops or has.
   */
  wait(ms: number): Promise<void>;
}

export function createWakeup(stopping: AbortSignal): Wakeup {
  let isWoken = false;
  let endWait: (() => void) | null = null;
  const wake = (): void => {
    isWoken = true;
    endWait?.();
  };
  stopping.addEventListener('abort', wake);
  return {
    wake,
    wait: async (ms) => {
      if (!isWoken && !stopping.aborted) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          endWait = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      isWoken = false;
      endWait = null;
    },
  };
}
