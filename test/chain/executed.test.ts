import { describe, expect, test } from '@jest/globals';
import { id } from 'ethers';
import { decodeExecuted, executedTopics } from '../../src/chain/abi/operator.ts';
import type { Log } from '../../src/chain/abi/operator.ts';
import { toHex } from '../../src/lib/hex.ts';
import type { Hex } from '../../src/lib/hex.ts';

const ADDRESS = `0x${'0a'.repeat(20)}` as const;
const EPOCH = 3n;
const OPERATOR = { operator: ADDRESS, epoch: EPOCH };
const STRANGER = `0x${'0b'.repeat(20)}` as const;
/** keccak256 of CallExecuted(uint256,uint256,uint256) and CallFailed(uint256,uint256,bytes). */
const EXECUTED = '0x24bc3ac088b3023acb8f7de428c2d3a7d3214cd4810b73adeba24d6b442281a2';
const FAILED = '0x87f204386a7d80c14e78762706337960641c21547d00eccbe257c651645d237e';

/** keccak256 of MintsExecuted(uint256,uint256,bytes). */
const MINTS = id('MintsExecuted(uint256,uint256,bytes)') as Hex;
const ROWS = id('RowsExecuted(uint256,uint256,uint256,uint256,uint64)') as Hex;

/** That of a client, which stands above the gas. */
const KEY = 0x123456789abcdef0n;

const word = (value: bigint): string => value.toString(16).padStart(64, '0');
const inEpoch = (number: bigint, epoch = EPOCH): Hex => `0x${word((epoch << 64n) | number)}`;
const executed = (address: Hex, number: bigint, result: bigint, epoch = EPOCH): Log => ({
  address,
  topics: [EXECUTED, inEpoch(number, epoch)],
  data: `0x${word((KEY << 64n) | 50_000n)}${word(result)}`,
});
/** Data of CallFailed: gas, offset of the bytes, their length, the bytes. */
const failed = (address: Hex, number: bigint, gasUsed: bigint, reason: Buffer, epoch = EPOCH): Log => ({
  address,
  topics: [FAILED, inEpoch(number, epoch)],
  data: `0x${word(gasUsed)}${word(64n)}${word(BigInt(reason.length))}${reason.toString('hex').padEnd(64, '0')}`,
});

