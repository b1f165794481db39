import { describe, expect, test } from '@jest/globals';
import type { FaultWindow } from '../../lab/judge/history.ts';
import { SETTLE_MS } from '../../lab/judge/time-rules.ts';
import type { Draft } from './sound-run.ts';
import { CONTRACT, findingsOf, messageOf, soundRun } from './sound-run.ts';

const FAULT: FaultWindow = { kind: 'a fault', from: 0, to: 1_000, stops: null, cuts: [], allows: [] };

/** The first mint was accepted at 2 s, and had its verdict no earlier. */
function settleAt(run: Draft, at: number): void {
  const [wish] = run.wishes as [Draft['wishes'][number]];
  const { intent } = wish.reads.at(-1)!;
  wish.answers = [];
  wish.reads = [
    { askedAt: 1_990, at: 2_000, intent: { ...intent, status: 'queued', transaction: null } },
    { askedAt: at - 10, at, intent },
  ];
}

describe('a request', () => {
  test('that has no verdict at the end is found, as when no standby takes over', () => {
    const run = soundRun();
    settleAt(run, 3_000);
    run.wishes[0]!.reads.pop();
    run.effects.shift();
    run.received.shift();
    expect(findingsOf(run)).toEqual(['settled: key-1']);
  });

  test('has it two minutes after it was accepted at the most', () => {
    const run = soundRun();
    settleAt(run, 2_000 + SETTLE_MS);
    expect(findingsOf(run)).toEqual([]);
    settleAt(run, 2_001 + SETTLE_MS);
    expect(findingsOf(run)).toEqual(['settled: key-1']);
  });

  test('has it when a message tells it first, to a client that asks in vain', () => {
    const run = soundRun();
    const late = 2_001 + SETTLE_MS;
    settleAt(run, late);
    const { intent } = run.wishes[0]!.reads.at(-1)!;
    run.received[0] = messageOf(intent, 'intent.confirmed', 1, late - 1_000);
    expect(findingsOf(run)).toEqual([]);
    run.wishes[0]!.reads.splice(1, 0, { ...run.wishes[0]!.reads[0]!, askedAt: late - 800, at: late - 790 });
    expect(findingsOf(run)).toEqual(['settled: key-1']);
  });

  test('has it so long after a fault that holds up everything at the most', () => {
    const run = soundRun();
    run.faults = [{ ...FAULT, to: 500_000 }];
    settleAt(run, 500_000 + SETTLE_MS);
    expect(findingsOf(run)).toEqual([]);
    settleAt(run, 500_001 + SETTLE_MS);
    expect(findingsOf(run)).toEqual(['settled: key-1']);
  });

  test('needs none when it is lost, and asked for again in vain', () => {
    const run = soundRun();
    settleAt(run, 3_000);
    const [wish] = run.wishes as [Draft['wishes'][number]];
    wish.reads.pop();
    run.effects.shift();
    run.received.shift();
    run.meters[0]!.mints -= 1;
    run.faults = [{ ...FAULT, to: 3_000, loses: { from: 500, to: 3_000 } }];
    expect(findingsOf(run)).toContain('settled: key-1');
    wish.isGivenUp = true;
    expect(findingsOf(run)).not.toContain('settled: key-1');
    run.faults[0]!.loses!.to = 1_900;
    expect(findingsOf(run)).toContain('settled: key-1');
  });

  test('does not wait for the end of a fault beside which the service gets on', () => {
    const run = soundRun();
    run.faults = [{ ...FAULT, to: 500_000, holdsUp: false }];
    settleAt(run, 2_000 + SETTLE_MS);
    expect(findingsOf(run)).toEqual([]);
    settleAt(run, 2_001 + SETTLE_MS);
    expect(findingsOf(run)).toEqual(['settled: key-1']);
  });

  test('waits for the end of a fault of its contract, and not of another one', () => {
    const run = soundRun();
    run.faults = [{ ...FAULT, to: 500_000, holdsUp: CONTRACT }];
    settleAt(run, 500_000 + SETTLE_MS);
    expect(findingsOf(run)).toEqual([]);
    run.faults = [{ ...FAULT, to: 500_000, holdsUp: `0x${'99'.repeat(20)}` }];
    expect(findingsOf(run)).toEqual(['settled: key-1']);
  });

  test('waits for the only engine of a signer, and not for one that has a standby', () => {
    const run = soundRun();
    const killed = { ...FAULT, from: 3_000, to: 163_000, stops: 'engine-1' };
    run.faults = [killed];
    settleAt(run, 2_000 + SETTLE_MS + 30_000);
    expect(findingsOf(run)).toEqual([]);
    run.engines.push({ name: 'engine-2', signer: 'one' });
    expect(findingsOf(run)).toEqual(['settled: key-1']);
    const cut = { engine: 'engine-2', endpoint: null, isWhole: false };
    run.faults = [killed, { ...FAULT, from: 5_000, to: 65_000, cuts: [cut] }];
    expect(findingsOf(run)).toEqual([]);
    run.engines[1]!.signer = 'another';
    expect(findingsOf({ ...run, faults: [killed] })).toEqual([]);
  });
});
