import { describe, expect, test } from '@jest/globals';
import { encodeExecution } from '../../src/chain/abi/execution.ts';
import type { OperatorCall } from '../../src/chain/abi/execution.ts';
import { ERC20, ERC721, OPERATOR } from '../../src/chain/abi/interfaces.ts';
import { decodeBatch, encodeMints, readPackedResults } from '../../src/chain/abi/mint-list.ts';
import { encodeErc20Mint, encodeErc721Mint, readMint } from '../../src/chain/abi/mint.ts';
import { findExecutedCall } from '../../src/chain/abi/operator.ts';
import type { Hex } from '../../src/lib/hex.ts';

const ART: Hex = `0x${'a1'.repeat(20)}`;
const COIN: Hex = `0x${'c0'.repeat(20)}`;
const HOLDER: Hex = `0x${'1b'.repeat(20)}`;
/** The client's key. */
const KEY = 0xf0e1d2c3b4a59687n;
const KEY_DIGITS = KEY.toString(16);

const art = (number: bigint, options: Partial<OperatorCall> = {}): OperatorCall => ({
  target: ART,
  gasCap: 90_000,
  number,
  key: KEY,
  data: encodeErc721Mint(HOLDER),
  ...options,
});
const coin = (number: bigint, amount: bigint, options: Partial<OperatorCall> = {}): OperatorCall =>
  art(number, { target: COIN, gasCap: 70_000, data: encodeErc20Mint(HOLDER, amount), ...options });

/** What the general coder of ethers makes of calldata. */
const decode = (calldata: Hex) =>
  OPERATOR.decodeFunctionData('executeMints', calldata).toArray(true) as unknown[];

describe('mints of one transaction', () => {
  test('are encoded as the ABI says, with the numbers above the least one', () => {
    const calls = [art(1_007n), coin(1_000n, 0x1234n), coin(1_300n, 5n), art(66_535n)];
    expect(decode(encodeMints(7n, calls)!)).toEqual([
      7n,
      1_000n,
      4n,
      [
        '0x02',
        `${ART.slice(2)}00015f9000`,
        `${COIN.slice(2)}0001117002`,
        `000007${KEY_DIGITS}${HOLDER.slice(2)}`,
        `010000${KEY_DIGITS}${HOLDER.slice(2)}1234`,
        `01012c${KEY_DIGITS}${HOLDER.slice(2)}0005`,
        `00ffff${KEY_DIGITS}${HOLDER.slice(2)}`,
      ].join(''),
    ]);
  });

  test('are decoded again as the calls that they are', () => {
    const calls = [
      art(9n),
      coin(10n, 2n ** 208n - 1n),
      coin(11n, 0n),
      art(12n, { data: encodeErc721Mint(COIN) }),
    ];
    expect(decodeBatch(encodeMints(3n, calls)!)).toEqual({
      epoch: 3n,
      calls,
    });
    expect(decodeBatch(encodeExecution(3n, calls))).toEqual({
      epoch: 3n,
      calls,
    });
    expect(findExecutedCall(encodeMints(3n, calls)!, 3n, 11n)).toEqual({
      target: COIN,
      data: calls[2]!.data,
      key: calls[2]!.key,
    });
    expect(findExecutedCall(encodeMints(3n, calls)!, 4n, 11n)).toBeNull();
    expect(findExecutedCall(encodeMints(3n, calls)!, 3n, 13n)).toBeNull();
  });

  test('are not told from calldata that the contract may read otherwise', () => {
    const calls = [coin(10n, 2n), coin(11n, 1_000n)];
    const [mints, execution] = [encodeMints(3n, calls)!, encodeExecution(3n, calls)];
    expect(findExecutedCall(execution, 3n, 11n)).toEqual({
      target: COIN,
      data: calls[1]!.data,
      key: calls[1]!.key,
    });
    const cut = mints.replace(/03e80{0,}$/, '') as Hex;
    const behind = `${execution}00` as Hex;
    for (const calldata of [cut, behind]) expect(findExecutedCall(calldata, 3n, 11n)).toBeNull();
    // The first one may fail, and the other one have its effect under the number.
    const twice = encodeExecution(3n, [...calls, art(11n)]);
    expect(findExecutedCall(twice, 3n, 11n)).toBeNull();
    expect(findExecutedCall(twice, 3n, 10n)).toEqual({
      target: COIN,
      data: calls[0]!.data,
      key: calls[0]!.key,
    });
  });

  test('of many tokens are named once each, up to 255', () => {
    const tokenOf = (index: number): Hex => `0x${(index + 1).toString(16).padStart(40, '0')}`;
    const spread = (count: number) =>
      Array.from({ length: count }, (_, index) => art(BigInt(index), { target: tokenOf(index) }));
    expect(decodeBatch(encodeMints(1n, spread(255))!)?.calls).toEqual(spread(255));
    expect(encodeMints(1n, spread(256))).toBeNull();
  });

  test.each([
    ['none', []],
    ['a lone one, which `execute` does for less', [art(1n)]],
    ['another function among them', [art(1n), art(2n, { data: ERC721.encodeFunctionData('pause') as Hex })]],
    ['two caps of one token', [art(1n), art(2n, { gasCap: 90_001 })]],
    ['numbers too far apart', [art(1n), art(65_537n)]],
    ['numbers too near to the end', [art(2n ** 64n - 1n), art(2n ** 64n - 2n)]],
    ['two functions of one token', [art(1n), coin(2n, 1n, { target: ART, gasCap: 90_000 })]],
  ])('are for `execute`: %s', (_, calls) => {
    expect(encodeMints(1n, calls)).toBeNull();
  });
});

test.each([
  ['an ERC-721 mint', encodeErc721Mint(HOLDER), { to: HOLDER, amount: null }],
  ['an ERC-20 mint', encodeErc20Mint(HOLDER, 7n), { to: HOLDER, amount: 7n }],
  ['one cut off', encodeErc20Mint(HOLDER, 7n).slice(0, -2) as Hex, null],
  ['one with more behind it', `${encodeErc721Mint(HOLDER)}00` as Hex, null],
  ['a recipient that is no address', encodeErc721Mint(HOLDER).replace('000', '001') as Hex, null],
  ['another function', ERC20.encodeFunctionData('transfer', [HOLDER, 7n]) as Hex, null],
  ['nothing', encodeErc721Mint(HOLDER).slice(0, 2) as Hex, null],
])('%s is read as what it is', (_, data, expected) => {
  expect(readMint(data)).toEqual(expected);
});

test('the results of a word are those of its bits, in their order', () => {
  const results: Hex = `0x${'0000c350'}${'0000000000000007'}${KEY_DIGITS}${'ffffffff'}${'ffffffffffffffff'}${'f'.repeat(16)}`;
  const dataOf = (mask: bigint) => OPERATOR.encodeEventLog('MintsExecuted', [0n, mask, results]).data as Hex;
  expect(readPackedResults(dataOf((1n << 3n) | (1n << 255n)))).toEqual([
    { bit: 3, gasUsed: 50_000n, returnData: `0x${'7'.padStart(64, '0')}`, key: KEY },
    {
      bit: 255,
      gasUsed: 2n ** 32n - 1n,
      returnData: `0x${'f'.repeat(16).padStart(64, '0')}`,
      key: 2n ** 64n - 1n,
    },
  ]);
  expect(() => readPackedResults(dataOf(7n))).toThrow('out of range');
});
