import { describe, expect, test } from '@jest/globals';
import type { FaultWindow, Wish } from '../../lab/judge/history.ts';
import type { Draft } from './sound-run.ts';
import { ACCOUNT, UNREACHABLE, fail, findingsOf, hashOf, messageOf, set, soundRun } from './sound-run.ts';

/** The second request was under way then: the first had its verdict before, and the third was asked for later. */
const LOSS: FaultWindow = {
  ...{ kind: 'lost commits', from: 2_100, to: 2_900, stops: null, cuts: [], allows: [] },
  loses: { from: 2_100, to: 2_700 },
};

/** What was told of the second one by then is told again. */
function withLoss(run = soundRun()): Draft {
  run.faults = [LOSS];
  run.received.push({ ...run.received[1]!, at: 3_200 });
  return run;
}

/** The service has told nothing of it since. */
function hearNothing(run: Draft, place: number): void {
  run.wishes[place]!.reads = [];
}

function doAgain(run: Draft, place: number): void {
  run.effects.push({ ...run.effects[place]!, transactionHash: hashOf(20), block: 20 });
}

/** What is asked for again is another intent. */
function acceptAgain(run: Draft, place: number): void {
  const [read] = run.wishes[place]!.reads as [Wish['reads'][number]];
  read.intent = { ...read.intent, id: `again-${place + 1}` };
  run.received.pop();
  run.received.push(messageOf(read.intent, 'intent.confirmed', 1, read.at));
}

function openAgain(run: Draft, place: number): void {
  const [read] = run.wishes[place]!.reads as [Wish['reads'][number]];
  const open = { ...read, intent: { ...read.intent, status: 'submitted' } } as const;
  run.wishes[place]!.reads = [open, { ...read, askedAt: read.askedAt + 100, at: read.at + 100 }];
}

test('that a reorg took back what was confirmed may be lost, and nobody else may keep silent on its return', () => {
  const findings = [2_650, 3_000].map((at) => {
    const run = withLoss();
    run.blocks.push({ number: 20, hash: 'a fork', transactions: [], from: 2_500, to: 2_600 });
    const open = { ...run.wishes[0]!.reads[0]!.intent, status: 'submitted' } as const;
    run.received.push(messageOf(open, 'intent.retracted', 2, at));
    return findingsOf(run);
  });
  expect(findings).toEqual([[], ['the last word of the webhooks: key-1']]);
});

