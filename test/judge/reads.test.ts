import { describe, expect, test } from '@jest/globals';
import type { IntentRead } from '../../lab/judge/history.ts';
import { NOTICE_MS } from '../../lab/judge/failure-rules.ts';
import type { Draft } from './sound-run.ts';
import { findingsOf, hashOf, messageOf, soundRun } from './sound-run.ts';

function addRead(run: Draft, at: number, change: Partial<IntentRead>): void {
  const { reads } = run.wishes[0]!;
  reads.push({ askedAt: at - 10, at, intent: { ...reads[0]!.intent, ...change } });
}

/** The block of the first mint is taken back at 10 s, and the mint comes again in another one a second later. */
function reorganize(run: Draft, hash = hashOf(1)): void {
  run.blocks[0]!.to = 10_000;
  run.blocks.push({ number: 7, hash: 'block-7', transactions: [hash], from: 11_000, to: null });
  run.effects[0]!.transactionHash = hash;
}

describe('each answer about an intent', () => {
  test('names a transaction that was in a block', () => {
    const run = soundRun();
    run.wishes[0]!.reads[0]!.intent.transaction = { hash: hashOf(77) };
    expect(findingsOf(run)).toContain('never against the chain: key-1');
  });

  test('names it no longer once a reorg is long past', () => {
    const run = soundRun();
    run.blocks[0]!.to = 10_000;
    run.blocks.push({ number: 7, hash: 'block-7', transactions: [hashOf(1)], from: 200_000, to: null });
    addRead(run, 10_000 + NOTICE_MS, {});
    expect(findingsOf(run)).toEqual([]);
    addRead(run, 12_000 + NOTICE_MS, {});
    expect(findingsOf(run)).toEqual(['never against the chain: key-1']);
    const from = 9_000;
    run.faults = [{ kind: 'a fault', from, to: from + 60_000, stops: null, cuts: [], allows: [] }];
    expect(findingsOf(run)).toEqual([]);
  });

  test.each<[string, Partial<IntentRead>]>([
    ['failed without an error', { status: 'failed', transaction: null }],
    ['queued with a transaction', { status: 'queued' }],
    ['confirmed with an error', { error: { code: 'CHAIN_ERROR', message: 'No.' } }],
  ])('is sound: not %s', (_, change) => {
    const run = soundRun();
    run.wishes[0]!.reads.unshift({
      ...{ askedAt: 1_001, at: 1_002 },
      intent: { ...run.wishes[0]!.reads[0]!.intent, ...change },
    });
    expect(findingsOf(run)).toContain('a sound intent: key-1');
  });

  test('names a transaction when a mint is confirmed', () => {
    const run = soundRun();
    run.wishes[0]!.reads.unshift({
      ...{ askedAt: 1_600, at: 1_610 },
      intent: { ...run.wishes[0]!.reads[0]!.intent, transaction: null },
    });
    expect(findingsOf(run)).toEqual(['a sound intent: key-1']);
  });
});

describe('a verdict', () => {
  test('is not taken back, unless a reorg took its transaction', () => {
    const run = soundRun();
    addRead(run, 12_000, { status: 'submitted' });
    addRead(run, 20_000, {});
    expect(findingsOf(run)).toEqual(['a verdict stays: key-1']);
    reorganize(run);
    expect(findingsOf(run)).toEqual([]);
  });

  test('may move to another transaction only by such a reorg', () => {
    const run = soundRun();
    addRead(run, 20_000, { transaction: { hash: hashOf(7) } });
    run.effects[0]!.transactionHash = hashOf(7);
    run.blocks.push({ number: 7, hash: 'block-7', transactions: [hashOf(7)], from: 11_000, to: null });
    const { intent } = run.wishes[0]!.reads.at(-1)!;
    run.received[0] = messageOf(intent, 'intent.confirmed', 2, 19_000);
    expect(findingsOf(run)).toEqual(['a verdict stays: key-1']);
    run.blocks[0]!.to = 10_000;
    expect(findingsOf(run)).toEqual([]);
  });

  test('may come and go with the blocks of a fork that an endpoint shows, while it does', () => {
    const run = soundRun();
    addRead(run, 12_000, { transaction: { hash: hashOf(77) } });
    addRead(run, 13_000, { status: 'submitted' });
    addRead(run, 20_000, {});
    expect(findingsOf(run)).toEqual(['never against the chain: key-1', 'a verdict stays: key-1']);
    const fork = { kind: 'own fork', from: 10_000, to: 14_000, stops: null, cuts: [] };
    run.faults = [{ ...fork, allows: [{ code: 'OTHER_FORK' }] }];
    expect(findingsOf(run)).toEqual([]);
    run.faults = [{ ...fork, from: 14_000, allows: [{ code: 'OTHER_FORK' }] }];
    expect(findingsOf(run)).toEqual(['never against the chain: key-1', 'a verdict stays: key-1']);
  });

  test('of a failure is for ever', () => {
    const run = soundRun();
    const error = { code: 'CHAIN_ERROR', message: 'No.' };
    run.wishes[0]!.reads.unshift({
      ...{ askedAt: 1_510, at: 1_520 },
      intent: { ...run.wishes[0]!.reads[0]!.intent, status: 'failed', transaction: null, error },
    });
    run.wishes[0]!.answers = [];
    expect(findingsOf(run)).toEqual(['false failure: key-1', 'a verdict stays: key-1']);
  });

  test('that was asked for before another one came may be the older', () => {
    const run = soundRun();
    run.wishes[0]!.reads.push({
      ...{ askedAt: 1_400, at: 2_011 },
      intent: { ...run.wishes[0]!.reads[0]!.intent, status: 'submitted' },
    });
    addRead(run, 3_000, {});
    expect(findingsOf(run)).toEqual([]);
  });
});
