import type { Logger } from './logger.ts';
import type { Observe, VerdictEvent } from './observe.ts';

const SENTENCES: Record<VerdictEvent['outcome'], string> = {
  confirmed: 'an intent is confirmed',
  final: 'an intent is final',
  failed: 'an intent failed',
  cancelled: 'an intent was cancelled',
  retracted: 'a reorg took back what an intent did',
  reopened: 'a deep reorg took back a final verdict on an intent',
};
/** What somebody may ask about at night. Successes are many, and the line of their request says what they were. */
const LEVELS: Partial<Record<VerdictEvent['outcome'], 'info' | 'warn'>> = {
  failed: 'info',
  retracted: 'warn',
  reopened: 'warn',
};

/** Returns an observer of verdicts that logs them, with intent and account. */
export function createVerdictLog(log: Logger): Observe['settled'] {
  return (verdicts) => {
    for (const { intent, outcome } of verdicts) {
      const level = LEVELS[outcome] ?? 'debug';
      if (!log.isLevelEnabled(level)) continue;
      const { id, accountId, kind, transactionHash, error } = intent;
      const facts = { intent: id, account: accountId, kind, transaction: transactionHash };
      log[level](error ? { ...facts, code: error.code, reason: error.message } : facts, SENTENCES[outcome]);
    }
  };
}
