import { describe, expect, test } from '@jest/globals';
import type { BookedIntent } from './books.ts';
import { findDisorder } from './disorder.ts';
import { countGasErrors } from './gas-errors.ts';
import { byIntent } from './operator-events.ts';
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

describe('the gas of a failure', () => {
  const FAILED: BookedIntent = {
    ...{ number: 1n, id: 'one', kind: 'mint', contract: CONTRACT, status: 'failed', sent: true, final: true },
    ...{ units: 1, gas: 0, transaction: '0x01' },
  };
  const failure: ReportedCall = { ...success(1n), ok: false };
  const count = (intent: Partial<BookedIntent>, ...calls: ReportedCall[]): Promise<number> =>
    countGasErrors([{ ...FAILED, ...intent }], byIntent(calls), async () => 80_000);

  test('is charged when the books name its transaction', async () => {
    expect(await count({}, failure)).toBe(1);
    expect(await count({ gas: 20_000 }, failure)).toBe(1);
    expect(await count({ gas: 50_000 }, failure)).toBe(0);
  });

  test('is charged when the Operator refused the call, which used nothing itself', async () => {
    expect(await count({}, { ...failure, used: 0 })).toBe(1);
    expect(await count({ gas: 25_000 }, { ...failure, used: 0 })).toBe(0);
  });

  test('is not charged when it failed unsent later', async () => {
    expect(await count({ transaction: null }, failure)).toBe(0);
    expect(await count({ transaction: '0x02' }, failure)).toBe(0);
  });

  test('is not charged to a success that stays within its own', async () => {
    expect(await count({ status: 'confirmed' }, failure, success(1n))).toBe(0);
  });
});
