import { describe, expect, test } from '@jest/globals';
import { TOKEN_STANDARDS } from '../../src/chain/token-standards.ts';

const TO = `0x${'ab'.repeat(20)}` as const;
const word = (value: bigint): string => value.toString(16).padStart(64, '0');

describe('a mint of an ERC-20', () => {
  const { encodeMint } = TOKEN_STANDARDS.ERC20;

  test('takes amounts up to what the contract keeps in 208 bits', () => {
    const most = 2n ** 208n - 1n;
    // The last word of the calldata.
    expect(encodeMint(TO, String(most)).data.slice(-64)).toBe(word(most));
    expect(() => encodeMint(TO, String(most + 1n))).toThrow(
      expect.objectContaining({ code: 'VALIDATION_ERROR' }),
    );
  });

  test('needs an amount', () => {
    expect(() => encodeMint(TO, undefined)).toThrow(expect.objectContaining({ code: 'VALIDATION_ERROR' }));
  });
});

test('a mint of an ERC-721 takes no amount', () => {
  const { encodeMint } = TOKEN_STANDARDS.ERC721;
  expect(encodeMint(TO, undefined).data.slice(-64)).toBe(word(BigInt(TO)));
  expect(() => encodeMint(TO, '1')).toThrow(expect.objectContaining({ code: 'VALIDATION_ERROR' }));
});
