import { describe, expect, test } from '@jest/globals';
import type { IntentRead } from '../../lab/judge/history.ts';
import type { Draft } from './sound-run.ts';
import { ACCOUNT, CONTRACT, carryOut, findingsOf, recipientOf, soundRun } from './sound-run.ts';

const nft = (index: number) =>
  ({ kind: 'mint', contract: CONTRACT, to: recipientOf(index), amount: null }) as const;

/** Lets the first request have been withdrawn before it was sent. */
function cancel(run: Draft): IntentRead {
  const [wish] = run.wishes as [Draft['wishes'][number]];
  const [{ intent }] = wish.reads as [Draft['wishes'][number]['reads'][number]];
  Object.assign(intent, { status: 'cancelled', transaction: null });
  wish.answers = [];
  wish.cancels = [{ askedAt: 1_100, at: 1_200, status: 200, body: { ...intent }, intentId: null }];
  run.effects.shift();
  run.received.shift();
  run.meters[0]!.mints -= 1;
  return intent;
}

describe('the meters', () => {
  test('count deployments and mints against the quota, and collections against the credits', () => {
    const run = soundRun(2);
    carryOut(run, 'deployToken', { kind: 'deploy', symbol: 'A' });
    carryOut(run, 'createCollection', { kind: 'deploy', symbol: 'B' });
    carryOut(run, 'mintNft', nft(8));
    carryOut(run, 'mintNftBatch', nft(9), 7);
    expect(findingsOf(run)).toEqual([`credits: ${ACCOUNT}`]);
    run.meters[0]!.credits = 5 + 1 + 7;
    expect(findingsOf(run)).toEqual([]);
  });

  test('must count everything, and nothing twice', () => {
    for (const mints of [5, 7]) {
      const run = soundRun();
      run.meters[0]!.mints = mints;
      expect(findingsOf(run)).toEqual([`quota: ${ACCOUNT}`]);
    }
  });

  test('may count what nobody knows the end of', () => {
    const run = soundRun();
    run.wishes[0]!.answers = [];
    run.wishes[0]!.reads = [];
    run.effects.shift();
    for (const mints of [5, 6]) {
      run.meters[0]!.mints = mints;
      expect(findingsOf(run)).toEqual(['settled: key-1']);
    }
  });

  test('of the sandbox count nothing, where the chain shows nothing', () => {
    const run = soundRun(1);
    const wish = carryOut(run, 'mintToken', nft(5));
    wish.environment = 'sandbox';
    run.meters[0]!.mints -= 1;
    expect(findingsOf(run)).toEqual(['sandbox: key-2', 'sandbox: key-2']);
    run.effects.pop();
    wish.reads[0]!.intent.transaction = null;
    expect(findingsOf(run)).toEqual([]);
  });
});

describe('a cancel', () => {
  test('that is granted leaves no effect, no charge and no message', () => {
    const run = soundRun();
    cancel(run);
    expect(findingsOf(run)).toEqual([]);
    run.meters[0]!.mints += 1;
    expect(findingsOf(run)).toEqual([`quota: ${ACCOUNT}`]);
  });

  test('that is granted is found when there is an effect, a message, or another end', () => {
    const run = soundRun();
    const [effect, message] = [run.effects[0]!, run.received[0]!];
    const intent = cancel(run);
    run.effects.unshift(effect);
    expect(findingsOf(run)).toEqual(['an effect of what failed: key-1']);
    run.effects.shift();
    run.received.unshift(message);
    expect(findingsOf(run)).toEqual(['the last word of the webhooks: key-1']);
    run.received.shift();
    intent.status = 'queued';
    expect(findingsOf(run)).toContain('cancel: key-1');
  });

  test('is asked for by somebody', () => {
    const run = soundRun();
    cancel(run);
    run.wishes[0]!.cancels = [];
    expect(findingsOf(run)).toEqual(['cancel: key-1']);
  });

  test('may come too late', () => {
    const run = soundRun();
    const body = { code: 'CONFLICT', message: 'This request is already on its way.' };
    run.wishes[0]!.cancels = [{ askedAt: 1_100, at: 1_200, status: 409, body, intentId: null }];
    expect(findingsOf(run)).toEqual([]);
    run.wishes[0]!.cancels[0]!.body = { code: 'INTERNAL_ERROR', message: 'Oh.' };
    expect(findingsOf(run)).toEqual(['false failure: key-1']);
  });
});
