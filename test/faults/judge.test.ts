import { describe, expect, test } from '@jest/globals';
import { findDisorder } from './disorder.ts';
import type { ReportedCall } from './operator-events.ts';

const CONTRACT = `0x${'ab'.repeat(20)}`;

const success = (number: bigint): ReportedCall => ({
  ...{ number, ok: true, used: 30_000, result: 0n, transaction: '0x01' },
});
const intentsOf = (kinds: Record<string, string>, contractOf: (number: string) => string = () => CONTRACT) =>
  new Map(
    Object.entries(kinds).map(([number, kind]) => [BigInt(number), { kind, contract: contractOf(number) }]),
  );

describe('the order of a contract', () => {
  const controls = intentsOf({ 1: 'pause', 2: 'set_metadata', 3: 'unpause' });
  const done = (...numbers: bigint[]): ReportedCall[] => numbers.map(success);

  test('a control or metadata behind a later one is a flaw', () => {
    expect(findDisorder(done(2n, 1n, 3n), controls)).toEqual([`pause 1 of ${CONTRACT} was done after 2`]);
    expect(findDisorder(done(3n, 1n, 2n), controls)).toHaveLength(2);
  });

  test.each([
    ['controls and metadata in their order', done(1n, 2n, 3n), controls],
    ['one that was left out', done(1n, 3n), controls],
    ['a mint behind a later control', done(2n, 1n), intentsOf({ 1: 'mint', 2: 'pause' })],
    ['a control behind a later deployment', done(2n, 1n), intentsOf({ 1: 'pause', 2: 'deploy_token' })],
    ['two contracts', done(2n, 1n), intentsOf({ 1: 'pause', 2: 'pause' }, (number) => number)],
    ['a failure between successes', [success(1n), { ...success(3n), ok: false }, success(2n)], controls],
    ['numbers that the books do not have', done(9n, 8n), controls],
  ])('%s: none', (_name, calls, intents) => {
    expect(findDisorder(calls, intents)).toEqual([]);
  });
});
