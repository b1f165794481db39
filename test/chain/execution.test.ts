import { expect, test } from '@jest/globals';
import { AbiCoder, Interface } from 'ethers';
import fc from 'fast-check';
import { operatorAbi } from '../../generated/contracts.ts';
import { encodeErc20Mint, encodeErc721Mint } from '../../src/chain/abi/mint.ts';
import { decodeExecution, encodeExecution } from '../../src/chain/abi/execution.ts';
import type { Hex } from '../../src/lib/hex.ts';

const operator = new Interface(operatorAbi);
const hex = (minLength: number, maxLength: number) =>
  fc.uint8Array({ minLength, maxLength }).map((bytes): Hex => `0x${Buffer.from(bytes).toString('hex')}`);

test('encoded calldata equals that of ethers', () => {
  const epochs = fc.bigInt({ min: 0n, max: 2n ** 48n - 1n });
  const call = fc.record({
    target: hex(20, 20),
    gasCap: fc.integer({ min: 1, max: 16_777_216 }),
    number: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
    key: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
    data: hex(0, 200),
  });
  fc.assert(
    fc.property(epochs, fc.array(call, { maxLength: 8 }), (epoch, calls) => {
      const expected = operator.encodeFunctionData('execute', [
        epoch,
        calls.map(({ target, gasCap, number, key, data }) => [target, gasCap, (key << 64n) | number, data]),
      ]);
      expect(encodeExecution(epoch, calls)).toBe(expected);
    }),
  );
});

test('decoded results equal those of ethers', () => {
  const result = fc.record({
    ok: fc.boolean(),
    gasUsed: fc.bigInt({ min: 0n, max: 2n ** 32n }),
    returnData: hex(0, 200),
  });
  fc.assert(
    fc.property(fc.array(result, { maxLength: 8 }), (results) => {
      const answer = AbiCoder.defaultAbiCoder().encode(
        ['(bool,uint256,bytes)[]'],
        [results.map(({ ok, gasUsed, returnData }) => [ok, gasUsed, returnData])],
      );
      expect(decodeExecution(answer as Hex)).toEqual(results);
    }),
  );
});

test('encoded mints equal those of ethers', () => {
  fc.assert(
    fc.property(hex(20, 20), fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), (to, amount) => {
      expect(encodeErc20Mint(to, amount)).toBe(
        new Interface(['function mint(address,uint256)']).encodeFunctionData('mint', [to, amount]),
      );
      expect(encodeErc721Mint(to)).toBe(
        new Interface(['function mintNext(address)']).encodeFunctionData('mintNext', [to]),
      );
    }),
  );
});

test('a truncated answer is refused', () => {
  expect(() => decodeExecution(`0x${'00'.repeat(31)}20${'00'.repeat(31)}05` as Hex)).toThrow(
    /out of range|outside/,
  );
});
