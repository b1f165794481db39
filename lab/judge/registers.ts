import type { Case, Matter, Violation } from './case.ts';
import type { ChainEffect, Effect, Span } from './history.ts';
import { isSettled } from './reports.ts';

type Setting = Extract<Effect, { kind: 'set' }>;
type Place = Pick<Setting, 'contract' | 'register'>;

const placeOf = ({ contract, register }: Place): string => `${contract.toLowerCase()} ${register}`;
const valueOf = ({ wish }: Matter): string => (wish.effect as Setting).value;
/** Null where it depends on the deployment. */
function initialOf({ register }: Place): string | null {
  if (register === 'limit' || register === 'royalty') return null;
  return /^metadata( \d+)?$/.test(register) ? '' : 'false';
}

/** Whether the one was accepted before the other was asked for, so that their order is known to their clients. */
const isBefore = (one: Matter, other: Matter): boolean =>
  one.reports.length > 0 && one.reports[0]!.at <= other.wish.askedAt;

const confirmedAt = ({ reports }: Matter): number => reports.find(isSettled)!.at;

function settingsOf({ matters }: Case, place: Place): Matter[] {
  return matters.filter(
    ({ wish: { effect, environment } }) =>
      effect.kind === 'set' && environment === 'live' && placeOf(effect) === placeOf(place),
  );
}

/**
 * Whether a register may have had a value at some moment of a time: somebody asked for it, or it is the first one, and
 * nothing that came later in the order of requests had put an end to it before.
 */
export function couldBe(of: Case, setting: Omit<Setting, 'kind'>, { from, to }: Span, but?: Matter): boolean {
  const settings = settingsOf(of, setting).filter((each) => each !== but);
  const hadEnded = (one: Matter | null): boolean =>
    settings.some(
      (other) =>
        isDone(other) &&
        valueOf(other) !== setting.value &&
        confirmedAt(other) <= from &&
        (one === null || isBefore(one, other)),
    );
  if ((initialOf(setting) ?? setting.value) === setting.value && !hadEnded(null)) return true;
  return settings.some(
    (one) => valueOf(one) === setting.value && mayHaveEffect(one) && one.wish.askedAt <= to && !hadEnded(one),
  );
}

const mayHaveEffect = ({ verdict, lost }: Matter): boolean =>
  lost !== null || !['failed', 'cancelled', 'refused'].includes(verdict);
/** And once: what was lost may have been done, and is done again. */
const isDone = ({ verdict, lost }: Matter): boolean => verdict === 'confirmed' && lost === null;

/** Whether a control or metadata of the same contract, not accepted before it, had its effect. */
export const isOvertaken = ({ matters }: Case, matter: Matter): boolean =>
  matters.some(
    (other) =>
      other !== matter &&
      other.verdict === 'confirmed' &&
      other.wish.effect.kind === 'set' &&
      other.wish.effect.contract === (matter.wish.effect as Setting).contract &&
      !isBefore(other, matter),
  );

/**
 * What a contract remembers is what was asked for last, and nothing that was accepted earlier undoes what is confirmed.
 */
export function judgeOrder(of: Case): Violation[] {
  const set = of.matters.filter(({ wish }) => wish.effect.kind === 'set');
  const places = new Map(set.map(({ wish }) => [placeOf(wish.effect as Setting), wish.effect as Setting]));
  const contracts = Map.groupBy(set, ({ wish }) => (wish.effect as Setting).contract.toLowerCase());
  return [
    ...[...places.values()].flatMap((place) => judgePlace(of, place)),
    ...[...contracts.values()].flatMap(judgeContract),
  ];
}

/**
 * Brakes and what undoes them have their effects in the order of requests, and so has all else that a contract
 * remembers.
 */
function judgeContract(settings: readonly Matter[]): Violation[] {
  const done = settings.filter((each) => isDone(each) && each.effects.length > 0);
  return done.flatMap((one) => {
    const undone = done.find(
      (other) =>
        isControl(one) === isControl(other) &&
        isBefore(one, other) &&
        byPlace(other.effects[0]!, one.effects[0]!) < 0,
    );
    if (!undone) return [];
    const detail = `${one.wish.key} came after ${undone.wish.key}, which was asked for later`;
    return [{ rule: 'order of controls', subject: placeOf(one.wish.effect as Setting), detail }];
  });
}

const isControl = ({ wish }: Matter): boolean =>
  /^(paused|locked|closed|renounced|limit|frozen .*)$/.test((wish.effect as Setting).register);

function judgePlace(of: Case, place: Setting): Violation[] {
  const found: Violation[] = [];
  const subject = placeOf(place);
  const add = (detail: string): void => void found.push({ rule: 'order of controls', subject, detail });
  const settings = settingsOf(of, place).filter(mayHaveEffect);
  const confirmed = settings.filter(isDone);
  const isLast = (one: Matter): boolean => !confirmed.some((other) => isBefore(one, other));
  const possible = settings.filter((each) => !isDone(each) || isLast(each)).map(valueOf);
  const initial = initialOf(place);
  if (confirmed.length === 0 && initial !== null) possible.push(initial);
  const events = of.history.effects.filter(
    ({ effect }) => effect.kind === 'set' && placeOf(effect) === subject,
  );
  const last = events.toSorted(byPlace).at(-1)?.effect as Setting | undefined;
  const value = last?.value ?? initial;
  if (value !== null && !possible.includes(value))
    add(`it is ${value} at the end, and should be ${[...new Set(possible)].join(' or ')}`);
  for (const one of confirmed) {
    const meanwhile = { from: one.wish.askedAt, to: confirmedAt(one) };
    const isSo = one.effects.length > 0 || couldBe(of, { ...place, value: valueOf(one) }, meanwhile, one);
    if (!isSo) add(`${one.wish.key} is confirmed without an effect, and it never was ${valueOf(one)}`);
  }
  return found;
}

const byPlace = (one: ChainEffect, other: ChainEffect): number =>
  one.block - other.block || one.logIndex - other.logIndex;
