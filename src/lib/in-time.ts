/**
 * Waits for `work` so many milliseconds of the monotonic clock. Work that is late goes on, and its result is ignored.
 * @throws what `late` makes when it is late, or what `work` throws
 */
export async function inTime<Result>(
  work: Promise<Result>,
  timeoutMs: number,
  late: () => Error,
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), timeoutMs);
  });
  try {
    return await Promise.race([work, end]);
  } finally {
    clearTimeout(timer);
  }
}
