import { expect, test } from '@jest/globals';
import { Transaction, Wallet } from 'ethers';
import fc from 'fast-check';
import { createKeySigner } from '../../src/chain/signing/signer.ts';
import type { Hex } from '../../src/lib/hex.ts';

const KEY = '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d';
const hex = (minLength: number, maxLength: number) =>
  fc.uint8Array({ minLength, maxLength }).map((bytes): Hex => `0x${Buffer.from(bytes).toString('hex')}`);
const number = (bits: bigint) => fc.bigInt({ min: 0n, max: 2n ** bits - 1n });

test.each(['eip1559', 'legacy'] as const)(
  'a signed %s transaction has the same bytes as that of ethers',
  async (type) => {
    const signer = createKeySigner(KEY);
    const transaction = fc.record({
      type: fc.constant(type),
      chainId: fc.bigInt({ min: 1n, max: 2n ** 40n }),
      nonce: number(40n),
      to: hex(20, 20),
      data: fc.oneof(
        { weight: 15, arbitrary: fc.oneof(hex(0, 2), hex(50, 60), hex(250, 260)) },
        // Seldom: ethers takes a while for it.
        { weight: 1, arbitrary: hex(65_530, 65_540) },
      ),
      gasLimit: number(24n),
      maxFeePerGas: fc.bigInt({ min: 2n ** 40n, max: 2n ** 60n }),
      maxPriorityFeePerGas: number(40n),
    });
    await fc.assert(
      fc.asyncProperty(transaction, async (unsigned) => {
        const { raw, hash } = await signer.sign(unsigned);
        const read = Transaction.from(raw);
        expect(read.hash).toBe(hash);
        expect(read.from).toBe(new Wallet(KEY).address);
        expect({ ...read.toJSON(), sig: null }).toMatchObject({
          nonce: Number(unsigned.nonce),
          data: unsigned.data,
          gasLimit: String(unsigned.gasLimit),
          value: '0',
          chainId: String(unsigned.chainId),
          ...(type === 'legacy'
            ? { type: 0, gasPrice: String(unsigned.maxFeePerGas) }
            : {
                type: 2,
                maxFeePerGas: String(unsigned.maxFeePerGas),
                maxPriorityFeePerGas: String(unsigned.maxPriorityFeePerGas),
              }),
        });
        expect(read.to!.toLowerCase()).toBe(unsigned.to);
        expect(read.serialized).toBe(raw);
      }),
      { numRuns: 60 },
    );
  },
);
