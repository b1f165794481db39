import { describe, expect, test } from '@jest/globals';
import type { RunHistory, Wish } from '../../lab/simulation/history.ts';
import { judge } from '../../lab/simulation/judge.ts';

const ACCOUNT = 'account';
const CONTRACT = '0x00000000000000000000000000000000000000aa';
const FAILURE = { code: 'CHAIN_ERROR', message: 'The chain refused it.' };

const hashOf = (index: number): string => `0x${String(index).padStart(64, '0')}`;
const recipientOf = (index: number): string => `0x${String(index).padStart(40, '0')}`;
const effectOf = (index: number) =>
  ({ kind: 'mint', contract: CONTRACT, to: recipientOf(index), amount: 5n }) as const;

function wishOf(index: number): Wish {
  const transaction = { hash: hashOf(index) };
  return {
    key: `key-${index}`,
    account: ACCOUNT,
    operation: 'mintToken',
    effect: effectOf(index),
    askedAt: 0,
    answers: [{ at: 10, status: 200, body: { success: true }, intentId: `intent-${index}` }],
    reads: [{ at: 20, intent: { id: `intent-${index}`, status: 'confirmed', transaction, error: null } }],
  };
}

const messageOf = (index: number, type = 'intent.confirmed', sequence = 1) => ({
  receiver: '/0',
  at: 15,
  headers: {},
  body: JSON.stringify({ type, sequence, data: { id: `intent-${index}` } }),
});

/** A run of six mints in which everything went well. */
function goodRun(): RunHistory & { wishes: Wish[] } {
  const places = [1, 2, 3, 4, 5, 6];
  return {
    wishes: places.map(wishOf),
    effects: places.map((index) => ({
      effect: effectOf(index),
      transactionHash: hashOf(index),
      block: index,
    })),
    received: places.map((index) => messageOf(index)),
    stats: [{ account: ACCOUNT, mintsUsed: 6 }],
    faults: [],
    receivers: { '/0': ACCOUNT },
  };
}

const rulesOf = (history: RunHistory): string[] => judge(history).map(({ rule }) => rule);

/** As the service would tell of a mint that failed. */
function fail(wish: Wish): void {
  wish.answers = [{ at: 10, status: 502, body: FAILURE, intentId: wish.answers[0]!.intentId }];
  wish.reads = [
    { at: 20, intent: { ...wish.reads[0]!.intent, status: 'failed', transaction: null, error: FAILURE } },
  ];
}

describe('the judge', () => {
  test('finds nothing where everything went well', () => {
    expect(judge(goodRun())).toEqual([]);
  });

  test('finds every third mint that failed without a reason and without an effect', () => {
    const run = goodRun();
    const failed = [3, 6];
    for (const index of failed) fail(run.wishes[index - 1]!);
    const history = {
      ...run,
      effects: run.effects.filter(({ block }) => !failed.includes(block)),
      received: run.wishes.map((_, place) =>
        messageOf(place + 1, failed.includes(place + 1) ? 'intent.failed' : 'intent.confirmed'),
      ),
      stats: [{ account: ACCOUNT, mintsUsed: 4 }],
    };
    expect(rulesOf(history)).toEqual(['false failure', 'false failure']);
  });

  test('lets a request fail that nobody could send, and only then', () => {
    const run = goodRun();
    fail(run.wishes[0]!);
    const history = {
      ...run,
      effects: run.effects.slice(1),
      received: [messageOf(1, 'intent.failed'), ...run.received.slice(1)],
      stats: [{ account: ACCOUNT, mintsUsed: 5 }],
    };
    const outOfReach = (to: number) => [{ kind: 'out of reach', from: 0, to }];
    expect(rulesOf({ ...history, faults: outOfReach(12_000) })).toEqual([]);
    expect(rulesOf({ ...history, faults: outOfReach(9_000) })).toEqual(['false failure']);
  });

  test('finds a key with two effects', () => {
    const run = goodRun();
    const again = { ...run.effects[1]!, transactionHash: hashOf(9) };
    expect(rulesOf({ ...run, effects: [...run.effects, again] })).toEqual(['once']);
  });

  test('finds a success that did not happen', () => {
    const run = goodRun();
    expect(rulesOf({ ...run, effects: run.effects.slice(1) })).toEqual(['lost']);
  });

  test('finds a failure that happened', () => {
    const run = goodRun();
    fail(run.wishes[0]!);
    expect(rulesOf(run)).toContain('failed with an effect');
  });

  test('finds a lost webhook, and one whose last word is another', () => {
    const run = goodRun();
    expect(rulesOf({ ...run, received: run.received.slice(1) })).toEqual(['the last word of the webhooks']);
    const retracted = messageOf(2, 'intent.retracted', 2);
    expect(rulesOf({ ...run, received: [...run.received, retracted] })).toEqual([
      'the last word of the webhooks',
    ]);
    const again = messageOf(2, 'intent.confirmed', 3);
    expect(rulesOf({ ...run, received: [again, ...run.received, retracted] })).toEqual([]);
  });

  test('finds a request that is never settled, as when no standby takes over', () => {
    const run = goodRun();
    const [wish] = run.wishes as [Wish];
    wish.answers = [{ ...wish.answers[0]!, status: 202 }];
    wish.reads = [{ at: 20, intent: { ...wish.reads[0]!.intent, status: 'queued', transaction: null } }];
    expect(rulesOf({ ...run, effects: run.effects.slice(1) })).toEqual(['settled', 'quota']);
    wish.answers = [];
    wish.reads = [];
    expect(rulesOf({ ...run, effects: run.effects.slice(1) })).toEqual(['settled', 'quota']);
  });

  test('finds a key that stands for two intents', () => {
    const run = goodRun();
    const [wish] = run.wishes as [Wish];
    wish.answers = [{ ...wish.answers[0]!, intentId: 'another' }, ...wish.answers];
    expect(rulesOf(run)).toEqual(['one intent a key']);
  });

  test('finds a transaction that is not the one of the effect', () => {
    const run = goodRun();
    run.wishes[0]!.reads[0]!.intent.transaction = { hash: hashOf(9) };
    expect(rulesOf(run)).toEqual(['the transaction of the effect']);
  });

  test('finds an effect that nobody asked for, and a quota that is not what was used', () => {
    const run = goodRun();
    const strange = { effect: effectOf(7), transactionHash: hashOf(7), block: 7 };
    expect(rulesOf({ ...run, effects: [...run.effects, strange] })).toEqual(['asked for']);
    expect(rulesOf({ ...run, stats: [{ account: ACCOUNT, mintsUsed: 7 }] })).toEqual(['quota']);
  });
});
