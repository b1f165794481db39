/** Runs work one at a time, in the order in which it comes. */
export type InTurn = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** @param goesOn after work that failed, too; else what comes then is not done, and fails by the same error */
export function createInTurn({ goesOn }: { goesOn: boolean }): InTurn {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const turn = last.then(work);
    last = goesOn ? turn.catch(() => undefined) : turn;
    return turn;
  };
}

/**
 * Runs work of each key one at a time, in the order in which it comes; of different keys side by side.
 * @param maxWaiting of a key behind what runs
 * @param refuse makes the error of what would wait behind these
 */
export function createOneAtATime(
  maxWaiting: number,
  refuse: () => Error,
): <Result>(key: string, work: () => Promise<Result>) => Promise<Result> {
  const lines = new Map<string, { inTurn: InTurn; length: number }>();
  return async (key, work) => {
    const line = lines.get(key) ?? { inTurn: createInTurn({ goesOn: true }), length: 0 };
    if (line.length > maxWaiting) throw refuse();
    lines.set(key, line);
    line.length += 1;
    try {
      return await line.inTurn(work);
    } finally {
      line.length -= 1;
      if (line.length === 0) lines.delete(key);
    }
  };
}
