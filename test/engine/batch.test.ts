import { describe, expect, test } from '@jest/globals';
import { ERC721 } from '../../src/chain/abi/interfaces.ts';
import { encodeErc20Mint, encodeErc721Mint } from '../../src/chain/abi/mint.ts';
import { fillBatch, planCall, roomInBlock } from '../../src/engine/send/batch.ts';
import type { BatchLimits } from '../../src/engine/send/batch.ts';
import { callCap, gasLimitOf, maxCallGasCap } from '../../src/engine/send/gas.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { readOutcome } from '../../src/engine/verdict/finished.ts';
import type { GasMemory } from '../../src/engine/lane/gas-memory.ts';
import type { QueuedIntent } from '../../src/engine/store/queue.ts';

const A = `0x${'0a'.repeat(20)}` as const;
const B = `0x${'0b'.repeat(20)}` as const;
const C = `0x${'0c'.repeat(20)}` as const;

/** Calls have used just what they were guessed to use. */
const gasMemory: GasMemory = {
  expect: ({ gasEstimate }) => gasEstimate,
  findMost: () => undefined,
  learn: () => undefined,
  forget: () => undefined,
};

let numbers = 0n;
function queued(contract: QueuedIntent['contract'], more: Partial<QueuedIntent> = {}): QueuedIntent {
  numbers += 1n;
  return {
    ...{ number: numbers, id: `intent ${numbers}`, accountId: 'account', contract, target: contract },
    ...{ data: '0x', operator: A, epoch: 1n, gasEstimate: 50_000, gasMax: 1_000_000 },
    retryStage: 0,
    isStale: false,
    mayBeOvertaken: false,
    ...more,
  };
}

const noL1 = { gas: () => 0 };
const LIMITS: BatchLimits = {
  ...{ calls: 100, calldataBytes: 100_000, targetGas: 1_000_000 },
  ...{ room: 16_000_000, always: true, payableGas: Infinity, l1Gas: noL1.gas },
};
const fillFrom = (intents: readonly QueuedIntent[], limits: Partial<BatchLimits> = {}) =>
  fillBatch(
    intents.map((intent) => planCall(intent, gasMemory, 16_000_000)),
    { ...LIMITS, ...limits },
  );
const fill = (intents: readonly QueuedIntent[], limits: Partial<BatchLimits> = {}) =>
  fillFrom(intents, limits).calls.map(({ intent }) => intents.indexOf(intent));

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
    const full = queued(A, { retryStage: 1 });
    // Though there is room for others.
    const room = { room: 100_000_000 };
    expect(fill([full, queued(B)], room)).toEqual([0]);
    expect(fill([queued(B), full, queued(A), queued(C)], room)).toEqual([0, 3]);
  });

  test('has no more calls than are allowed', () => {
    expect(fill([queued(A), queued(B), queued(C)], { calls: 2 })).toEqual([0, 1]);
  });

  test('has three mints for 100 first holders each', () => {
    const maxGas = 16_777_216;
    // As measured, to accounts that no earlier call of the transaction has touched. Of 128 bytes of an item 22 are not
    // zero.
    const mint = { gasEstimate: 4_983_187, gasMax: 14_000_000 };
    const item = `${'00'.repeat(12)}${'11'.repeat(20)}${'00'.repeat(94)}4011`;
    const data = `0x11111111${'00'.repeat(64)}${item.repeat(100)}` as const;
    const intents = [A, B, C].map((contract) => queued(contract, { ...mint, data }));
    expect(fill(intents, { targetGas: maxGas, room: maxGas, calls: 400 })).toEqual([0, 1, 2]);
  });

  test('has less calldata than pools refuse: 128 KiB', () => {
    const long = { data: `0x${'11'.repeat(50_000)}` as const };
    expect(fill([queued(A, long), queued(B, long), queued(A), queued(B), queued(C)])).toEqual([0, 2, 4]);
  });
});

