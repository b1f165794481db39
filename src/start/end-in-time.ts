/** Milliseconds from the decision to stop until the process is gone, in whatever state the rest of the world is. */
interface EndTimes {
  /** What waits for a verdict is answered, and what is under way is ended. */
  atMostMs: number;
  /** The same when waiting is of no use. */
  whenHopelessMs: number;
}

const BEYOND_WAIT_MS = 9_000;
const WHEN_HOPELESS_MS = 12_000;
const LOOK_MS = 250;

/**
 * Some seconds less than what is promised, for a busy machine takes as long to end a process.
 * @param waitTimeoutMs milliseconds that a request waits for its verdict
 */
export const defaultEndTimes = (waitTimeoutMs: number): EndTimes => ({
  atMostMs: waitTimeoutMs + BEYOND_WAIT_MS,
  whenHopelessMs: WHEN_HOPELESS_MS,
});

/**
 * Calls `end` with a sentence when stopping has taken too long. What is under way then is taken up at the next start,
 * as after a kill.
 * @param findHopeless why waiting is of no use, such as a database that is silent; null when it is
 */
export function endInTime(
  { atMostMs, whenHopelessMs }: EndTimes,
  findHopeless: () => string | null,
  end: (sentence: string) => void,
): void {
  const began = performance.now();
  const timer = setInterval(() => {
    const ms = performance.now() - began;
    const hopeless = findHopeless();
    if (ms < atMostMs && !(hopeless !== null && ms >= whenHopelessMs)) return;
    clearInterval(timer);
    const reason = hopeless ?? 'not everything came to its end';
    end(`Stopped after ${Math.round(ms / 1_000)} seconds, though ${reason}: the next start goes on with it`);
  }, LOOK_MS);
  timer.unref();
}
