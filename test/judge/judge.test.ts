import { describe, expect, test } from '@jest/globals';
import {
  CONTRACT,
  UNREACHABLE,
  carryOut,
  fail,
  findingsOf,
  hashOf,
  recipientOf,
  soundRun,
} from './sound-run.ts';

describe('the judge', () => {
  test('finds nothing in a run in which everything went well', () => {
    expect(findingsOf(soundRun())).toEqual([]);
  });

  test('finds every third mint that failed without a reason, though its unit was given back', () => {
    const run = soundRun();
    for (const index of [2, 5]) fail(run, run.wishes[index]!, UNREACHABLE);
    expect(findingsOf(run)).toEqual(['false failure: key-3', 'false failure: key-6']);
  });

  test('finds a key with two effects', () => {
    const run = soundRun();
    run.effects.push({ ...run.effects[1]!, transactionHash: run.effects[2]!.transactionHash });
    expect(findingsOf(run)).toEqual(['once: key-2']);
  });

  test('finds a lost webhook', () => {
    const run = soundRun();
    run.received.shift();
    expect(findingsOf(run)).toEqual(['the last word of the webhooks: key-1']);
  });

  test('finds a success that the chain does not show', () => {
    const run = soundRun();
    run.effects.shift();
    expect(findingsOf(run)).toEqual(['lost: key-1']);
  });

  test('finds a failure that the chain shows', () => {
    const run = soundRun();
    const [effect] = run.effects as [(typeof run.effects)[number]];
    fail(run, run.wishes[0]!, UNREACHABLE);
    run.effects.unshift(effect);
    expect(findingsOf(run)).toEqual(['an effect of what failed: key-1', 'false failure: key-1']);
  });

  test('finds an effect that nobody asked for', () => {
    const run = soundRun();
    run.wishes.shift();
    run.received.shift();
    run.meters[0]!.mints -= 1;
    expect(findingsOf(run)).toEqual([expect.stringMatching(/^asked for: mint/)]);
  });

  test('finds a batch of which a part happened', () => {
    const run = soundRun(0);
    const effect = { kind: 'mint', contract: CONTRACT, to: recipientOf(1), amount: null } as const;
    carryOut(run, 'mintNftBatch', effect, 3);
    run.meters[0]!.credits = 3;
    expect(findingsOf(run)).toEqual([]);
    run.effects.pop();
    expect(findingsOf(run)).toEqual(['all or nothing: key-1']);
  });

  test('finds a transaction, an id or an address that is not that of the effect', () => {
    const run = soundRun(0);
    const effect = { kind: 'mint', contract: CONTRACT, to: recipientOf(1), amount: null } as const;
    const { intent } = carryOut(run, 'mintToken', effect).reads[0]!;
    const [shown] = run.effects as [(typeof run.effects)[number]];
    intent.tokenId = '1';
    expect(findingsOf(run)).toEqual([]);
    shown.tokenId = '2';
    expect(findingsOf(run)).toEqual(['the effect that is reported: key-1']);
    run.effects = [{ ...shown, tokenId: '1', contract: '0xbb' }];
    expect(findingsOf(run)).toEqual(['the effect that is reported: key-1']);
    run.effects = [{ ...shown, tokenId: '1', transactionHash: hashOf(5) }];
    expect(findingsOf(run)).toEqual(['the effect that is reported: key-1']);
  });

  test('tells requests for the same apart by their transactions', () => {
    const run = soundRun(0);
    const effect = { kind: 'mint', contract: CONTRACT, to: recipientOf(1), amount: 5n } as const;
    for (let mint = 0; mint < 3; mint += 1) carryOut(run, 'mintToken', effect);
    expect(findingsOf(run)).toEqual([]);
    const [, second] = run.effects as [object, (typeof run.effects)[number]];
    run.effects.splice(1, 1);
    expect(findingsOf(run)).toEqual(['lost: key-2']);
    run.effects.push(second, { ...second, transactionHash: hashOf(9) });
    expect(findingsOf(run)).toEqual(['once: key-1']);
  });

  test('finds a key that stands for two intents', () => {
    const run = soundRun();
    run.wishes[0]!.answers[0]!.intentId = 'another';
    expect(findingsOf(run)).toContain('one intent a key: key-1');
  });

  test('takes a request without an answer for unknown, not for failed', () => {
    const run = soundRun();
    run.wishes[0]!.answers = [];
    run.wishes[0]!.reads = [];
    expect(findingsOf(run)).toEqual(['settled: key-1']);
    run.wishes[0]!.isGivenUp = true;
    expect(findingsOf(run)).toEqual([]);
  });
});
