import { expect, test } from '@jest/globals';
import { createLogger } from '../../src/telemetry/logger.ts';
import type { VerdictEvent } from '../../src/telemetry/observe.ts';
import { createVerdictLog } from '../../src/telemetry/verdict-log.ts';

const OUTCOMES = ['confirmed', 'final', 'failed', 'cancelled', 'retracted', 'reopened'] as const;

function say(level: string, outcome: VerdictEvent['outcome']): Record<string, unknown> | null {
  let written = '';
  const log = createLogger(level, { write: (text) => void (written += text) }, 'api-1');
  const intent = {
    id: 'an id',
    accountId: 'an account',
    kind: 'mint',
    createdAt: new Date(),
    transactionHash: '0x01',
    error: outcome === 'failed' ? { code: 'CHAIN_ERROR', message: 'The call reverted: TokenPaused()' } : null,
  };
  createVerdictLog(log)([{ intent, outcome }]);
  return written === '' ? null : (JSON.parse(written) as Record<string, unknown>);
}

test('a failed intent is logged with its account, its reason and the replica', () => {
  expect(say('info', 'failed')).toEqual({
    level: 30,
    time: expect.any(String),
    replica: 'api-1',
    intent: 'an id',
    account: 'an account',
    kind: 'mint',
    transaction: '0x01',
    code: 'CHAIN_ERROR',
    reason: 'The call reverted: TokenPaused()',
    msg: 'an intent failed',
  });
});

test('what a reorg took back is a warning, and successes are there for LOG_LEVEL=debug alone', () => {
  expect(OUTCOMES.filter((outcome) => say('warn', outcome))).toEqual(['retracted', 'reopened']);
  expect(OUTCOMES.filter((outcome) => say('info', outcome))).toEqual(['failed', 'retracted', 'reopened']);
  expect(OUTCOMES.filter((outcome) => say('debug', outcome))).toEqual([...OUTCOMES]);
});