describe('a batch with little room', () => {
  test('has a gas limit within it', () => {
    const intents = [queued(A), queued(B), queued(C)];
    const limit = (count: number) =>
      gasLimitOf(
        noL1,
        intents.slice(0, count).map((intent) => planCall(intent, gasMemory, 16_000_000)),
        false,
      );
    expect(fill(intents, { room: limit(2) })).toEqual([0, 1]);
    expect(fill(intents, { room: limit(2) - 1 })).toEqual([0]);
  });

  test('counts zeros and other bytes of calldata for what they cost', () => {
    const [zeros, others] = [`0x${'00'.repeat(1_000)}`, `0x${'11'.repeat(1_000)}`] as const;
    const room = gasLimitOf(
      noL1,
      [queued(A, { data: zeros }), queued(B, { data: zeros })].map((intent) =>
        planCall(intent, gasMemory, 16_000_000),
      ),
      false,
    );
    expect(fill([queued(A, { data: zeros }), queued(B, { data: zeros })], { room })).toEqual([0, 1]);
    expect(fill([queued(A, { data: zeros }), queued(B, { data: others })], { room })).toEqual([0]);
  });

  test('has no more gas than can be paid for with ease, but one call, whose bid decides', () => {
    const intents = [queued(A), queued(B)];
    const { calls, didNotFit } = fillFrom(intents, { payableGas: 1, always: false });
    expect(calls.map(({ intent }) => intents.indexOf(intent))).toEqual([0]);
    expect(didNotFit).toBeNull();
  });

  test('counts the gas that the chain adds for its data', () => {
    const l1Gas = (bytes: number) => bytes * 100_000;
    expect(fill([queued(A), queued(B)], { l1Gas })).toEqual([0]);
  });

  test('lets what fits pass a call that has to wait for room, and says which one waits', () => {
    const intents = [queued(A, { gasEstimate: 2_000_000 }), queued(A), queued(B)];
    const { calls, didNotFit } = fillFrom(intents, { room: 1_000_000, always: false });
    expect(calls.map(({ intent }) => intents.indexOf(intent))).toEqual([2]);
    expect(didNotFit).toBe(intents[0]!.number);
    // Behind others it has not missed anything yet.
    expect(fillFrom(intents.toReversed(), { room: 1_000_000, always: false }).didNotFit).toBeNull();
  });

  test('has its first call all the same when nothing else is under way', () => {
    const { calls, didNotFit } = fillFrom([queued(A, { gasEstimate: 2_000_000 })], { room: 1_000_000 });
    expect(calls).toHaveLength(1);
    expect(didNotFit).toBeNull();
  });
});

describe('room in a block', () => {
  const open = (...gas: number[]) => gas.map((expectedGas) => ({ expectedGas }));

  test('is what all that is under way leaves, and nothing when that is next to nothing', () => {
    expect(roomInBlock(30_000_000n, [])).toBe(30_000_000);
    expect(roomInBlock(30_000_000n, open(10_000_000, 5_000_000))).toBe(15_000_000);
    expect(roomInBlock(30_000_000n, open(29_500_000))).toBe(0);
    expect(roomInBlock(30_000_000n, open(20_000_000, 20_000_000))).toBe(0);
  });
});

