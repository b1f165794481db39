import { describe, expect, test } from '@jest/globals';
import { UNREACHABLE, fail, findingsOf, rulesOf, soundRun } from './sound-run.ts';

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
    expect(rulesOf(run)).toEqual(['lost']);
  });
});
