import type { Case, Matter, Violation } from './case.ts';
import { lengthOutside, union, whenUnattended } from './reach.ts';
import { isSettled } from './reports.ts';

/** Everything has its verdict so long after the last fault at most, or after it was accepted, if that came later. */
export const SETTLE_MS = 300_000;
/** An accepted request has its verdict after so long, not counting the time in which nobody was able to send it. */
export const ATTENDED_MS = 120_000;

/** How long verdicts take. */
export function judgeTimes(of: Case): Violation[] {
  const lastFault = Math.max(0, ...of.history.faults.map(({ to }) => to));
  const unattended = whenUnattended(of.history);
  const disturbed = union(of.history.faults.filter(({ stops, cuts }) => !stops && !cuts));
  const idle = union([...unattended, ...disturbed]);
  return of.matters.flatMap((matter): Violation[] => {
    const { wish, verdict } = matter;
    if (verdict === 'open' || verdict === 'unknown') {
      return [{ rule: 'settled', subject: wish.key, detail: `at the end it is ${verdict}` }];
    }
    const settled = settledAt(matter);
    if (!settled) return [];
    const { accepted, at } = settled;
    const violation = (rule: string, ms: number): Violation[] => [
      { rule, subject: wish.key, detail: `its verdict came ${Math.round(ms / 1_000)} s late` },
    ];
    const late = at - Math.max(lastFault, accepted) - SETTLE_MS;
    if (late > 0) return violation('settled', late);
    const attended = lengthOutside({ from: accepted, to: at }, idle) - ATTENDED_MS;
    return attended > 0 ? violation('a standby takes over', attended) : [];
  });
}

/** A client that has no answer has asked again by then, and again. */
const ASKED_AGAIN_MS = 75_000;

/** When the service can be taken to have the request, and when the verdict that stayed was reported. */
function settledAt({ wish, reports }: Matter): { accepted: number; at: number } | null {
  const [first] = reports;
  const lastOpen = reports.findLastIndex((each) => !isSettled(each));
  const verdict = reports[lastOpen + 1];
  return first && verdict
    ? { accepted: Math.min(first.at, wish.askedAt + ASKED_AGAIN_MS), at: verdict.at }
    : null;
}
