import { openCase } from './case.ts';
import type { Case, Violation } from './case.ts';
import { judgeEffects } from './effect-rules.ts';
import { judgeFailures } from './failure-rules.ts';
import type { RunHistory } from './history.ts';
import { judgeMessages } from './message-rules.ts';
import { judgeCancels, judgeMeters } from './meter-rules.ts';
import { judgeReads } from './read-rules.ts';
import { judgeOrder } from './registers.ts';
import { judgeRestores } from './restore-rules.ts';
import { judgeTimes } from './time-rules.ts';

const RULES: readonly ((of: Case) => Violation[])[] = [
  judgeEffects,
  judgeFailures,
  judgeReads,
  judgeOrder,
  judgeCancels,
  judgeMeters,
  judgeMessages,
  judgeTimes,
  judgeRestores,
];

/**
 * Finds what a run shows and the service does not promise. It knows the contract of the API, the rules of the interface
 * and the events of the contracts, and nothing of how the service works; a request without an answer is unknown, never
 * failed.
 */
export function judge(history: RunHistory): Violation[] {
  const of = openCase(history);
  return RULES.flatMap((rule) => rule(of));
}

export type { Violation };
