import { describe, expect, test } from '@jest/globals';
import { findFalseAnswers, findFalseRecords } from '../../lab/faults/false-answers.ts';
import type { Claim, Evidence } from '../../lab/faults/false-answers.ts';

const CONTRACT = `0x${'ab'.repeat(20)}`;
const ACCOUNT = `0x${'cd'.repeat(20)}`;

const mint = (status: number | null, intent = 'one'): Claim => ({
  kind: 'mint',
  status,
  intent,
  transaction: '0x01',
  result: null,
  cancel: null,
  state: null,
  unit: null,
});
/** An accepted mint with this answer to its cancel. */
const cancelled = (cancel: number | null): Claim => ({ ...mint(202), transaction: null, cancel });
/** A mint whose recipient is `ACCOUNT`. */
const unit = (status: number | null): Claim => ({
  ...mint(status),
  unit: { contract: CONTRACT, recipient: ACCOUNT },
});
const freeze = (is: boolean, status: number | null, intent = 'one'): Claim => ({
  kind: 'control',
  status,
  intent,
  transaction: null,
  result: null,
  cancel: null,
  state: { contract: CONTRACT, view: '0xe5839836', account: ACCOUNT, is },
  unit: null,
});

/**
 * A chain on which the intent has so many effects, all in transaction 1 with result 7, and the account is frozen or not
 * and has a balance. Transactions 1 and 2 are mined.
 */
function evidence(
  status: string,
  effects: number,
  { isFrozen = false, isBeyondFinal = false, balance = 0 } = {},
): Evidence {
  const intent = { status, final: true, transaction: '0x01', result: '0x07' };
  const events = Array.from({ length: effects }, () => ({ transaction: '0x01', result: 7n }));
  return {
    outcomes: new Map([['one', { intent, effects: events }]]),
    isMined: async (transaction) => ['0x01', '0x02'].includes(transaction),
    call: async (_contract, data) => {
      const answers = { '0xe5839836': isFrozen ? 1 : 0, '0x70a08231': balance };
      expect(data.slice(10)).toBe(ACCOUNT.slice(2).padStart(64, '0'));
      return `0x${answers[data.slice(0, 10) as keyof typeof answers].toString(16).padStart(64, '0')}`;
    },
    isBeyondFinal,
  };
}

describe('an answer is false', () => {
  test.each([
    ['a 200 without its effect', mint(200), evidence('confirmed', 0)],
    ['a 200 of an intent that the books do not know', mint(200, 'other'), evidence('confirmed', 1)],
    ['a 502 with an effect', mint(502), evidence('failed', 1)],
    ['a control answered 200 whose state is not on the chain', freeze(true, 200), evidence('confirmed', 0)],
    ['a confirmed mint whose event stands for another call', unit(202), evidence('confirmed', 1)],
    ['a mint that gave its unit twice', unit(null), evidence('confirmed', 1, { balance: 2 })],
    ['a failed mint that gave its unit', unit(202), evidence('failed', 0, { balance: 1 })],
    [
      'a confirmed mint of a contract that is not there',
      unit(202),
      { ...evidence('confirmed', 1), call: async () => '0x' },
    ],
    ['an accepted control that did not fail and left no trace', freeze(true, 202), evidence('confirmed', 1)],
    ['a cancel with an effect', cancelled(200), evidence('confirmed', 1)],
    ['a cancel that the books do not tell of', cancelled(200), evidence('failed', 0)],
    [
      'a cancel of a mint that gave its unit, of which the books know nothing',
      { ...unit(null), intent: null, cancel: 200 },
      evidence('confirmed', 1, { balance: 1 }),
    ],
    ['a 200 with a transaction of others', { ...mint(200), transaction: '0x02' }, evidence('confirmed', 1)],
    ['a 200 with another id', { ...mint(200), result: 8n }, evidence('confirmed', 1)],
    [
      'a 201 with another address, whatever the transaction',
      { ...mint(201), kind: 'deploy' as const, transaction: '0x03', result: 8n },
      evidence('confirmed', 1),
    ],
  ])('%s', async (_name, claim, facts) => {
    expect(await findFalseAnswers([claim], facts)).toHaveLength(1);
  });

  test('the last control that was acknowledged decides, not an earlier one', async () => {
    const claims = [freeze(true, 200), freeze(false, 200)];
    const onChain = evidence('confirmed', 1, { isFrozen: true });
    expect(await findFalseAnswers(claims, onChain)).toHaveLength(1);
    expect(await findFalseAnswers(claims.toReversed(), onChain)).toEqual([]);
  });
});

describe('an answer is true', () => {
  test.each([
    ['a 200 with its effect', mint(200), evidence('confirmed', 1)],
    ['a confirmed mint that gave its unit', unit(200), evidence('confirmed', 1, { balance: 1 })],
    ['a 502 without one', mint(502), evidence('failed', 0)],
    ['a 202 of a failed intent', mint(202), evidence('failed', 0)],
    ['no answer at all, with an effect or without', mint(null), evidence('confirmed', 0)],
    ['a control that sent nothing because its state was there', freeze(false, 200), evidence('confirmed', 0)],
    ['an accepted control that failed', freeze(true, 202), evidence('failed', 0)],
    ['a refused control', freeze(true, 502), evidence('failed', 0)],
    ['a cancel without an effect', cancelled(200), evidence('cancelled', 0)],
    ['a cancel that came too late', cancelled(409), evidence('confirmed', 1)],
    ['no answer to a cancel, with an effect', cancelled(null), evidence('confirmed', 1)],
    [
      'a cancel that a reorg beyond final undid',
      cancelled(200),
      evidence('confirmed', 1, { isBeyondFinal: true }),
    ],
    ['a 200 with its id', { ...mint(200), result: 7n }, evidence('confirmed', 1)],
    [
      'a 200 whose transaction a reorg replaced, and its id too',
      { ...mint(200), transaction: '0x03', result: 8n },
      evidence('confirmed', 1),
    ],
  ])('%s', async (_name, claim, facts) => {
    expect(await findFalseAnswers([claim], facts)).toEqual([]);
  });

  test('after an unknown control both states are possible', async () => {
    const claims = [freeze(false, 200), freeze(true, null)];
    expect(await findFalseAnswers(claims, evidence('confirmed', 1, { isFrozen: true }))).toEqual([]);
  });

  test('a success that a reorg beyond final took back, when the service says so', async () => {
    const facts = evidence('failed', 0, { isBeyondFinal: true });
    expect(await findFalseAnswers([mint(200), freeze(true, 200)], facts)).toEqual([]);
  });
});

describe('what is told of a confirmed intent', () => {
  const record = (transaction: string | null, result: string | null): Evidence['outcomes'] => {
    const intent = { status: 'confirmed', final: true, transaction, result };
    return new Map([['one', { intent, effects: [{ transaction: '0x01', result: 7n }] }]]);
  };

  test.each([
    ['another transaction', record('0x02', '0x07')],
    ['another result', record('0x01', '0x08')],
  ])('is false with %s', (_name, outcomes) => {
    expect(findFalseRecords(outcomes)).toHaveLength(1);
  });

  test.each([
    ['its transaction and result', record('0x01', '0x07')],
    ['a result that nobody can tell', record('0x01', null)],
  ])('is true with %s', (_name, outcomes) => {
    expect(findFalseRecords(outcomes)).toEqual([]);
  });
});