describe('a request of which the service has lost what was committed', () => {
  test.each<[string, string, (run: Draft, place: number) => void]>([
    ['may be open again after its verdict', 'a verdict stays: key-', openAgain],
    [
      'may have no message',
      'the last word of the webhooks: key-',
      (run, place) => {
        hearNothing(run, place);
        run.received = run.received.filter(({ body }) => !body.includes(`"intent-${place + 1}"`));
      },
    ],
    [
      'may have no unit that is counted',
      `quota: ${ACCOUNT}`,
      (run, place) => {
        hearNothing(run, place);
        run.meters[0]!.mints -= 1;
      },
    ],
  ])('%s, and no other one', (_, finding, breakIt) => {
    const [before, lost, after] = [0, 1, 2].map((place) => {
      const run = withLoss();
      breakIt(run, place);
      return findingsOf(run);
    });
    expect(lost).toEqual([]);
    for (const findings of [before, after]) expect(findings!.join('\n')).toContain(finding);
  });

  test.each<[string, string, (run: Draft, place: number) => void]>([
    ['is not done twice', 'once: key-2', doAgain],
    ['is no other intent', 'one intent a key: key-2', acceptAgain],
  ])('%s', (_, finding, breakIt) => {
    const run = withLoss();
    breakIt(run, 1);
    expect(findingsOf(run).join('\n')).toContain(finding);
  });

  test('may be a control that is done again after later ones, and no other one', () => {
    const findings = [0, 1, 2].map((place) => {
      const run = soundRun(0);
      for (const value of ['true', 'false', 'true', 'true']) set(run, 'locked', value);
      withLoss(run);
      run.effects[place]!.block = 20;
      return findingsOf(run).length;
    });
    expect(findings.map((count) => count > 0)).toEqual([true, false, true]);
  });

  test('may have been a mint that its metadata is refused for', () => {
    const run = soundRun();
    const metadata = set(run, 'metadata 2', 'x');
    const refusal = { code: 'VALIDATION_ERROR', message: 'tokenId 2 was never minted' };
    const [answer] = metadata.answers as [(typeof metadata.answers)[number]];
    metadata.answers.unshift({ ...answer, status: 422, body: refusal, intentId: null });
    expect(findingsOf(run)).toEqual(['false failure: key-7']);
    expect(findingsOf(withLoss(run))).toEqual([]);
  });

  test('counts once, and may not when the service has told of it since', () => {
    const run = withLoss();
    run.meters[0]!.mints -= 1;
    expect(findingsOf(run)).toEqual([`quota: ${ACCOUNT}`]);
    hearNothing(run, 1);
    expect(findingsOf(run)).toEqual([]);
    run.meters[0]!.mints -= 1;
    expect(findingsOf(run)).toEqual([`quota: ${ACCOUNT}`]);
  });

  test('may neither fail without a reason, nor stay open, nor be missing on the chain', () => {
    const failed = soundRun();
    fail(failed, failed.wishes[1]!, UNREACHABLE);
    withLoss(failed);
    expect(findingsOf(failed)).toEqual(['false failure: key-2']);
    const open = withLoss();
    open.wishes[1]!.reads[0]!.intent.status = 'submitted';
    expect(findingsOf(open)).toContain('settled: key-2');
    const missing = withLoss();
    missing.effects.splice(1, 1);
    expect(findingsOf(missing)).toEqual(['lost: key-2']);
  });

  test('may be missing when a reorg took it back, and nothing tells of it since', () => {
    const run = withLoss();
    run.effects.splice(1, 1);
    hearNothing(run, 1);
    run.wishes[1]!.answers[0]!.body = { transaction: { hash: hashOf(2) } };
    expect(findingsOf(run)).toEqual(['lost: key-2']);
    run.blocks[1]!.to = LOSS.loses!.from - 1;
    expect(findingsOf(run)).toEqual(['lost: key-2']);
    run.blocks[1]!.to = LOSS.loses!.to;
    expect(findingsOf(run)).toEqual([]);
    run.wishes[1]!.reads = soundRun().wishes[1]!.reads;
    expect(findingsOf(run)).toContain('lost: key-2');
    const known = withLoss();
    known.effects.shift();
    known.blocks[0]!.to = LOSS.loses!.to;
    hearNothing(known, 0);
    known.wishes[0]!.answers[0]!.body = { transaction: { hash: hashOf(1) } };
    expect(findingsOf(known)).toContain('lost: key-1');
  });

  test('may have been cancelled, and be repeated; a cancel of later is not lost', () => {
    const run = withLoss();
    const at = LOSS.loses!.to;
    const body = { ...run.wishes[1]!.reads[0]!.intent, status: 'cancelled', transaction: null };
    run.wishes[1]!.answers = [];
    run.wishes[1]!.cancels = [{ askedAt: at - 1, at, status: 200, body, intentId: null }];
    expect(findingsOf(run)).toEqual([]);
    run.wishes[1]!.cancels[0]!.at = at + 1;
    expect(findingsOf(run)).toContain('cancel: key-2');
  });

  test('may have had a message of which nobody knows the intent, until it is no longer under way', () => {
    const intent = { ...soundRun().wishes[1]!.reads[0]!.intent, id: 'unknown' };
    for (const [at, isExcused] of [
      [2_650, true],
      [2_750, true],
      [2_850, false],
    ] as const) {
      const run = withLoss();
      run.received.push(messageOf(intent, 'intent.confirmed', 1, at));
      expect(findingsOf(run)).toEqual(isExcused ? [] : ['messages of an intent: unknown']);
    }
  });
});
