import { expect, test } from '@jest/globals';
import { createAnswerIntent, sentTransaction } from '../../src/features/answer-intent.ts';
import type { AnsweredIntent } from '../../src/features/answer-intent.ts';

const INTENT_ID = '3a2cf1f6-90dd-4ecb-aa84-46042086a99b';
const HASH = `0x${'ab'.repeat(32)}` as const;
const TRANSACTION = { hash: HASH, explorerUrl: `http://127.0.0.1/explorer/tx/${HASH}` };

const intent: AnsweredIntent = {
  id: INTENT_ID,
  kind: 'mint',
  status: 'confirmed',
  transactionHash: HASH,
  error: null,
};

const answerIntent = createAnswerIntent((hash) => `http://127.0.0.1/explorer/tx/${hash}`);

const answer = (changes: Partial<AnsweredIntent>, { respondAsync = false } = {}) =>
  answerIntent({ ...intent, ...changes }, { respondAsync }, (transaction) => ({
    status: 200,
    body: { success: true, transaction },
  }));

test('a confirmed intent is the success of its operation, with its transaction in headers', async () => {
  expect(await answer({})).toEqual({
    status: 200,
    headers: {
      'Intent-Id': INTENT_ID,
      'Transaction-Hash': HASH,
      Link: `<${TRANSACTION.explorerUrl}>; rel="related"`,
    },
    body: { success: true, transaction: TRANSACTION },
  });
});

test('a confirmed intent that sent nothing has no transaction to show', async () => {
  expect(await answer({ transactionHash: null })).toEqual({
    status: 200,
    headers: { 'Intent-Id': INTENT_ID },
    body: { success: true, transaction: null },
  });
});

test('an intent under way is 202, with the transaction as soon as there is one', async () => {
  expect(await answer({ status: 'submitted' })).toEqual({
    status: 202,
    headers: { 'Intent-Id': INTENT_ID },
    body: { intent: { id: INTENT_ID, kind: 'mint', status: 'submitted', transaction: TRANSACTION } },
  });
});

test('a confirmed intent whose result nobody knows any more is 202', async () => {
  expect(await answerIntent(intent, { respondAsync: false }, () => null)).toEqual({
    status: 202,
    headers: { 'Intent-Id': INTENT_ID },
    body: { intent: { id: INTENT_ID, kind: 'mint', status: 'confirmed', transaction: TRANSACTION } },
  });
});

test('a preference that was honoured is named', async () => {
  const queued = await answer({ status: 'queued', transactionHash: null }, { respondAsync: true });
  expect(queued.headers).toEqual({ 'Intent-Id': INTENT_ID, 'Preference-Applied': 'respond-async' });
  expect((await answer({}, { respondAsync: true })).headers).not.toHaveProperty('Preference-Applied');
});

test('a failed intent is its error', async () => {
  const error = { code: 'CHAIN_ERROR', message: 'The token is paused.' } as const;
  await expect(answer({ status: 'failed', error })).rejects.toEqual(
    expect.objectContaining({ ...error, status: 502, intentId: INTENT_ID }),
  );
});

test('a cancelled intent is a conflict', async () => {
  await expect(answer({ status: 'cancelled' })).rejects.toEqual(
    expect.objectContaining({ code: 'CONFLICT', intentId: INTENT_ID }),
  );
});

test('a failure without a reason is a fault of ours', async () => {
  await expect(answer({ status: 'failed' })).rejects.toThrow('without a reason');
});

test('success is asked for only once an intent is confirmed', async () => {
  const success = () => {
    throw new Error('nothing to show yet');
  };
  await expect(
    answerIntent({ ...intent, status: 'queued' }, { respondAsync: false }, success),
  ).resolves.toMatchObject({ status: 202 });
});

test('sentTransaction insists', () => {
  expect(sentTransaction(TRANSACTION)).toBe(TRANSACTION);
  expect(() => sentTransaction(null)).toThrow('has a transaction');
});
