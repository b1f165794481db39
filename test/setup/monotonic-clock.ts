import { jest } from '@jest/globals';

export interface MonotonicClock extends Disposable {
  /** Milliseconds. */
  advance(ms: number): void;
}

/** Replaces `performance.now` by a clock that can be advanced; timers keep the real time. */
export function installMonotonicClock(): MonotonicClock {
  const now = performance.now.bind(performance);
  let ahead = 0;
  const spy = jest.spyOn(performance, 'now').mockImplementation(() => now() + ahead);
  return {
    advance: (ms) => {
      ahead += ms;
    },
    [Symbol.dispose]: () => spy.mockRestore(),
  };
}
