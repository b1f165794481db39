import { describe, expect, test } from '@jest/globals';
import type { FunctionFragment } from 'ethers';
import fc from 'fast-check';
import { numberWord } from '../../src/chain/abi/entries.ts';
import { EXECUTE, encodeExecution } from '../../src/chain/abi/execution.ts';
import type { OperatorCall } from '../../src/chain/abi/execution.ts';
import { INTERFACES, OPERATOR } from '../../src/chain/abi/interfaces.ts';
import { EXECUTE_MINTS, encodeMints } from '../../src/chain/abi/mint-list.ts';
import { encodeErc20Mint, encodeErc721Mint } from '../../src/chain/abi/mint.ts';
import { findExecutedCall } from '../../src/chain/abi/operator.ts';
import { decodeTransaction, withoutForeign } from '../../src/features/explorer/decode-transaction.ts';
import type { Hex } from '../../src/lib/hex.ts';

/* What somebody with the key of an executor, or anybody who lets a transaction revert, may write. */

const ART: Hex = `0x${'a1'.repeat(20)}`;
const COIN: Hex = `0x${'c0'.repeat(20)}`;
const HOLDER: Hex = `0x${'1b'.repeat(20)}`;
const [FORMER, CURRENT] = [`0x${'01'.repeat(20)}`, `0x${'02'.repeat(20)}`] as const;

const CALLS: OperatorCall[] = [
  { target: ART, gasCap: 90_000, number: 10n, key: 5n, data: encodeErc721Mint(HOLDER) },
  { target: COIN, gasCap: 70_000, number: 11n, key: 6n, data: encodeErc20Mint(HOLDER, 2n) },
];
const EXECUTION = encodeExecution(3n, CALLS);
const MINTS = encodeMints(3n, CALLS)!;
const find = (calldata: Hex): ReturnType<typeof findExecutedCall> => findExecutedCall(calldata, 3n, 10n);

/** Replaces a word of calldata, counted from behind the selector. */
function withWord(calldata: Hex, index: number, word: string): Hex {
  const at = 10 + 64 * index;
  return `${calldata.slice(0, at)}${word}${calldata.slice(at + 64)}` as Hex;
}

/** Replaces bytes of the list of `MINTS`. */
function withList(at: number, bytes: string): Hex {
  const start = 10 + 64 * 5 + 2 * at;
  return `${MINTS.slice(0, start)}${bytes}${MINTS.slice(start + bytes.length)}` as Hex;
}

describe('what the Operator did is not told from calldata', () => {
  test('unless it is as written', () => {
    const call = { target: ART, data: CALLS[0]!.data, key: CALLS[0]!.key };
    expect([find(EXECUTION), find(MINTS)]).toEqual([call, call]);
  });

  // Epoch, offset, length, two offsets, then the first call: target, gas cap, number.
  test.each([
    ['bits above an address', withWord(EXECUTION, 5, `${'0'.repeat(23)}1${ART.slice(2)}`)],
    ['a gas cap of 33 bits', withWord(EXECUTION, 6, numberWord(2n ** 32n))],
    ['a gas cap of 256 bits', withWord(EXECUTION, 6, 'f'.repeat(64))],
    ['a key of 65 bits', withWord(EXECUTION, 7, numberWord(2n ** 128n + 10n))],
    ['the same number under another key', withWord(EXECUTION, 14, numberWord(2n ** 64n + 10n))],
    ['bits above the epoch', withWord(EXECUTION, 0, numberWord(2n ** 48n + 3n))],
    [
      'an element that lies in the place of another one',
      withWord(EXECUTION, 4, EXECUTION.slice(10 + 64 * 3, 10 + 64 * 4)),
    ],
    ['bits above the epoch of mints', withWord(MINTS, 0, numberWord(2n ** 48n + 3n))],
    ['a first number of 65 bits', withWord(MINTS, 1, numberWord(2n ** 64n + 10n))],
    ['bits above the first number', withWord(MINTS, 1, numberWord(2n ** 144n + 10n))],
    ['fewer mints than in the list', withWord(MINTS, 2, numberWord(1n))],
    ['more mints than in the list', withWord(MINTS, 2, numberWord(3n))],
    ['more mints than anybody can count', withWord(MINTS, 2, numberWord(2n ** 72n - 1n))],
    ['a shorter list', withWord(MINTS, 4, numberWord(1n + 50n + 62n))],
    ['a longer list', withWord(MINTS, 4, numberWord(1n + 50n + 63n + 1n))],
    ['no tokens', withList(0, '00')],
    ['more tokens', withList(0, '03')],
    ['the most tokens', withList(0, 'ff')],
    ['amounts of 33 bytes', withList(50, '21')],
    ['amounts of 255 bytes', withList(50, 'ff')],
    ['a token that is not there', withList(51, '02')],
    ['the same number twice', withList(51 + 31 + 1, '0000')],
    ['something behind it', `${MINTS}00`],
    ['nothing but a selector', MINTS.slice(0, 10) as Hex],
  ] as [string, Hex][])('with %s', (_, calldata) => {
    expect([EXECUTION, MINTS]).not.toContain(calldata);
    expect(find(calldata)).toBeNull();
  });

  test('of another function, whose words are the same', () => {
    expect(find(`0x12345678${EXECUTION.slice(10)}`)).toBeNull();
  });

  test('and no bytes stop the one who reads them', () => {
    const words = fc.array(
      fc.constantFrom(
        '0'.repeat(64),
        'f'.repeat(64),
        ...[1, 32, 64, 128, 2 ** 40].map((value) => numberWord(value)),
      ),
      {
        maxLength: 14,
      },
    );
    const selector = fc.constantFrom(EXECUTE.selector, EXECUTE_MINTS.selector);
    const place = fc.nat(20);
    fc.assert(
      fc.property(
        selector,
        words,
        fc.constantFrom(EXECUTION, MINTS),
        place,
        (head, body, calldata, index) => {
          expect(find(`${head}${body.join('')}` as Hex)).toBeNull();
          for (const word of body) find(withWord(calldata, index, word));
        },
      ),
      { numRuns: 500 },
    );
  });
});

