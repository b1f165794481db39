import { expect, test } from '@jest/globals';
import { answerWrite, sentTransaction } from '../../src/http/write-answer.ts';
import type { AnsweredIntent } from '../../src/http/write-answer.ts';
import { INTENT_ID, TRANSACTION } from './serve.ts';

const intent: AnsweredIntent = {
  id: INTENT_ID,
  kind: 'mint',
  status: 'confirmed',
  transactionHash: TRANSACTION.hash,
  error: null,
};

const answer = (
  changes: Partial<AnsweredIntent>,
  options: { settled?: boolean; respondAsync?: boolean } = {},
) =>
  answerWrite(
    { ...intent, ...changes },
    {
      settled: true,
      respondAsync: false,
      ...options,
      explorerUrl: (hash) => `http://127.0.0.1/explorer/tx/${hash}`,
      success: (transaction) => ({ status: 200, body: { success: true, transaction } }),
    },
  );

test('a confirmed intent gives the success of its operation, with its transaction in headers', () => {
  expect(answer({})).toEqual({
    status: 200,
    headers: {
      'Intent-Id': INTENT_ID,
      'Transaction-Hash': TRANSACTION.hash,
      Link: `<${TRANSACTION.explorerUrl}>; rel="related"`,
    },
    body: { success: true, transaction: TRANSACTION },
  });
});

test('a confirmed intent without a transaction has no transaction headers', () => {
  expect(answer({ transactionHash: null })).toEqual({
    status: 200,
    headers: { 'Intent-Id': INTENT_ID },
    body: { success: true, transaction: null },
  });
});

test('an open intent is 202, with its transaction once there is one', () => {
  expect(answer({ status: 'submitted' }, { settled: false })).toEqual({
    status: 202,
    headers: { 'Intent-Id': INTENT_ID },
    body: { intent: { id: INTENT_ID, kind: 'mint', status: 'submitted', transaction: TRANSACTION } },
  });
});

test('an applied preference is in Preference-Applied', () => {
  const queued = answer({ status: 'queued', transactionHash: null }, { settled: false, respondAsync: true });
  expect(queued.headers).toEqual({ 'Intent-Id': INTENT_ID, 'Preference-Applied': 'respond-async' });
  expect(answer({}, { respondAsync: true }).headers).not.toHaveProperty('Preference-Applied');
});

test('a failed intent throws its error', () => {
  const error = { code: 'CHAIN_ERROR', message: 'The token is paused.' } as const;
  expect(() => answer({ status: 'failed', error })).toThrow(
    expect.objectContaining({ ...error, status: 502, intentId: INTENT_ID }),
  );
});

test('a cancelled intent throws CONFLICT', () => {
  expect(() => answer({ status: 'cancelled' })).toThrow(
    expect.objectContaining({ code: 'CONFLICT', intentId: INTENT_ID }),
  );
});

test('an inconsistent intent throws an internal error', () => {
  expect(() => answer({ status: 'queued' })).toThrow('settled as queued');
  expect(() => answer({ status: 'failed' })).toThrow('without a reason');
});

test('sentTransaction throws without a transaction', () => {
  expect(sentTransaction(TRANSACTION)).toBe(TRANSACTION);
  expect(() => sentTransaction(null)).toThrow('has a transaction');
});
