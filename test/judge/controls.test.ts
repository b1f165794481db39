import { describe, expect, test } from '@jest/globals';
import type { Wish } from '../../lab/judge/history.ts';
import type { Draft } from './sound-run.ts';
import { CONTRACT, fail, findingsOf, messageOf, set, soundRun } from './sound-run.ts';

/** Lets a control have found what it asked for, and sent nothing. */
function sendNothing(run: Draft, wish: Wish): void {
  const [{ intent }] = wish.reads as [Wish['reads'][number]];
  const { hash } = intent.transaction!;
  intent.transaction = null;
  run.effects = run.effects.filter(({ transactionHash }) => transactionHash !== hash);
  run.received = run.received.map((message) =>
    message.body.includes(`"${intent.id}"`) ? messageOf(intent, 'intent.confirmed', 1, message.at) : message,
  );
}

function swap(run: Draft, one: number, other: number): void {
  const [first, second] = [run.effects[one]!, run.effects[other]!];
  [first.block, second.block] = [second.block, first.block];
}

const PAUSED = `order of controls: ${CONTRACT} paused`;

describe('controls', () => {
  test('that are carried out in the order of their requests are sound', () => {
    const run = soundRun(0);
    for (const value of ['true', 'false', 'true', 'false']) set(run, 'paused', value);
    set(run, 'locked', 'true');
    set(run, 'metadata', 'The first');
    set(run, 'metadata', 'The second');
    expect(findingsOf(run)).toEqual([]);
  });

  test('whose last one is undone by an earlier one are found', () => {
    const run = soundRun(0);
    for (const value of ['true', 'false']) set(run, 'paused', value);
    swap(run, 0, 1);
    expect(findingsOf(run)).toEqual([PAUSED, PAUSED]);
  });

  test('that were asked for at the same time may come in either order', () => {
    const run = soundRun(0);
    const [, second] = ['true', 'false'].map((value) => set(run, 'paused', value));
    second!.askedAt = 1_000;
    swap(run, 0, 1);
    expect(findingsOf(run)).toEqual([]);
  });

  test('that are undone in between are found, though the end is right', () => {
    const run = soundRun(0);
    for (const name of ['The first', 'The second', 'The third']) set(run, 'metadata', name);
    swap(run, 0, 1);
    expect(findingsOf(run)).toEqual([`order of controls: ${CONTRACT} metadata`]);
  });

  test('come in their order also where they set different things', () => {
    const run = soundRun(0);
    set(run, 'paused', 'true');
    set(run, 'locked', 'true');
    swap(run, 0, 1);
    expect(findingsOf(run)).toEqual([`order of controls: ${CONTRACT} paused`]);
  });

  test('have no order with metadata', () => {
    const run = soundRun(0);
    set(run, 'metadata', 'The first');
    set(run, 'locked', 'true');
    swap(run, 0, 1);
    expect(findingsOf(run)).toEqual([]);
  });

  test('that send nothing are right when it was so already, and false when it never was', () => {
    const run = soundRun(0);
    const [, again, off] = ['true', 'true', 'false'].map((value) => set(run, 'paused', value));
    sendNothing(run, again!);
    expect(findingsOf(run)).toEqual([]);
    sendNothing(run, off!);
    expect(findingsOf(run)).toEqual([PAUSED, PAUSED]);
  });

  test('that failed as overtaken need another one that overtook them', () => {
    const run = soundRun(0);
    const [first] = ['true', 'false'].map((value) => set(run, 'paused', value));
    set(run, 'paused', 'true');
    const overtaken = { code: 'CHAIN_ERROR', message: 'It was overtaken by a later request.' };
    fail(run, first!, overtaken);
    expect(findingsOf(run)).toEqual([]);
    fail(run, run.wishes[2]!, overtaken);
    expect(findingsOf(run)).toEqual(['false failure: key-3']);
  });

  test('leave nothing behind that failed', () => {
    const run = soundRun(0);
    const pause = set(run, 'paused', 'true');
    const effects = [...run.effects];
    fail(run, pause, { code: 'CHAIN_ERROR', message: 'No.' });
    run.effects = effects;
    expect(findingsOf(run)).toEqual([
      `an effect of what failed: set ${CONTRACT} paused true`,
      'false failure: key-1',
      PAUSED,
    ]);
  });
});
