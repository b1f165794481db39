import type { EngineTimings } from '../../src/engine/index.ts';

/**
 * Clocks for tests that would wait for nothing else. The lease keeps its length: a busy machine must not lose it in the
 * middle of a test.
 */
export const SHORT_TIMINGS = {
  blockLookMs: 50,
  receiptLookMs: 250,
  resendMs: 1_000,
  backoffMs: 100,
  cooldownMs: 500,
  pauseMs: 200,
} satisfies Partial<EngineTimings>;
