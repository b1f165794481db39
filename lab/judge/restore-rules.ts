import type { Case, Violation } from './case.ts';
import type { FaultWindow, Span } from './history.ts';

/** Nobody gets an answer from a database that lacks what the chain shows, until somebody accepts that. */
export function judgeRestores({ history, matters }: Case): Violation[] {
  const isBy = (height: number, moment: number): boolean =>
    history.blocks.some(({ number, from, to }) => number === height && to === null && from < moment);
  const isBehind = ({ loses }: FaultWindow): boolean =>
    matters.some(
      ({ wish, effects }) =>
        wish.askedAt > loses!.from && effects.some(({ block }) => isBy(block, loses!.to)),
    );
  // Who sees a part of the chain may not know.
  const isClear = ({ from, to }: Span): boolean =>
    history.faults.filter((fault) => fault.cuts.length > 0 && fault.from <= to && fault.to >= from).length ===
    1;
  return history.faults.flatMap((fault) => {
    const { refuses } = fault;
    if (!refuses || !isBehind(fault) || !isClear(refuses)) return [];
    const served = matters.filter(({ wish }) =>
      wish.answers.some(
        ({ intentId, askedAt, at }) => intentId !== null && askedAt >= refuses.from && at <= refuses.to,
      ),
    );
    const detail = 'it was answered by a database that is older than the chain';
    return served.map(({ wish }) => ({ rule: 'an older database', subject: wish.key, detail }));
  });
}
