/** Work that is done again and again. Disposing of it waits for what goes on. */
export interface Repeated extends AsyncDisposable {
  /** Nothing begins any more. */
  stop(): void;
}

/** Does `work` every so many milliseconds, and never twice at a time. @param work never rejects */
export function repeat(everyMs: number, work: () => Promise<void>): Repeated {
  let isPending = false;
  let last = Promise.resolve();
  const run = async (): Promise<void> => {
    isPending = true;
    await work();
    isPending = false;
  };
  const timer = setInterval(() => {
    if (!isPending) last = run();
  }, everyMs);
  const stop = (): void => clearInterval(timer);
  return {
    stop,
    [Symbol.asyncDispose]: async () => {
      stop();
      await last;
    },
  };
}
