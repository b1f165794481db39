import { describe, expect, test } from '@jest/globals';
import { fillBatch } from '../../src/engine/send/batch.ts';
import { callCap, transactionGas } from '../../src/engine/send/gas.ts';
import { readOutcome } from '../../src/engine/settle/call-outcome.ts';
import type { QueuedIntent } from '../../src/engine/store/queue.ts';

const A = `0x${'0a'.repeat(20)}` as const;
const B = `0x${'0b'.repeat(20)}` as const;
const C = `0x${'0c'.repeat(20)}` as const;

/** Calls have used just what they were guessed to use. */
const gasMemory = { expect: ({ gasEstimate }: QueuedIntent) => gasEstimate, learn: () => undefined };

let numbers = 0n;
function queued(contract: QueuedIntent['contract'], more: Partial<QueuedIntent> = {}): QueuedIntent {
  numbers += 1n;
  return {
    ...{ number: numbers, id: `intent ${numbers}`, accountId: 'account', contract, target: contract },
    ...{ operator: C, epoch: 1n },
    ...{ data: '0x', gasEstimate: 50_000, fullGas: false, batchLimit: 1_000 },
    ...more,
  };
}

const fill = (intents: readonly QueuedIntent[], limits: { targetGas?: number; maxBatch?: number } = {}) =>
  fillBatch(intents, { targetGas: 1_000_000, maxBatch: 100, maxBytes: 100_000, gasMemory, ...limits }).map(
    (intent) => intents.indexOf(intent),
  );

describe('a batch', () => {
  test('leaves what does not fit, and with it all later calls of that contract', () => {
    const intents = [queued(A), queued(A, { gasEstimate: 900_000 }), queued(B), queued(A), queued(C)];
    expect(fill(intents)).toEqual([0, 2, 4]);
  });

  test('begins with a call that is too large for it, which then goes alone', () => {
    const large = { gasEstimate: 2_000_000 };
    expect(fill([queued(A, large), queued(B)])).toEqual([0]);
  });

  test('has no other call beside one that gets all the gas', () => {
    expect(fill([queued(A, { fullGas: true }), queued(B)])).toEqual([0]);
    expect(fill([queued(B), queued(A, { fullGas: true }), queued(A), queued(C)])).toEqual([0, 3]);
  });

  test('has no more calls than one of them may have beside it, and than are allowed', () => {
    expect(fill([queued(A, { batchLimit: 2 }), queued(B), queued(C)])).toEqual([0, 1]);
    expect(fill([queued(A), queued(B), queued(C)], { maxBatch: 2 })).toEqual([0, 1]);
  });

  test('has less calldata than pools refuse: 128 KiB', () => {
    const long = { data: `0x${'11'.repeat(50_000)}` as const };
    expect(fill([queued(A, long), queued(B, long), queued(A), queued(B), queued(C)])).toEqual([0, 2, 4]);
  });
});

describe('gas', () => {
  test.each([1_000, 50_000, 3_200_000, 15_000_000])(
    'of a transaction with one call lets the Operator give it its cap of %i (EIP-150: 63 of 64 parts)',
    (gasCap) => {
      const limit = transactionGas([{ number: 1n, gasCap, data: '0x' }]);
      // Without the transaction's own 21,000, its calldata, and what the Operator keeps back.
      expect(((limit - 21_000 - 1_500 - 20_000) * 63) / 64).toBeGreaterThan(gasCap);
    },
  );

  test('of a transaction grows with its calls, their bytes and their words in the bitmap', () => {
    const one = { number: 1n, gasCap: 100_000, data: '0x' };
    const alone = transactionGas([one]);
    expect(transactionGas([one, { ...one, number: 2n }]) - alone).toBeGreaterThan(100_000);
    const sameWord = transactionGas([one, { ...one, number: 2n }]);
    const otherWord = transactionGas([one, { ...one, number: 256n }]);
    expect(otherWord - sameWord).toBe(22_100);
    // EIP-7623: 16 gas a nonzero byte as long as the execution costs more.
    expect(transactionGas([{ ...one, data: `0x${'11'.repeat(1_000)}` }]) - alone).toBeGreaterThan(16_000);
  });

  test('of a call leaves room for another path than the simulated one', () => {
    expect(callCap(queued(A), 50_000, 16_000_000)).toBe(72_500);
  });
});

describe('a call that failed', () => {
  const failed = (gasUsed: bigint, fullGas = false) =>
    readOutcome({ ok: false, gasUsed, returnData: '0x' }, { number: 1n, epoch: 1n, gasCap: 64_000, fullGas });

  test('may have failed for its cap when its callee, or the callee of that, had 63 of 64 parts of it and used them', () => {
    expect(failed(64_000n)).toBe('gas-cap-used');
    expect(failed(63_000n)).toBe('gas-cap-used');
    expect(failed(62_015n)).toBe('gas-cap-used');
    expect(failed(60_000n)).toBe('reverted');
    expect(failed(1n)).toBe('reverted');
  });

  test('has failed for its reasons when it had all the gas there is', () => {
    expect(failed(64_000n, true)).toBe('reverted');
  });
});