describe('gas', () => {
  const transactionGas = (
    calls: { number: bigint; gasCap: number; data: `0x${string}` }[],
    hasMints = false,
  ) =>
    gasLimitOf(
      noL1,
      calls.map(({ gasCap, ...intent }) => ({ intent, gasCap })),
      hasMints,
    );

  test.each([1_000, 50_000, 3_200_000, 15_000_000])(
    'of a transaction with one call lets the Operator give it its cap of %i (EIP-150: 63 of 64 parts)',
    (gasCap) => {
      const limit = transactionGas([{ number: 1n, gasCap, data: '0x' }]);
      // Without the transaction's own 21,000, its calldata, and what the Operator keeps back.
      expect(((limit - 21_000 - 1_500 - 20_000) * 63) / 64).toBeGreaterThan(gasCap);
    },
  );

  test('of a transaction grows with its calls, their bytes and their words in the bitmap', () => {
    const one = { number: 1n, gasCap: 100_000, data: '0x' as const };
    const alone = transactionGas([one]);
    expect(transactionGas([one, { ...one, number: 2n }]) - alone).toBeGreaterThan(100_000);
    const sameWord = transactionGas([one, { ...one, number: 2n }]);
    const otherWord = transactionGas([one, { ...one, number: 256n }]);
    expect(otherWord - sameWord).toBe(22_100);
    // EIP-7623: 16 gas a nonzero byte as long as the execution costs more.
    expect(transactionGas([{ ...one, data: `0x${'11'.repeat(1_000)}` }]) - alone).toBeGreaterThan(16_000);
  });

  test('of several mints and nothing else is that of `executeMints`, where the Operator has that', () => {
    const mint = { number: 1n, gasCap: 30_000, data: encodeErc20Mint(A, 1n) };
    const next = { ...mint, number: 2n };
    const other = { ...mint, number: 3n, data: '0x11111111' as const };
    expect(transactionGas([mint, next], true)).toBeLessThan(transactionGas([mint, next]) - 5_000);
    expect(transactionGas([mint], true)).toBe(transactionGas([mint]));
    const far = { ...mint, number: 65_537n };
    expect(transactionGas([mint, far], true)).toBe(transactionGas([mint, far]));
    expect(transactionGas([mint, next, other], true)).toBe(transactionGas([mint, next, other]));
    // A failure of an ERC-721 mint may be told with 1,024 bytes of a stranger.
    const nft = { ...mint, data: encodeErc721Mint(A) };
    const more = transactionGas([nft, { ...nft, number: 2n }], true) - transactionGas([mint, next], true);
    expect(more).toBe(2 * 6_500);
    // Each gets its cap, and what the Operator keeps for itself and spends besides.
    expect(transactionGas([mint, next], true)).toBeGreaterThan(21_000 + 2 * (30_000 + 4_000) + 45_000);
  });

  test('of a call leaves room for another path than the simulated one', () => {
    expect(callCap(queued(A), 50_000, 16_000_000)).toBe(72_500);
    const large = queued(A, { gasMax: 14_000_000 });
    expect(callCap(large, 1_600_000, 16_000_000)).toBe(2_010_000);
    expect(callCap(large, 5_000_000, 16_000_000)).toBe(5_410_000);
  });

  test('of a call is at most what its kind may use, and what a transaction can give it', () => {
    expect(callCap(queued(A), 900_000, 16_000_000)).toBe(1_000_000);
    expect(callCap(queued(A, { retryStage: 1 }), 50_000, 16_000_000)).toBe(1_000_000);
    const large = queued(A, { retryStage: 1, gasMax: 14_000_000 });
    expect(callCap(large, 50_000, 16_000_000)).toBe(14_000_000);
    expect(callCap(large, 50_000, 10_000_000)).toBeLessThan(10_000_000);
  });

  test.each(['00', '11'])('of a call leaves a transaction what calldata of %s costs', (byte) => {
    const data = `0x${byte.repeat(50_000)}` as const;
    const most = maxCallGasCap(data, 10_000_000);
    const kind = { data, gasMax: 14_000_000 };
    expect(callCap(queued(A, { ...kind, retryStage: 1 }), 50_000, 10_000_000)).toBe(most);
    for (const gasUsed of [8_000_000, 8_800_000, 9_500_000])
      expect(callCap(queued(A, kind), gasUsed, 10_000_000)).toBe(Math.min(gasUsed + 410_000, most));
  });
});

describe('a call that failed', () => {
  interface Call {
    gasMax?: number;
    retryStage?: number;
    returnData?: Hex;
  }
  const failed = (gasUsed: bigint, { gasMax = 200_000, retryStage = 0, returnData = '0x' }: Call = {}) =>
    readOutcome(
      { ok: false, gasUsed, returnData },
      { number: 1n, epoch: 1n, gasCap: 64_000, gasMax, retryStage },
    );
  const WANTS_GAS = ERC721.encodeErrorResult('InsufficientReceiverGas') as Hex;

  test('may have failed for its cap when its callee, or the callee of that, had 63 of 64 parts of it and used them', () => {
    expect(failed(64_000n)).toBe('short-of-gas');
    expect(failed(63_000n)).toBe('short-of-gas');
    expect(failed(62_015n)).toBe('short-of-gas');
    expect(failed(60_000n)).toBe('reverted');
    expect(failed(1n)).toBe('reverted');
  });

  test('may have failed for its cap, however little it used, when the token wanted more for the hook', () => {
    expect(failed(1n, { returnData: WANTS_GAS })).toBe('short-of-gas');
  });

  test('has failed for its reasons when it had all that it may use, or that a transaction can give it', () => {
    for (const returnData of ['0x', WANTS_GAS] as const) {
      expect(failed(64_000n, { returnData, gasMax: 64_000 })).toBe('reverted');
      expect(failed(64_000n, { returnData, retryStage: 1 })).toBe('reverted');
    }
  });
});