describe('the events of a receipt', () => {
  test('give the result of each intent', () => {
    const logs = [executed(ADDRESS, 7n, 42n), failed(ADDRESS, 8n, 30_000n, Buffer.from('c0ffee', 'hex'))];
    expect([...decodeExecuted(logs, OPERATOR)]).toEqual([
      [7n, { ok: true, gasUsed: 50_000n, returnData: `0x${word(42n)}` }],
      [8n, { ok: false, gasUsed: 30_000n, returnData: '0xc0ffee' }],
    ]);
  });

  test('of a number that stands twice give what the first call did', () => {
    const refused = failed(ADDRESS, 7n, 0n, Buffer.from('c0ffee', 'hex'));
    const success = [7n, { ok: true, gasUsed: 50_000n, returnData: `0x${word(42n)}` }];
    expect([...decodeExecuted([executed(ADDRESS, 7n, 42n), refused], OPERATOR)]).toEqual([success]);
    expect([...decodeExecuted([refused, executed(ADDRESS, 7n, 42n)], OPERATOR)]).toEqual([success]);
  });

  test('of another contract are ignored, even with the same topics', () => {
    const logs = [
      executed(STRANGER, 7n, 42n),
      failed(STRANGER, 8n, 30_000n, Buffer.alloc(0)),
      executed(toHex(Buffer.alloc(20)), 9n, 1n),
    ];
    expect(decodeExecuted(logs, OPERATOR).size).toBe(0);
  });

  test('of another contract do not change the results of the Operator’s events', () => {
    const reason = Buffer.from('c0ffee', 'hex');
    const logs = [
      executed(STRANGER, 8n, 1n),
      failed(ADDRESS, 8n, 30_000n, reason),
      executed(STRANGER, 8n, 1n),
      executed(ADDRESS, 7n, 42n),
      failed(STRANGER, 7n, 30_000n, reason),
    ];
    expect([...decodeExecuted(logs, OPERATOR)]).toEqual([
      [8n, { ok: false, gasUsed: 30_000n, returnData: '0xc0ffee' }],
      [7n, { ok: true, gasUsed: 50_000n, returnData: `0x${word(42n)}` }],
    ]);
  });

  test('of another epoch are ignored: there the same number is another intent', () => {
    const reason = Buffer.from('c0ffee', 'hex');
    const logs = [
      executed(ADDRESS, 7n, 42n, EPOCH - 1n),
      executed(ADDRESS, 8n, 42n, EPOCH + 1n),
      failed(ADDRESS, 9n, 30_000n, reason, 0n),
      executed(ADDRESS, 9n, 5n),
    ];
    expect([...decodeExecuted(logs, OPERATOR)]).toEqual([
      [9n, { ok: true, gasUsed: 50_000n, returnData: `0x${word(5n)}` }],
    ]);
    expect([...decodeExecuted(logs, { ...OPERATOR, epoch: EPOCH + 1n }).keys()]).toEqual([8n]);
  });

  test('are found whatever the case of the address', () => {
    const log: Log = { ...executed(ADDRESS, 7n, 42n), address: `0x${'0A'.repeat(20)}` };
    expect(decodeExecuted([log], OPERATOR).get(7n)?.ok).toBe(true);
  });

  test('other events of the Operator, and events without topics, are ignored', () => {
    const logs: Log[] = [
      { address: ADDRESS, topics: [`0x${'11'.repeat(32)}`], data: '0x' },
      { address: ADDRESS, topics: [], data: '0x' },
    ];
    expect(decodeExecuted(logs, OPERATOR).size).toBe(0);
  });

  test('give the results of several mints, which one event tells', () => {
    const key = '0123456789abcdef';
    const results = `${'0000c350'}${word(7n).slice(48)}${key}${'0000ea60'}${word(0n).slice(48)}${key}`;
    const minted = (address: Hex, epoch = EPOCH): Log => ({
      address,
      topics: [MINTS, `0x${word((epoch << 56n) | 2n)}`],
      data: `0x${word((1n << 1n) | (1n << 200n))}${word(64n)}${word(40n)}${results.padEnd(128, '0')}`,
    });
    const logs = [minted(STRANGER), executed(ADDRESS, 5n, 1n), minted(ADDRESS), minted(ADDRESS, 4n)];
    expect([...decodeExecuted(logs, OPERATOR)]).toEqual([
      [5n, { ok: true, gasUsed: 50_000n, returnData: `0x${word(1n)}` }],
      [513n, { ok: true, gasUsed: 50_000n, returnData: `0x${word(7n)}` }],
      [712n, { ok: true, gasUsed: 60_000n, returnData: `0x${word(0n)}` }],
    ]);
    expect([...decodeExecuted(logs, { ...OPERATOR, epoch: 4n }).keys()]).toEqual([513n, 712n]);
  });

  test('give the results of rows, which one event tells', () => {
    const done = (1n << 1n) | (1n << 200n);
    const rows = (first: bigint): Log => ({
      address: ADDRESS,
      topics: [ROWS, `0x${word((EPOCH << 56n) | 2n)}`],
      data: `0x${[done, 90_000n, first, KEY].map(word).join('')}`,
    });
    const resultsOf = (ids: [bigint, bigint]) =>
      [513n, 712n].map((number, index) => [
        number,
        { ok: true, gasUsed: 45_000n, returnData: `0x${word(ids[index]!)}` },
      ]);
    expect([...decodeExecuted([rows(7n)], OPERATOR)]).toEqual(resultsOf([7n, 8n]));
    expect([...decodeExecuted([rows(0n)], OPERATOR)]).toEqual(resultsOf([0n, 0n]));
  });

  test('are searched for by the topics of all events of a success', () => {
    expect(executedTopics(EPOCH, 513n)).toEqual([
      [EXECUTED, MINTS, ROWS],
      [inEpoch(513n), `0x${word((EPOCH << 56n) | 2n)}`],
    ]);
  });
});
