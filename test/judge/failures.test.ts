import { describe, expect, test } from '@jest/globals';
import type { FaultWindow } from '../../lab/judge/history.ts';
import type { Draft } from './sound-run.ts';
import {
  CONTRACT,
  UNREACHABLE,
  carryOut,
  fail,
  findingsOf,
  recipientOf,
  set,
  soundRun,
} from './sound-run.ts';

const NO_FAULT = { kind: 'a fault', stops: null, cuts: [], allows: [] };
const away = (from: number, to: number, endpoint: string | null = null): FaultWindow => ({
  ...{ ...NO_FAULT, from, to },
  cuts: [{ engine: null, endpoint, isWhole: true }],
});

/** The first mint was asked for at 1 s and known to be queued until 20 s, and had failed by 30 s. */
function failLate(run: Draft): void {
  const [wish] = run.wishes as [Draft['wishes'][number]];
  fail(run, wish, UNREACHABLE);
  const [{ intent }] = wish.reads as [Draft['wishes'][number]['reads'][number]];
  Object.assign(wish.answers[0]!, { askedAt: 29_000, at: 30_000 });
  const queued = { ...intent, status: 'queued', error: null } as const;
  wish.reads = [
    { askedAt: 20_000, at: 20_010, intent: queued },
    { askedAt: 31_000, at: 31_010, intent },
  ];
}

describe('a write that no endpoint was there for', () => {
  test.each([
    ['may fail when all were away for ten seconds before', [away(15_000, 40_000)], true],
    ['may fail at the end of such a time', [away(5_000, 19_000)], true],
    ['may not fail in the tenth second', [away(20_500, 40_000)], false],
    ['may not fail when the time was shorter', [away(18_000, 27_000)], false],
    ['may not fail long after such a time', [away(0, 14_000)], false],
    ['may not fail for such a time that came later', [away(31_000, 50_000)], false],
    ['may not fail while one of two endpoints answers', [away(10_000, 40_000, 'http://node-1')], false],
    [
      'may fail while two faults keep it from both',
      [away(10_000, 40_000, 'http://node-1'), away(9_000, 40_000, 'http://node-2')],
      true,
    ],
    [
      'may not fail when some calls get through',
      [{ ...away(10_000, 40_000), cuts: [{ engine: null, endpoint: null, isWhole: false }] }],
      false,
    ],
  ])('%s', (_, faults, isExcused) => {
    const run = soundRun();
    failLate(run);
    run.faults = faults;
    expect(findingsOf(run)).toEqual(isExcused ? [] : ['false failure: key-1']);
  });

  test.each([
    ['has an endpoint', []],
    ['gets every answer late', [{ engine: null, endpoint: null, isWhole: false }]],
  ])('may not fail while another engine %s, but when that one does not run', (_, others) => {
    const run = soundRun();
    failLate(run);
    run.engines.push({ name: 'engine-2', signer: 'one' });
    const cuts = [{ engine: 'engine-1', endpoint: null, isWhole: true }, ...others];
    run.faults = [{ ...away(10_000, 40_000), cuts }];
    expect(findingsOf(run)).toEqual(['false failure: key-1']);
    run.faults.push({ ...NO_FAULT, from: 12_000, to: 40_000, stops: 'engine-2' });
    expect(findingsOf(run)).toEqual([]);
  });

  test('may not fail once it was signed', () => {
    const run = soundRun();
    failLate(run);
    run.faults = [away(15_000, 40_000)];
    run.wishes[0]!.reads[0]!.intent.status = 'submitted';
    expect(findingsOf(run)).toEqual(['false failure: key-1']);
  });

  test('fails with the code of its kind', () => {
    const run = soundRun();
    failLate(run);
    run.faults = [away(15_000, 40_000)];
    const error = { ...UNREACHABLE, code: 'DEPLOY_UNAVAILABLE' };
    run.wishes[0]!.answers[0]!.body = error;
    run.wishes[0]!.reads[1]!.intent.error = error;
    expect(findingsOf(run)).toContain('false failure: key-1');
  });

  test('with a silence of a tenth of that fails falsely', () => {
    const run = soundRun();
    for (const wish of run.wishes) fail(run, wish, UNREACHABLE);
    run.faults = [away(0, 3_000)];
    expect(findingsOf(run)).toEqual(run.wishes.map(({ key }) => `false failure: ${key}`));
  });
});

