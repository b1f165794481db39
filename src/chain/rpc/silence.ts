/** Endpoints that have answered nothing for so long, though a call waits, count as out of reach. */
const SILENT_MS = 2_000;

/** How long no endpoint has answered. */
export interface Silence {
  /**
   * A call that was made at `askedAt` of the monotonic clock failed: endpoints that take one and never answer are
   * silent since then.
   */
  begin(askedAt: number): void;
  /** An endpoint answered. */
  end(): void;
  /** Makes a call, which may wait for its answer for ever. */
  during<Result>(call: () => Promise<Result>): Promise<Result>;
  /** Milliseconds; 0 while one answers, or nobody asks. */
  lastsMs(): number;
}

export function createSilence(): Silence {
  // Times of the monotonic clock, in milliseconds.
  let failingSince: number | null = null;
  let answeredAt = 0;
  let waiting = 0;
  /** Since when calls wait without an answer to any. */
  let waitingSince = 0;
  return {
    begin: (askedAt) => {
      failingSince ??= Math.max(askedAt, answeredAt);
    },
    end: () => {
      failingSince = null;
      answeredAt = performance.now();
      waitingSince = answeredAt;
    },
    during: async (call) => {
      if (waiting === 0) waitingSince = performance.now();
      waiting += 1;
      try {
        return await call();
      } finally {
        waiting -= 1;
      }
    },
    lastsMs: () => {
      const now = performance.now();
      if (failingSince !== null) return now - failingSince;
      const waitedMs = waiting > 0 ? now - waitingSince : 0;
      return waitedMs >= SILENT_MS ? waitedMs : 0;
    },
  };
}
