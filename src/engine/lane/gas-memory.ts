import type { QueuedIntent } from '../store/queue.ts';

/** What calls of a function have used of late, against what they were guessed to use at the most. */
export interface GasMemory {
  /** Gas that this call will use by experience; its estimate without any. */
  expect(intent: QueuedIntent): number;
  learn(intent: QueuedIntent, gasUsed: number): void;
}

/** Estimates are for a first holder and an empty slot; most calls cost far less, and blocks would stay half empty. */
export function createGasMemory(): GasMemory {
  const shares = new Map<string, number>();
  const selector = ({ data }: QueuedIntent): string => data.slice(0, 10);
  return {
    expect: (intent) => Math.ceil(intent.gasEstimate * Math.min(1, shares.get(selector(intent)) ?? 1)),
    learn: (intent, gasUsed) => {
      const share = gasUsed / intent.gasEstimate;
      const known = shares.get(selector(intent)) ?? 1;
      // Quick to believe that calls have become dearer, slow to believe that they are cheap.
      shares.set(selector(intent), share > known ? share : known + (share - known) / 20);
    },
  };
}
