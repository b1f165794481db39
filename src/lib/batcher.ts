interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (reason: unknown) => void;
}

/**
 * Creates a function that collects calls while earlier groups run, and runs them as one group, so that concurrent
 * requests share one round trip or one commit. A lone call runs in the next turn of the event loop.
 * @param run returns one result for each item, in order. A result that is an Error rejects only its own call, a
 * rejection of `run` rejects the whole group.
 * @param options read before each group: they may change
 */
export function createBatcher<Item, Result>(
  run: (items: Item[]) => Promise<(Result | Error)[]>,
  options: { readonly maxItems?: number; readonly concurrency?: number } = {},
): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = [];
  let running = 0;
  let scheduled = false;

  const flush = async (): Promise<void> => {
    const group = waiting.splice(0, options.maxItems ?? 500);
    if (group.length === 0) return;
    running += 1;
    schedule();
    try {
      const results = await run(group.map(({ item }) => item));
      group.forEach(({ resolve, reject }, index) => {
        const result = results[index] as Result | Error;
        if (result instanceof Error) reject(result);
        else resolve(result);
      });
    } catch (reason) {
      for (const { reject } of group) reject(reason);
    } finally {
      running -= 1;
      schedule();
    }
  };

  // Waiting for the next turn of the event loop puts requests that were read together into one group.
  const schedule = (): void => {
    if (scheduled || running >= (options.concurrency ?? 1) || waiting.length === 0) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      void flush();
    });
  };

  return (item) =>
    new Promise<Result>((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      schedule();
    });
}
