import { expect, test } from '@jest/globals';
import { Interface } from 'ethers';
import fc from 'fast-check';
import { managedErc721Abi } from '../../generated/contracts.ts';
import { KINDS, encodeSetContractMetadata, encodeSetMetadata } from '../../src/chain/abi/metadata.ts';
import type { Entry } from '../../src/chain/abi/metadata.ts';
import { encodeMintBatch, encodeMintWithMetadata } from '../../src/chain/abi/mint.ts';
import type { Hex } from '../../src/lib/hex.ts';

const erc721 = new Interface(managedErc721Abi);
const hex = (minLength: number, maxLength: number) =>
  fc.uint8Array({ minLength, maxLength }).map((bytes): Hex => `0x${Buffer.from(bytes).toString('hex')}`);
const entries = fc.array(
  fc.record({
    key: fc.string({ unit: 'grapheme', maxLength: 40 }),
    value: hex(0, 100),
    kind: fc.constantFrom(...Object.values(KINDS)),
  }),
  { maxLength: 6 },
);
const address = hex(20, 20);
const tuplesOf = (list: readonly Entry[]) => list.map(({ key, value, kind }) => [key, value, kind]);

/** At the border of a word: nothing, a whole word, and one byte more. */
const BORDERS: Entry[] = [0, 1, 31, 32, 33].map((length) => ({
  key: 'k'.repeat(length),
  value: `0x${'ab'.repeat(length)}`,
  kind: KINDS.string,
}));

test('encoded metadata equals that of ethers', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), entries, (tokenId, list) => {
      expect(encodeSetMetadata(tokenId, list)).toBe(
        erc721.encodeFunctionData('setMetadata', [tokenId, tuplesOf(list)]),
      );
      expect(encodeSetContractMetadata(list)).toBe(
        erc721.encodeFunctionData('setContractMetadata', [tuplesOf(list)]),
      );
    }),
    { examples: [[1n, BORDERS]], numRuns: 40 },
  );
});

test('encoded mints with metadata equal those of ethers', () => {
  const item = fc.record({ to: address, entries });
  fc.assert(
    fc.property(item, fc.array(item, { maxLength: 5 }), (one, items) => {
      expect(encodeMintWithMetadata(one.to, one.entries)).toBe(
        erc721.encodeFunctionData('mintWithMetadata', [one.to, tuplesOf(one.entries)]),
      );
      expect(encodeMintBatch(items)).toBe(
        erc721.encodeFunctionData('mintBatch', [items.map(({ to, entries: list }) => [to, tuplesOf(list)])]),
      );
    }),
    { numRuns: 40 },
  );
});
