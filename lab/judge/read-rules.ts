import type { Case, Matter, Violation } from './case.ts';
import { NOTICE_MS, seesOtherFork } from './failure-rules.ts';
import type { Span } from './history.ts';
import { lengthOutside, union } from './reach.ts';
import { isSettled } from './reports.ts';
import type { Report } from './reports.ts';

/** Nothing that was ever reported of an intent contradicts the chain of that moment, or goes back without a reorg. */
export function judgeReads(of: Case): Violation[] {
  const faults = union(of.history.faults);
  const removals = of.history.blocks.flatMap(({ to }) => to ?? []);
  return of.matters.flatMap((matter) => {
    const { wish, reports } = matter;
    const found: Violation[] = [];
    const add = (rule: string, { at }: Report, detail: string): void =>
      void found.push({ rule, subject: wish.key, detail: `at ${Math.round(at)}: ${detail}` });
    for (const each of reports) {
      const misshape = misshapeOf(each, matter);
      if (misshape) add('a sound intent', each, misshape);
      const contradiction = contradictionOf(of, each, faults);
      if (contradiction) add('never against the chain', each, contradiction);
    }
    const back = firstStepBack(of, matter, removals);
    if (back) add('a verdict stays', back, `${back.status} after it was ${back.before}`);
    return found;
  });
}

/**
 * What the chain of that moment says against a confirmation; null when it says nothing. @param faults without overlaps
 */
function contradictionOf(
  { history, blocksOf }: Case,
  report: Report,
  faults: readonly Span[],
): string | null {
  const { status, hash, askedAt, at } = report;
  if (status !== 'confirmed' || typeof hash !== 'string') return null;
  if (history.blocks.length === 0 || seesOtherFork(history, at)) return null;
  const seen = blocksOf(hash).filter(({ from }) => from <= at);
  if (seen.length === 0) return `confirmed in ${hash}, which is in no block`;
  const isCurrent = seen.some(
    ({ to }) => to === null || lengthOutside({ from: to, to: askedAt }, faults) <= NOTICE_MS,
  );
  return isCurrent ? null : `${hash} was taken back long ago`;
}

/** What openapi.yaml excludes; null when there is nothing. */
function misshapeOf({ status, hash, error }: Report, { wish }: Matter): string | null {
  if ((status === 'failed') !== (error !== null)) return `${status} with the error ${error?.code ?? 'null'}`;
  if (status === 'queued' && typeof hash === 'string') return 'queued with a transaction';
  if (status === 'cancelled' && typeof hash === 'string') return 'cancelled with a transaction';
  const isSent = wish.environment === 'live' && wish.effect.kind !== 'set';
  return status === 'confirmed' && hash === null && isSent ? 'confirmed without a transaction' : null;
}

/** The first answer that takes back a verdict which another one had before it was asked for. */
function firstStepBack(
  of: Case,
  { reports, lost }: Matter,
  removals: readonly number[],
): (Report & { before: string }) | null {
  for (const [index, later] of reports.entries()) {
    const before = reports.slice(0, index).findLast((each) => isSettled(each) && each.at <= later.askedAt);
    if (!before || isSame(before, later)) continue;
    // What was told of a verdict that is lost since.
    if (lost && before.askedAt <= lost.to && later.at > lost.to) continue;
    const isReorged = removals.some((at) => at <= later.at);
    const own = typeof before.hash === 'string' ? of.blocksOf(before.hash) : null;
    const isTakenBack =
      seesOtherFork(of.history, later.at) ||
      (own ? own.some(({ to }) => to !== null && to <= later.at) : isReorged);
    if (before.status !== 'confirmed' || !isTakenBack) return { ...later, before: before.status };
  }
  return null;
}

const isSame = (one: Report, other: Report): boolean =>
  one.status === other.status &&
  one.error?.code === other.error?.code &&
  (typeof one.hash !== 'string' || typeof other.hash !== 'string' || one.hash === other.hash);
