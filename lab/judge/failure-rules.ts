import type { Case, Matter, Violation } from './case.ts';
import type { Allowance, Register, RunHistory, Span } from './history.ts';
import { couldBe, isOvertaken } from './registers.ts';
import { lengthOutside, union, whenOutOfReach, whenUnattended } from './reach.ts';
import { errorOf, reportIn } from './reports.ts';

/** A write that is queued fails when no endpoint was in reach for so long. */
const OUT_OF_REACH_MS = 10_000;
/**
 * What was decided while a fault lasted may be answered so long after it, times not counted in which no endpoint can be
 * used well.
 */
const AFTERMATH_MS = 15_000;
/** So long after a reorg, times of faults not counted, an answer may still tell what it took back. */
export const NOTICE_MS = 60_000;
/** A decision that falls due at the end of a time out of reach may come so late: calls are under way. */
const DECISION_MS = 5_000;

/** A failure that a client heard of. */
export interface Failure extends Span {
  matter: Matter;
  code: string;
  message: string;
  /** Whether it is the end of an accepted request, or no verdict at all. */
  isVerdict: boolean;
}

/**
 * Every failure has a reason that the contract and the faults of the run know; `from` to `to` is when it was decided.
 */
export function judgeFailures(of: Case): Violation[] {
  const outOfReach = whenOutOfReach(of.history);
  const isExcused = (failure: Failure): boolean =>
    isUnreachable(failure, outOfReach) ||
    isCausedByState(of, failure) ||
    isHeldUp(failure) ||
    isOfNoToken(of, failure) ||
    isOfLostMint(of, failure) ||
    isExplained(of.history, { ...failure, operation: failure.matter.wish.operation });
  return of.matters.flatMap((matter) =>
    failuresOf(matter)
      .filter((failure) => !isExcused(failure))
      .map(({ code, message }) => ({
        rule: 'false failure',
        subject: matter.wish.key,
        detail: `${matter.wish.operation}: ${code} ${message}`,
        failure: { code, message },
      })),
  );
}

/** The first of several equal ones counts: the others repeat it. */
function failuresOf(matter: Matter): Failure[] {
  const { wish, reports } = matter;
  const failed = reports.find(({ status }) => status === 'failed');
  const answers = [...wish.answers.filter((each) => reportIn(each) === null), ...wish.cancels];
  const refused = answers.flatMap((answer): Failure[] => {
    const error = errorOf(answer);
    return error ? [{ matter, ...error, isVerdict: false, from: answer.askedAt, to: answer.at }] : [];
  });
  if (!failed) return refused;
  const before = reports.findLast(({ status, at }) => status !== 'failed' && at <= failed.at);
  const { code, message } = failed.error ?? { code: 'none', message: '' };
  const from = before?.askedAt ?? wish.askedAt;
  return [...refused, { matter, code, message, isVerdict: true, from, to: failed.at }];
}

/** It was never signed, and no engine had any endpoint for ten seconds before it was given up. */
function isUnreachable({ matter, code, isVerdict, from, to }: Failure, outOfReach: readonly Span[]): boolean {
  const isDeployment = matter.wish.effect.kind === 'deploy';
  if (!isVerdict || code !== (isDeployment ? 'DEPLOY_UNAVAILABLE' : 'CHAIN_ERROR')) return false;
  const wasSigned = matter.reports.some(
    ({ status, hash }) => status === 'submitted' || typeof hash === 'string',
  );
  if (wasSigned) return false;
  return outOfReach.some((span) => {
    const earliest = Math.max(from, span.from + OUT_OF_REACH_MS);
    return span.to >= span.from + OUT_OF_REACH_MS && earliest <= Math.min(to, span.to + DECISION_MS);
  });
}

/**
 * A revert that the recipient is known for, or that the order of requests may bring about: the recipient is frozen, the
 * token paused, the account not approved.
 */