test('many calls that are one large call in the calldata are not decoded', () => {
  const offsets = 300;
  const data = 'ab'.repeat(96_000);
  const head = [3, 64, offsets].map((value) => numberWord(value));
  const call = [numberWord(BigInt(ART)), ...[90_000, 10, 128, 96_000].map((value) => numberWord(value))];
  const words = [...head, ...Array<string>(offsets).fill(numberWord(32 * offsets)), ...call, data];
  const before = process.cpuUsage();
  expect(find(`${EXECUTE.selector}${words.join('')}` as Hex)).toBeNull();
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(1_000);
});

test('no two functions of our contracts share a selector', () => {
  const signatures = new Map<string, Set<string>>();
  const add = (fragment: FunctionFragment): void =>
    void signatures.set(
      fragment.selector,
      (signatures.get(fragment.selector) ?? new Set()).add(fragment.format()),
    );
  for (const abi of INTERFACES) abi.forEachFunction(add);
  expect([...signatures.values()].filter(({ size }) => size > 1)).toEqual([]);
  expect(signatures.size).toBeGreaterThan(100);
});

describe('the explorer', () => {
  const decode = (to: Hex, input: Hex) => decodeTransaction({ to, input }, [], [CURRENT, FORMER]);

  test('shows the calls of a batch of each Operator, and none of another contract', () => {
    for (const [to, input] of [
      [FORMER, EXECUTION],
      [FORMER, MINTS],
      [CURRENT, EXECUTION],
      [CURRENT, MINTS],
    ] as const) {
      const { executions, calls } = decode(to, input);
      expect(executions.shown.map(({ target, intent, epoch }) => ({ target, intent, epoch }))).toEqual([
        { target: ART, intent: 10n, epoch: 3n },
        { target: COIN, intent: 11n, epoch: 3n },
      ]);
      expect(calls).toEqual([]);
    }
    for (const input of [EXECUTION, MINTS]) {
      const selector = input.slice(0, 10);
      const decoded = decode(ART, input);
      expect(decoded).toMatchObject({ executions: { count: 0 }, calls: [{ target: ART, selector }] });
      expect(withoutForeign(decoded, () => false).calls).toEqual([{ target: ART, selector, call: null }]);
    }
  });

  test('shows no amounts of more than a word, of which the contract takes none', () => {
    const amount = 'ff'.repeat(33);
    const list = `0x01${COIN.slice(2)}0001117021000000${'0'.repeat(16)}${HOLDER.slice(2)}${amount}`;
    const input = OPERATOR.encodeFunctionData('executeMints', [3n, 10n, 1n, list]) as Hex;
    expect(decode(CURRENT, input).executions.count).toBe(0);
    const narrow = list.replace('7021', '7020').replace(amount, amount.slice(2));
    const written = OPERATOR.encodeFunctionData('executeMints', [3n, 10n, 1n, narrow]) as Hex;
    expect(decode(CURRENT, written).executions.count).toBe(1);
  });

  test('counts no mints that are not in the list, however many are said to be', () => {
    const before = process.cpuUsage();
    expect(decode(CURRENT, withWord(MINTS, 2, numberWord(2n ** 30n))).executions).toEqual({
      shown: [],
      count: 0,
    });
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(1_000);
  });
});
