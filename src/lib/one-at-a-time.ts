/**
 * Runs work of each key one at a time, in the order in which it comes; of different keys side by side.
 * @param maxWaiting of a key behind what runs
 * @param refuse makes the error of what would wait behind these
 */
export function createOneAtATime(
  maxWaiting: number,
  refuse: () => Error,
): <Result>(key: string, work: () => Promise<Result>) => Promise<Result> {
  const lines = new Map<string, { end: Promise<unknown>; length: number }>();
  return async (key, work) => {
    const line = lines.get(key) ?? { end: Promise.resolve(), length: 0 };
    if (line.length > maxWaiting) throw refuse();
    lines.set(key, line);
    line.length += 1;
    const turn = line.end.then(work);
    line.end = turn.catch(() => undefined);
    try {
      return await turn;
    } finally {
      line.length -= 1;
      if (line.length === 0) lines.delete(key);
    }
  };
}