function isCausedByState(of: Case, { matter, code, message, isVerdict, to }: Failure): boolean {
  const { effect, askedAt, refusal } = matter.wish;
  if (!isVerdict || effect.kind === 'deploy') return false;
  if (refusal !== undefined && code === 'CHAIN_ERROR' && message.includes(refusal)) return true;
  const might = (register: Register, value: string): boolean =>
    couldBe(of, { contract: effect.contract, register, value }, { from: askedAt, to });
  if (code === 'CHAIN_ERROR' && /TokenPaused/.test(message)) {
    return isHaltedByPause(matter) && might('paused', 'true');
  }
  if (effect.kind === 'set')
    return code === 'CHAIN_ERROR' && /overtaken|later/.test(message) && isOvertaken(of, matter);
  const account = effect.to.toLowerCase();
  if (code === 'CHAIN_ERROR' && /AccountFrozen/.test(message)) return might(`frozen ${account}`, 'true');
  const isUnapproved = code === 'VALIDATION_ERROR' && /not approved|AccountNotApproved/.test(message);
  return isUnapproved && might(`approved ${account}`, 'false');
}

const isHaltedByPause = ({ wish: { effect } }: Matter): boolean =>
  effect.kind === 'mint' || (effect.kind === 'set' && effect.register.startsWith('metadata'));

/** Metadata of an NFT whose mint is lost, and was not asked for again. */
function isOfLostMint({ matters }: Case, { matter, code, isVerdict }: Failure): boolean {
  const { effect } = matter.wish;
  if (
    isVerdict ||
    code !== 'VALIDATION_ERROR' ||
    effect.kind !== 'set' ||
    !effect.register.startsWith('metadata ')
  )
    return false;
  return matters.some(
    ({ wish, lost }) => lost && wish.effect.kind === 'mint' && wish.effect.contract === effect.contract,
  );
}

/**
 * 404 of what is lost, and of a token whose deployment is, or while a reorg or an endpoint on another fork takes it
 * away, or a short time later.
 */
function isOfNoToken(of: Case, { matter, code, isVerdict, from, to }: Failure): boolean {
  const { effect } = matter.wish;
  if (isVerdict || code !== 'NOT_FOUND') return false;
  if (matter.lost || seesOtherFork(of.history, to)) return true;
  if (effect.kind === 'deploy') return false;
  const isLost = of.matters.some(
    ({ wish, effects, lost }) =>
      lost && wish.effect.kind === 'deploy' && effects.some(({ contract }) => contract === effect.contract),
  );
  if (isLost) return true;
  const deployments = of.history.effects.filter(
    (each) => each.effect.kind === 'deploy' && each.contract === effect.contract.toLowerCase(),
  );
  const there = deployments.flatMap(({ transactionHash }) =>
    of.blocksOf(transactionHash).map((span) => ({ from: span.from, to: span.to ?? Infinity })),
  );
  return lengthOutside({ from: from - AFTERMATH_MS, to }, union(there)) > 0;
}

/** 409 while another sending of the same request is being accepted, and to a cancel that comes too late. */
function isHeldUp({ matter, code, message, isVerdict }: Failure): boolean {
  if (isVerdict || code !== 'CONFLICT') return false;
  const isTooLate = matter.wish.cancels.some(
    ({ body }) => (body as { message?: string }).message === message,
  );
  return isTooLate || matter.wish.sendings > 1;
}

/** Whether a fault of that time allows it. */
export function isExplained(
  history: RunHistory,
  { code, message = '', operation, from, to }: Span & { code: string; message?: string; operation?: string },
): boolean {
  const allowing = history.faults.filter(
    (fault) => to >= fault.from && isAmong(fault.allows, { code, message, operation }),
  );
  const unattended = whenUnattended(history);
  return allowing.some((fault) => lengthOutside({ from: fault.to, to: from }, unattended) <= AFTERMATH_MS);
}

/** Whether a fault lets the service see blocks that never were canonical, or did so a short time ago. */
export const seesOtherFork = (history: RunHistory, at: number): boolean =>
  isExplained(history, { code: 'OTHER_FORK', from: at - NOTICE_MS, to: at });

/** Whether what is allowed has this failure, by its code, a part of its message, and its operation. */
export const isAmong = (
  allowed: readonly Allowance[],
  { code, message, operation }: Pick<Failure, 'code' | 'message'> & { operation?: string | undefined },
): boolean =>
  allowed.some(
    (each) =>
      each.code === code &&
      message.includes(each.says ?? '') &&
      (each.operation === undefined || each.operation === operation),
  );
