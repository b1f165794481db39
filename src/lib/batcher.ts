/**
 * Gathers calls that arrive while an earlier group is under way and hands them over as one group, so that many
 * concurrent requests share one round trip or one commit. A lone call is handed over at once: it never waits.
 *
 * `run` answers one result for each item, in order; a result that is an Error rejects only its own call, a
 * rejection of `run` rejects the whole group.
 */
export function createBatcher<Item, Result>(
  run: (items: Item[]) => Promise<(Result | Error)[]>,
  { maxItems = 500, concurrency = 1 }: { maxItems?: number; concurrency?: number } = {},
): (item: Item) => Promise<Result> {
  interface Waiting {
    item: Item;
    resolve: (result: Result) => void;
    reject: (reason: unknown) => void;
  }
  const waiting: Waiting[] = [];
  let running = 0;
  let scheduled = false;

  const flush = async (): Promise<void> => {
    const group = waiting.splice(0, maxItems);
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

  // The pause until the next turn of the event loop lets requests that were read together travel together.
  const schedule = (): void => {
    if (scheduled || running >= concurrency || waiting.length === 0) return;
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
