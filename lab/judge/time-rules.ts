import { isForgotten } from './case.ts';
import type { Case, Matter, Violation } from './case.ts';
import type { IntentRead, Received } from './history.ts';
import { lengthOutside, union, whenUnattended } from './reach.ts';
import { isSettled } from './reports.ts';

/**
 * An accepted request has its verdict after so long at the most. Not counted are times in which a signer had no engine
 * that runs and can use an endpoint, and those of other faults that hold it up.
 */
export const SETTLE_MS = 120_000;
/** A client that has no answer has asked again by then, and again. */
const ASKED_AGAIN_MS = 75_000;

/** Every request is settled, and soon: faults that leave somebody who can do it are no reason to wait for their end. */
export function judgeTimes(of: Case): Violation[] {
  const others = of.history.faults.filter(({ stops, cuts }) => !stops && cuts.length === 0);
  const unattended = whenUnattended(of.history);
  const words = Map.groupBy(of.history.received.map(wordOf), ({ intentId }) => intentId);
  return of.matters.flatMap((matter): Violation[] => {
    const { wish, verdict } = matter;
    const contract = wish.effect.kind === 'deploy' ? null : wish.effect.contract.toLowerCase();
    const holding = others.filter(({ holdsUp }) => holdsUp === undefined || holdsUp === contract);
    const uncounted = union([...unattended, ...holding]);
    const violation = (detail: string): Violation[] => [{ rule: 'settled', subject: wish.key, detail }];
    const isGone = isForgotten(matter) && wish.isGivenUp;
    const isUnsettled = (verdict === 'open' && !isGone) || (verdict === 'unknown' && !wish.isGivenUp);
    if (isUnsettled) return violation(`at the end it is ${verdict}`);
    const waited = waitOf(matter, words.get(matter.reports.at(-1)?.intentId) ?? []);
    const late = waited ? lengthOutside(waited, uncounted) - SETTLE_MS : 0;
    return late > 0 ? violation(`its verdict came ${Math.ceil(late / 1_000)} s late`) : [];
  });
}

/** What a message tells of an intent. */
interface Word {
  intentId: string | undefined;
  status: IntentRead['status'] | undefined;
  at: number;
}

function wordOf({ body, at }: Received): Word {
  const { data } = JSON.parse(body) as { data: Partial<IntentRead> };
  return { intentId: data.id, status: data.status, at };
}

/**
 * From when the service can be taken to have the request, to when the verdict that stayed was told: by a report, or
 * before it by a message, as to a client that asks a process which does not answer.
 * @param words of the messages about its intent
 */
function waitOf({ wish, reports }: Matter, words: readonly Word[]): { from: number; to: number } | null {
  const [first] = reports;
  const lastOpen = reports.findLastIndex((each) => !isSettled(each));
  const verdict = reports[lastOpen + 1];
  if (!first || !verdict) return null;
  const since = reports[lastOpen]?.askedAt ?? wish.askedAt;
  const verdicts = words.filter(({ status, at }) => status === verdict.status && at >= since);
  return {
    from: Math.min(first.at, wish.askedAt + ASKED_AGAIN_MS),
    to: Math.min(verdict.at, ...verdicts.map(({ at }) => at)),
  };
}
