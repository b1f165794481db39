import { describe, expect, test } from '@jest/globals';
import { Interface, id, toBeHex, zeroPadValue } from 'ethers';
import fc from 'fast-check';
import { managedErc20Abi, managedErc721Abi, operatorAbi } from '../../generated/contracts.ts';
import { decodeCall, decodeError, decodeEvent } from '../../src/chain/abi/decode.ts';
import type { Decoded, Value } from '../../src/chain/abi/decode.ts';
import { toHex } from '../../src/lib/hex.ts';
import type { Hex } from '../../src/lib/hex.ts';

const TO = `0x${'ab'.repeat(20)}` as const;
const erc721 = new Interface(managedErc721Abi);
const operator = new Interface(operatorAbi);
const word = (value: number): Hex => zeroPadValue(toBeHex(value), 32) as Hex;
const hex = (text: string): Hex => `0x${Buffer.from(text).toString('hex')}`;

/** Values without their kinds and names. */
const plain = ({ fields }: Pick<Decoded, 'fields'>): unknown[] =>
  fields.map(({ value }) => plainValue(value));

function plainValue(value: Value): unknown {
  if (value.kind === 'list') return value.items.map(plainValue);
  return value.kind === 'fields' ? plain(value) : value.value;
}

describe('calls, events and errors of our contracts', () => {
  test('every function and every error is known by name', () => {
    for (const abi of [operatorAbi, managedErc20Abi, managedErc721Abi]) {
      new Interface(abi).forEachError((fragment) => {
        if (fragment.inputs.length === 0) {
          expect(decodeError(fragment.selector as Hex)).toEqual({ name: fragment.name, fields: [] });
        }
      });
    }
    expect(decodeCall(erc721.encodeFunctionData('mint', [TO]) as Hex)).toEqual({
      name: 'mint',
      fields: [{ name: 'to', value: { kind: 'address', value: TO } }],
    });
    expect(decodeError(operator.encodeErrorResult('IntentAlreadyDone', [7n]) as Hex)).toEqual({
      name: 'IntentAlreadyDone',
      fields: [{ name: 'intent', value: { kind: 'number', value: 7n } }],
    });
    expect(decodeError(`0x4e487b71${word(17).slice(2)}`)).toMatchObject({ name: 'Panic' });
  });

  test('metadata is decoded as text, whatever its type in the ABI', () => {
    const data = erc721.encodeFunctionData('setMetadata', [3n, [['name', hex('Pier'), 0n]]]) as Hex;
    expect(decodeCall(data)?.fields[1]!.value).toEqual({
      kind: 'list',
      count: 1,
      items: [
        {
          kind: 'fields',
          fields: [
            { name: 'key', value: { kind: 'text', value: hex('name') } },
            { name: 'value', value: { kind: 'text', value: hex('Pier') } },
            { name: 'kind', value: { kind: 'number', value: 0n } },
          ],
        },
      ],
    });
  });

  test('the two Transfer events are distinguished by their topics', () => {
    const topics = [id('Transfer(address,address,uint256)') as Hex, word(0), zeroPadValue(TO, 32) as Hex];
    const names = (event: ReturnType<typeof decodeEvent>) => event?.fields.map(({ name }) => name);
    expect(names(decodeEvent({ address: TO, topics, data: word(5) }))).toEqual(['from', 'to', 'value']);
    expect(names(decodeEvent({ address: TO, topics: [...topics, word(5)], data: '0x' }))).toEqual([
      'from',
      'to',
      'tokenId',
    ]);
  });

  test('text that is not UTF-8 is decoded as bytes', () => {
    const raw = new Interface(['error Error(bytes reason)']).encodeErrorResult('Error', ['0xff00fe']);
    expect(decodeError(`0x08c379a0${raw.slice(10)}`)).toEqual({
      name: 'Error',
      fields: [{ name: 'reason', value: { kind: 'text', value: '0xff00fe' } }],
    });
  });

  test('truncated, invalid and foreign data is null', () => {
    const mint = erc721.encodeFunctionData('mint', [TO]);
    for (const data of ['0x', '0x12345678', mint.slice(0, -2), mint.slice(0, 10)]) {
      expect(decodeCall(data as Hex)).toBeNull();
    }
    expect(decodeEvent({ address: TO, topics: [], data: '0x' })).toBeNull();
    const failed = operator.getEvent('CallFailed')!.topicHash as Hex;
    expect(decodeEvent({ address: TO, topics: [failed, word(1)], data: word(1) })).toBeNull();
  });

  test('what ethers encodes is decoded to the same values', () => {
    const bytes = fc.uint8Array({ maxLength: 70 }).map((array) => toHex(array));
    const address = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((array) => toHex(array));
    const number = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });
    const key = fc.string({ unit: 'grapheme', maxLength: 40 });
    const entries = fc.array(fc.tuple(key, bytes, fc.bigInt({ min: 0n, max: 255n })), { maxLength: 5 });
    const items = fc.array(fc.tuple(address, entries), { maxLength: 6 });
    const short = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
    const epochs = fc.bigInt({ min: 0n, max: 2n ** 48n - 1n });
    const calls = fc.array(fc.tuple(address, short, number, bytes), { maxLength: 6 });
    const entryOf = ([name, value, kind]: readonly [string, Hex, bigint]) => [hex(name), value, kind];
    fc.assert(
      fc.property(items, epochs, calls, (mints, epoch, executions) => {
        const batch = decodeCall(erc721.encodeFunctionData('mintBatch', [mints]) as Hex);
        expect(plain(batch!)).toEqual([mints.map(([to, layout]) => [to, layout.map(entryOf)])]);
        const execute = decodeCall(operator.encodeFunctionData('execute', [epoch, executions]) as Hex);
        expect(plain(execute!)).toEqual([epoch, executions]);
      }),
      { numRuns: 200 },
    );
  });

  test('of a long list only the beginning is decoded, quickly', () => {
    const call = [TO, 90_000n, 1n, erc721.encodeFunctionData('mint', [TO])];
    const calls = Array.from({ length: 2_000 }, () => call);
    const data = operator.encodeFunctionData('execute', [1n, calls]) as Hex;
    const before = process.cpuUsage();
    const value = decodeCall(data)!.fields[1]!.value;
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(1_000);
    expect(value).toMatchObject({ kind: 'list', count: 2_000 });
    expect((value as Value & { kind: 'list' }).items).toHaveLength(100);
  });

  test('data whose offsets share one place is not expanded beyond a limit', () => {
    const { selector } = erc721.getFunction('setMetadata')!;
    /** Entries that all lie in the same place. */
    const layoutOf = (count: number): Hex => {
      const entry = [word(96), word(128), word(0), word(0), word(20_000), '00'.repeat(20_000)];
      const offsets = Array.from({ length: count }, () => word(32 * count));
      const words = [word(1), word(64), word(count), ...offsets, ...entry];
      return `${selector}${words.map((part) => part.replace('0x', '')).join('')}` as Hex;
    };
    expect(decodeCall(layoutOf(1))).not.toBeNull();
    expect(decodeCall(layoutOf(100))).toBeNull();
  });

  test('it never throws, whatever the bytes', () => {
    const names = ['mintBatch', 'setMetadata', 'mintWithMetadata'];
    const selectors = [
      ...names.map((name) => erc721.getFunction(name)!.selector),
      operator.getFunction('execute')!.selector,
    ];
    const topics = ['MetadataSet', 'ContractMetadataUpdated'].map(
      (name) => erc721.getEvent(name)!.topicHash as Hex,
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...selectors),
        fc.constantFrom(...topics),
        fc.array(fc.oneof(fc.constantFrom(0, 1, 32, 64, 96), fc.nat()), { maxLength: 12 }),
        (selector, topic, words) => {
          const body = words.map((value) => word(value).slice(2)).join('');
          expect(() => decodeCall(`${selector}${body}` as Hex)).not.toThrow();
          const log = { address: TO, topics: [topic, word(1), word(2)], data: `0x${body}` as const };
          expect(() => decodeEvent(log)).not.toThrow();
        },
      ),
      { numRuns: 500 },
    );
  });
});