describe('a revert', () => {
  const paused = { code: 'CHAIN_ERROR', message: 'The call reverted: TokenPaused()' };

  test('is right while the token may be paused, and false when nobody asked for that or it was over', () => {
    const run = soundRun();
    const mint = run.wishes[5]!;
    fail(run, mint, paused);
    expect(findingsOf(run)).toEqual(['false failure: key-6']);
    const pause = set(run, 'paused', 'true');
    pause.askedAt = mint.askedAt;
    expect(findingsOf(run)).toEqual([]);
    set(run, 'paused', 'false');
    expect(findingsOf(run)).toEqual([]);
    const late = carryOut(run, 'mintToken', {
      kind: 'mint',
      contract: CONTRACT,
      to: recipientOf(9),
      amount: 1n,
    });
    expect(findingsOf(run)).toEqual([]);
    fail(run, late, paused);
    expect(findingsOf(run)).toEqual(['false failure: key-9']);
  });

  test('for a frozen recipient needs that somebody froze that one', () => {
    const run = soundRun(0);
    set(run, `frozen ${recipientOf(3)}`, 'true');
    for (const to of [recipientOf(2), recipientOf(3)]) {
      const mint = carryOut(run, 'mintToken', { kind: 'mint', contract: CONTRACT, to, amount: 1n });
      fail(run, mint, { code: 'CHAIN_ERROR', message: 'The call reverted: AccountFrozen()' });
    }
    expect(findingsOf(run)).toEqual(['false failure: key-2']);
  });

  test('by a recipient who refuses every token is right, and false for another reason', () => {
    const run = soundRun();
    const [mint] = run.wishes as [Draft['wishes'][number]];
    const refused = { code: 'CHAIN_ERROR', message: 'The call reverted: Error(not today)' };
    fail(run, mint, refused);
    expect(findingsOf(run)).toEqual(['false failure: key-1']);
    mint.refusal = 'not today';
    expect(findingsOf(run)).toEqual([]);
    mint.refusal = 'never';
    expect(findingsOf(run)).toEqual(['false failure: key-1']);
  });

  test('for a missing approval is a refusal of the request, until the account is approved', () => {
    const run = soundRun(1);
    const unapproved = { code: 'VALIDATION_ERROR', message: 'The account is not approved for this token.' };
    fail(run, run.wishes[0]!, unapproved, 422);
    expect(findingsOf(run)).toEqual([]);
    set(run, `approved ${recipientOf(8)}`, 'true');
    const effect = { kind: 'mint', contract: CONTRACT, to: recipientOf(8), amount: 1n } as const;
    fail(run, carryOut(run, 'mintToken', effect), unapproved, 422);
    expect(findingsOf(run)).toEqual(['false failure: key-3']);
  });
});

describe('a refusal without an intent', () => {
  const refusal = (code: string, message = 'No.') => ({
    ...{ askedAt: 1_100, at: 1_200, status: 500, intentId: null },
    body: { code, message },
  });

  test('is false, though the request is accepted later, unless the fault allows it at that time', () => {
    const run = soundRun();
    const [wish] = run.wishes as [Draft['wishes'][number]];
    wish.sendings = 2;
    wish.answers.unshift(refusal('INTERNAL_ERROR'));
    expect(findingsOf(run)).toEqual(['false failure: key-1']);
    const failover = { ...NO_FAULT, from: 0, to: 1_150, allows: [{ code: 'INTERNAL_ERROR' }] };
    expect(findingsOf({ ...run, faults: [failover] })).toEqual([]);
    expect(findingsOf({ ...run, faults: [{ ...failover, from: 1_300, to: 2_000 }] })).toHaveLength(1);
    expect(findingsOf({ ...run, faults: [{ ...failover, allows: [{ code: 'NOT_READY' }] }] })).toHaveLength(
      1,
    );
    const allows = [{ code: 'INTERNAL_ERROR', says: 'another sentence' }];
    expect(findingsOf({ ...run, faults: [{ ...failover, allows }] })).toHaveLength(1);
  });

  test('may come 15 s later, and after a time as well in which no endpoint could be used', () => {
    const run = soundRun();
    const [wish] = run.wishes as [Draft['wishes'][number]];
    wish.sendings = 2;
    wish.answers.push({ ...refusal('INTERNAL_ERROR'), askedAt: 30_000, at: 30_100 });
    const fault = (to: number) => ({ ...NO_FAULT, from: 0, to, allows: [{ code: 'INTERNAL_ERROR' }] });
    const findings = (...faults: FaultWindow[]): string[] => findingsOf({ ...run, faults });
    expect(findings(fault(15_000))).toEqual([]);
    expect(findings(fault(14_000))).toEqual(['false failure: key-1']);
    expect(findings(fault(14_000), away(16_000, 18_000))).toEqual([]);
    expect(findings(fault(14_000), away(16_000, 18_000, 'http://node-1'))).toEqual(['false failure: key-1']);
  });

  test('is right for a token whose deployment a reorg has taken, until it is there again', () => {
    const run = soundRun(0);
    carryOut(run, 'deployToken', { kind: 'deploy', symbol: 'ONE' });
    const mint = carryOut(run, 'mintToken', {
      kind: 'mint',
      contract: CONTRACT,
      to: recipientOf(1),
      amount: 1n,
    });
    Object.assign(mint, { askedAt: 60_000, sendings: 2 });
    mint.answers.unshift({ ...refusal('NOT_FOUND'), status: 404, askedAt: 60_000, at: 60_100 });
    expect(findingsOf(run)).toEqual(['false failure: key-2']);
    const fork = { ...NO_FAULT, from: 50_000, to: 59_000, allows: [{ code: 'OTHER_FORK' }] };
    expect(findingsOf({ ...run, faults: [fork] })).toEqual([]);
    // The service may believe the fork until what is final is elsewhere for a while.
    expect(findingsOf({ ...run, faults: [{ ...fork, from: 20_000, to: 30_000 }] })).toEqual([]);
    expect(findingsOf({ ...run, faults: [{ ...fork, from: -40_000, to: -30_000 }] })).not.toEqual([]);
    const [block] = run.blocks as [(typeof run.blocks)[number]];
    block.to = 30_000;
    run.blocks.push({ ...block, from: 50_000, to: null });
    expect(findingsOf(run)).toEqual([]);
    run.blocks.at(-1)!.from = 40_000;
    expect(findingsOf(run)).toEqual(['false failure: key-2']);
  });

  test('is right when the same request is still being accepted', () => {
    const run = soundRun();
    const [wish] = run.wishes as [Draft['wishes'][number]];
    wish.answers.unshift(refusal('CONFLICT'));
    expect(findingsOf(run)).toEqual(['false failure: key-1']);
    wish.sendings = 2;
    expect(findingsOf(run)).toEqual([]);
  });
});
