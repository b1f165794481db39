/**
 * What a server says that cannot store anything, by the class of SQLSTATE: whoever asks again is refused as well. Not
 * XX000, which says of any internal error, such as "tuple concurrently updated" beside a GRANT, that somebody should
 * look at it.
 */
const REASONS: readonly (readonly [string, string])[] = [
  ['53100', 'The disk of the database is full.'],
  ['53', 'The database has no resources left for what it is asked to store.'],
  ['58', 'The database cannot read or write its files.'],
  ['XX001', 'Data of the database is damaged.'],
  ['XX002', 'An index of the database is damaged.'],
];

/**
 * Nobody may have tried again for so long: a balancer sends nothing to a process that is not ready. Then the next one
 * shall find out.
 */
const FORGET_MS = 60_000;

/** Statements that the server could not do, through no fault of theirs. */
export interface FailedWrites {
  /** Takes note of an error of a statement. */
  failed(statement: string, error: unknown): void;
  /**
   * The same statement was done: what fails beside ones that find room (an update within a page) has not ended by
   * these.
   */
  succeeded(statement: string): void;
  /** Why the newest of them failed that has not succeeded since, in a sentence for anybody; null when there is none. */
  reason(): string | null;
}

export function createFailedWrites(): FailedWrites {
  /** In the order of their last failures; times of the monotonic clock, in milliseconds. */
  const failures = new Map<string, { reason: string; at: number }>();
  return {
    failed: (statement, error) => {
      const { code } = (error ?? {}) as { code?: unknown };
      const known = REASONS.find(([start]) => typeof code === 'string' && code.startsWith(start));
      if (!known) return;
      failures.delete(statement);
      failures.set(statement, { reason: known[1], at: performance.now() });
    },
    succeeded: (statement) => void failures.delete(statement),
    reason: () => {
      for (const [statement, { at }] of failures)
        if (performance.now() - at > FORGET_MS) failures.delete(statement);
      return [...failures.values()].at(-1)?.reason ?? null;
    },
  };
}
