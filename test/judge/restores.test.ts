import { describe, expect, test } from '@jest/globals';
import type { FaultWindow } from '../../lab/judge/history.ts';
import type { Draft } from './sound-run.ts';
import { findingsOf, soundRun } from './sound-run.ts';

const CUT = { engine: null, endpoint: null, isWhole: false };
/** The third request is lost with the database, and the fifth one is answered by an older one. */
const PARTIAL = { kind: 'a fault', from: 2_500, to: 5_900, stops: null, cuts: [CUT], allows: [] };
const REFUSES = { refuses: { from: 4_900, to: 5_800 } };
const OLDER: FaultWindow = { ...PARTIAL, ...REFUSES, loses: { from: 2_900, to: 3_400 } };

function lossyRun(): Draft {
  const run = soundRun();
  // What was told by then is told again.
  run.received.push({ ...run.received[2]!, at: 3_600 });
  return run;
}

describe('a database that is older than the chain', () => {
  test('answers nobody before a person accepts that', () => {
    const run = lossyRun();
    run.faults = [OLDER];
    expect(findingsOf(run)).toEqual(['an older database: key-5']);
    run.wishes[4]!.answers[0]!.at = 5_900;
    expect(findingsOf(run)).toEqual([]);
  });

  test('may refuse', () => {
    const run = lossyRun();
    run.faults = [{ ...OLDER, allows: [{ code: 'INTERNAL_ERROR' }] }];
    const [answer] = run.wishes[4]!.answers as [(typeof run.wishes)[number]['answers'][number]];
    run.wishes[4]!.answers.unshift({
      ...answer,
      status: 500,
      body: { code: 'INTERNAL_ERROR', message: 'No.' },
      intentId: null,
    });
    answer.askedAt = 5_850;
    answer.at = 5_900;
    expect(findingsOf(run)).toEqual([]);
  });

  test('is as new as the chain when that shows nothing since', () => {
    const run = lossyRun();
    run.faults = [{ ...OLDER, loses: { from: 3_100, to: 3_400 } }];
    expect(findingsOf(run)).toEqual([]);
  });

  test('may not know while an endpoint shows a part of the chain', () => {
    const run = lossyRun();
    run.faults = [OLDER, { ...PARTIAL, from: 0, to: 4_950 }];
    expect(findingsOf(run)).toEqual([]);
    run.faults = [OLDER, { ...PARTIAL, from: 0, to: 4_850 }];
    expect(findingsOf(run)).toEqual(['an older database: key-5']);
  });
});
