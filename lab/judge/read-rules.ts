import type { Case, Matter, Violation } from './case.ts';
import { lengthOutside, union } from './reach.ts';
import { isSettled } from './reports.ts';
import type { Report } from './reports.ts';

/** So long after a reorg, times of faults not counted, an answer may still tell what it took back. */
export const NOTICE_MS = 60_000;

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
      if (each.status !== 'confirmed' || typeof each.hash !== 'string' || of.history.blocks.length === 0)
        continue;
      const seen = of.blocksOf(each.hash).filter(({ from }) => from <= each.at);
      if (seen.length === 0)
        add('never against the chain', each, `confirmed in ${each.hash}, which is in no block`);
      const isCurrent = seen.some(
        ({ to }) => to === null || lengthOutside({ from: to, to: each.askedAt }, faults) <= NOTICE_MS,
      );
      if (seen.length > 0 && !isCurrent)
        add('never against the chain', each, `${each.hash} was taken back long ago`);
    }
    const back = firstStepBack(of, reports, removals);
    if (back) add('a verdict stays', back, `${back.status} after it was ${back.before}`);
    return found;
  });
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
  reports: readonly Report[],
  removals: readonly number[],
): (Report & { before: string }) | null {
  for (const [index, later] of reports.entries()) {
    const before = reports.slice(0, index).findLast((each) => isSettled(each) && each.at <= later.askedAt);
    if (!before || isSame(before, later)) continue;
    const isReorged = removals.some((at) => at <= later.at);
    const own = typeof before.hash === 'string' ? of.blocksOf(before.hash) : null;
    const isTakenBack = own ? own.some(({ to }) => to !== null && to <= later.at) : isReorged;
    if (before.status !== 'confirmed' || !isTakenBack) return { ...later, before: before.status };
  }
  return null;
}

const isSame = (one: Report, other: Report): boolean =>
  one.status === other.status &&
  one.error?.code === other.error?.code &&
  (typeof one.hash !== 'string' || typeof other.hash !== 'string' || one.hash === other.hash);
