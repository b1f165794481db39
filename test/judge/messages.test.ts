import { describe, expect, test } from '@jest/globals';
import type { IntentRead } from '../../lab/judge/history.ts';
import type { Draft } from './sound-run.ts';
import { findingsOf, hashOf, messageOf, soundRun } from './sound-run.ts';

const intentOf = ({ wishes }: ReturnType<typeof soundRun>): IntentRead => wishes[0]!.reads[0]!.intent;

/** A reorg at 4 s takes away the block of the first mint; returns another one that has it from `from` on. */
function moveBlock({ blocks }: Draft, from: number): Draft['blocks'][number] {
  const [first] = blocks as [Draft['blocks'][number]];
  first.to = 4_000;
  const moved = { ...first, hash: 'another', from, to: null };
  blocks.push(moved);
  return moved;
}

describe('the messages of an intent', () => {
  test('end with what it is, whatever order they come in', () => {
    const run = soundRun();
    moveBlock(run, 5_500);
    const taken = { ...intentOf(run), status: 'submitted' } as const;
    run.received.push(messageOf(taken, 'intent.retracted', 2, 5_000));
    expect(findingsOf(run)).toEqual(['the last word of the webhooks: key-1']);
    run.received.unshift(messageOf(intentOf(run), 'intent.confirmed', 3, 6_000));
    expect(findingsOf(run)).toEqual([]);
  });

  test('may come twice, but not as two', () => {
    const run = soundRun();
    run.received.push({ ...run.received[0]!, at: 9_000 });
    expect(findingsOf(run)).toEqual([]);
    const headers = { ...run.received[0]!.headers, 'webhook-id': 'another' };
    run.received.push({ ...run.received[0]!, headers });
    expect(findingsOf(run)).toEqual(['a sound message: another', 'messages of an intent: key-1']);
  });

  test('follow each other as the contract says', () => {
    const run = soundRun();
    run.received.push(messageOf(intentOf(run), 'intent.confirmed', 2, 5_000));
    expect(findingsOf(run)).toEqual(['messages of an intent: key-1']);
    run.received.push(messageOf(intentOf(run), 'intent.confirmed', 4, 5_000));
    run.received.splice(6, 1);
    expect(findingsOf(run)).toEqual([]);
  });

  test('name the transaction and the error of the intent', () => {
    const run = soundRun();
    const other = { ...intentOf(run), transaction: { hash: hashOf(2) } };
    run.received[0] = messageOf(other, 'intent.confirmed', 1, 5_000);
    expect(findingsOf(run)).toEqual(['the last word of the webhooks: key-1']);
  });

  test('tell nothing of a reorg that took the transaction into another block at once', () => {
    const run = soundRun();
    const moved = moveBlock(run, 6_000);
    const taken = { ...intentOf(run), status: 'submitted' } as const;
    run.received.push(messageOf(taken, 'intent.retracted', 2, 4_100));
    run.received.push(messageOf(intentOf(run), 'intent.confirmed', 3, 6_100));
    expect(findingsOf(run)).toEqual([]);
    moved.from = 4_000;
    expect(findingsOf(run)).toEqual(['messages of an intent: key-1']);
    const cut = { engine: null, endpoint: 'http://node-1', isWhole: false };
    const fault = { kind: 'a fault', from: 3_000, to: 4_050, stops: null, cuts: [cut], allows: [] };
    expect(findingsOf({ ...run, faults: [fault] })).toEqual([]);
    expect(findingsOf({ ...run, faults: [{ ...fault, to: 3_500 }] })).toHaveLength(1);
    const other = { ...intentOf(run), tokenId: '7' };
    run.received.splice(-1, 1, messageOf(other, 'intent.confirmed', 3, 6_100));
    expect(findingsOf(run)).toEqual([]);
  });

  test('are about what was asked for, and go to the account that asked', () => {
    const run = soundRun();
    const strange = { ...intentOf(run), id: 'intent-99' };
    run.received.push(messageOf(strange, 'intent.confirmed', 1, 5_000));
    expect(findingsOf(run)).toEqual(['messages of an intent: intent-99']);
  });
});

describe('a message', () => {
  test('is of the type of its status', () => {
    const run = soundRun();
    run.received.push(messageOf({ ...intentOf(run), status: 'queued' }, 'intent.confirmed', 2, 5_000));
    run.received.push(messageOf(intentOf(run), 'intent.confirmed', 4, 5_000));
    expect(findingsOf(run)).toContain('a sound message: message-intent-1-2');
  });

  test('names a transaction of a block, and takes nothing back without a reorg', () => {
    const run = soundRun();
    const early = { ...run.received[0]!, at: 1_200 };
    expect(findingsOf({ ...run, received: [early, ...run.received.slice(1)] })).toHaveLength(1);
    run.received.push(
      messageOf({ ...intentOf(run), status: 'queued', transaction: null }, 'intent.retracted', 2, 5_000),
    );
    run.received.push(messageOf(intentOf(run), 'intent.confirmed', 3, 5_000));
    expect(findingsOf(run)).toContain('a sound message: message-intent-1-2');
    moveBlock(run, 5_000);
    expect(findingsOf(run)).toEqual([]);
  });

  test('may be late where a fault put it off', () => {
    const run = soundRun();
    run.received.shift();
    const clock = { kind: 'clock', from: 1_000, to: 3_000, stops: null, cuts: [] };
    run.faults = [{ ...clock, allows: [] }];
    expect(findingsOf(run)).toEqual(['the last word of the webhooks: key-1']);
    run.faults = [{ ...clock, allows: [{ code: 'LATE_MESSAGE' }] }];
    expect(findingsOf(run)).toEqual([]);
    run.received.shift();
    run.faults = [{ ...clock, from: 0, to: 500, allows: [{ code: 'LATE_MESSAGE' }] }];
    expect(findingsOf(run)).toEqual([]);
    run.faults = [{ ...clock, from: 100_000, to: 200_000, allows: [{ code: 'LATE_MESSAGE' }] }];
    expect(findingsOf(run)).toHaveLength(2);
  });

  test('has a sequence above zero, a known receiver and a signature of its body', () => {
    const run = soundRun();
    const [message] = run.received as [(typeof run.received)[number]];
    run.received[0] = messageOf(intentOf(run), 'intent.confirmed', 0, 5_000);
    expect(findingsOf(run)).toEqual(['a sound message: message-intent-1-0']);
    run.received[0] = { ...message, body: `${message.body} ` };
    expect(findingsOf(run)).toEqual(['a sound message: message-intent-1-1']);
    run.received = [...soundRun().received, { ...message, receiver: '/9' }];
    expect(findingsOf(run)).toEqual(['a sound message: message-intent-1-1']);
  });
});
