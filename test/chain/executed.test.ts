import { describe, expect, test } from '@jest/globals';
import { decodeExecuted } from '../../src/chain/abi/operator.ts';
import type { Log } from '../../src/chain/abi/operator.ts';
import { toHex } from '../../src/lib/hex.ts';
import type { Hex } from '../../src/lib/hex.ts';

const OPERATOR = `0x${'0a'.repeat(20)}` as const;
const STRANGER = `0x${'0b'.repeat(20)}` as const;
/** keccak256 of CallExecuted(uint256,uint256) and CallFailed(uint256,uint256,bytes). */
const EXECUTED = '0x0233e6c0efdd7e6d49e01d08a3443b09da34a1621d14fc70ebbdb2e49c9396c1';
const FAILED = '0x87f204386a7d80c14e78762706337960641c21547d00eccbe257c651645d237e';

const word = (value: bigint): string => value.toString(16).padStart(64, '0');
const executed = (address: Hex, intent: bigint, result: bigint): Log => ({
  address,
  topics: [EXECUTED, `0x${word(intent)}`],
  data: `0x${word(result)}`,
});
/** Data of CallFailed: gas, offset of the bytes, their length, the bytes. */
const failed = (address: Hex, intent: bigint, gasUsed: bigint, reason: Buffer): Log => ({
  address,
  topics: [FAILED, `0x${word(intent)}`],
  data: `0x${word(gasUsed)}${word(64n)}${word(BigInt(reason.length))}${reason.toString('hex').padEnd(64, '0')}`,
});

describe('the events of a receipt', () => {
  test('give the result of each intent', () => {
    const logs = [executed(OPERATOR, 7n, 42n), failed(OPERATOR, 8n, 30_000n, Buffer.from('c0ffee', 'hex'))];
    expect([...decodeExecuted(logs, OPERATOR)]).toEqual([
      [7n, { ok: true, gasUsed: 0n, returnData: `0x${word(42n)}` }],
      [8n, { ok: false, gasUsed: 30_000n, returnData: '0xc0ffee' }],
    ]);
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
      failed(OPERATOR, 8n, 30_000n, reason),
      executed(STRANGER, 8n, 1n),
      executed(OPERATOR, 7n, 42n),
      failed(STRANGER, 7n, 30_000n, reason),
    ];
    expect([...decodeExecuted(logs, OPERATOR)]).toEqual([
      [8n, { ok: false, gasUsed: 30_000n, returnData: '0xc0ffee' }],
      [7n, { ok: true, gasUsed: 0n, returnData: `0x${word(42n)}` }],
    ]);
  });

  test('are found whatever the case of the address', () => {
    const log: Log = { ...executed(OPERATOR, 7n, 42n), address: `0x${'0A'.repeat(20)}` };
    expect(decodeExecuted([log], OPERATOR).get(7n)?.ok).toBe(true);
  });

  test('other events of the Operator, and events without topics, are ignored', () => {
    const logs: Log[] = [
      { address: OPERATOR, topics: [`0x${'11'.repeat(32)}`], data: '0x' },
      { address: OPERATOR, topics: [], data: '0x' },
    ];
    expect(decodeExecuted(logs, OPERATOR).size).toBe(0);
  });
});
