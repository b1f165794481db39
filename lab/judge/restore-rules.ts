import type { Case, Matter, Violation } from './case.ts';
import type { FaultWindow, RunHistory, Span } from './history.ts';

/** Nobody gets an answer from a database that lacks what the chain shows, until somebody accepts that. */
export function judgeRestores({ history, matters }: Case): Violation[] {
  const isBy = (height: number, moment: number): boolean =>
    history.blocks.some(({ number, from, to }) => number === height && to === null && from < moment);
  const isBehind = ({ loses }: FaultWindow): boolean =>
    matters.some(
      ({ wish, effects }) =>
        wish.askedAt > loses!.from && effects.some(({ block }) => isBy(block, loses!.to)),
    );
  return history.faults.flatMap((fault) => {
    const { refuses } = fault;
    if (!refuses || !isBehind(fault) || !isClear(history, refuses)) return [];
    const served = matters.filter(({ wish }) =>
      wish.answers.some(
        ({ intentId, askedAt, at }) => intentId !== null && askedAt >= refuses.from && at <= refuses.to,
      ),
    );
    const detail = 'it was answered by a database that is older than the chain';
    return served.map(({ wish }) => ({ rule: 'an older database', subject: wish.key, detail }));
  });
}

/** Who sees a part of the chain may not know. */
const isClear = ({ faults }: RunHistory, { from, to }: Span): boolean =>
  faults.filter((fault) => fault.cuts && fault.from <= to && fault.to >= from).length === 1;

/** Whether it was lost, and asked again of an older database that could not know, before a person accepted that. */
export const wasAskedOfOlder = (history: RunHistory, { wish, lost }: Matter): boolean =>
  lost !== null &&
  history.faults.some(
    ({ refuses }) =>
      refuses &&
      !isClear(history, refuses) &&
      wish.askedAt <= refuses.to &&
      (wish.answers[0]?.at ?? Infinity) >= refuses.from,
  );
