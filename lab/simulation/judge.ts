import type { ChainEffect, Effect, FaultWindow, RunHistory, Wish } from './history.ts';

/** Something that interface.md, design.md or openapi.yaml promise, and that did not hold. */
export interface Violation {
  rule: string;
  /** The key of the request, or the account. */
  subject: string;
  detail: string;
}

interface Case {
  wish: Wish;
  effects: ChainEffect[];
}

/**
 * Judges a run by what the contract of the API promises and by the chain, and by nothing that the service keeps. All of it is to
 * be settled when this is asked: requests without a verdict are violations.
 */
export function judge(history: RunHistory): Violation[] {
  const cases = history.wishes.map((wish) => ({
    wish,
    effects: history.effects.filter(({ effect }) => isSame(effect, wish.effect)),
  }));
  return [
    ...cases.flatMap((one) => judgeEffects(one, history.faults)),
    ...cases.flatMap(judgeAnswers),
    ...cases.flatMap(judgeReads),
    ...judgeStrangers(history),
    ...judgeWebhooks(history),
    ...judgeQuota(history),
  ];
}

const lastOf = (wish: Wish) => wish.reads.at(-1)?.intent;

/** 202 promises nothing yet; 429 and 503 say to come again. */
const AGAIN = new Set([202, 429, 503]);
const isVerdict = ({ status }: { status: number }): boolean => !AGAIN.has(status);
/** Answers that speak of the request under its key, which the first one of them binds. */
const verdictsOf = (wish: Wish) => wish.answers.filter(isVerdict);

/** What came of a request, by the last that its client was told: of the intent where it has one. */
function outcomeOf(wish: Wish): 'done' | 'refused' | 'open' {
  const intent = lastOf(wish);
  if (intent?.status === 'confirmed') return 'done';
  if (intent?.status === 'failed' || intent?.status === 'cancelled') return 'refused';
  if (intent) return 'open';
  const last = verdictsOf(wish).at(-1);
  if (!last) return 'open';
  return last.status < 300 ? 'done' : 'refused';
}

function judgeEffects({ wish, effects }: Case, faults: readonly FaultWindow[]): Violation[] {
  const { key: subject } = wish;
  const outcome = outcomeOf(wish);
  const shown = effects.map(({ transactionHash }) => transactionHash).join(', ');
  const last = verdictsOf(wish).at(-1);
  const said = `${last?.status ?? '-'} ${JSON.stringify(lastOf(wish)?.error ?? last?.body ?? null)}`;
  if (effects.length > 1) return [{ rule: 'once', subject, detail: `${effects.length} effects: ${shown}` }];
  if (outcome === 'open')
    return [{ rule: 'settled', subject, detail: `${effects.length} effects, no verdict; ${said}` }];
  if (outcome === 'done' && effects.length === 0) return [{ rule: 'lost', subject, detail: said }];
  if (outcome === 'refused' && effects.length > 0) {
    return [{ rule: 'failed with an effect', subject, detail: `${said}; ${shown}` }];
  }
  if (outcome === 'refused' && !mayFail(wish, faults))
    return [{ rule: 'false failure', subject, detail: said }];
  return [];
}

/** Nobody reached the chain for ten seconds: what was never signed fails then. */
const OUT_OF_REACH_MS = 10_000;
const OUT_OF_REACH = 'out of reach';

/** Whether a fault allows that a valid request of somebody with quota fails. */
function mayFail({ askedAt, answers }: Wish, faults: readonly FaultWindow[]): boolean {
  const until = answers.at(-1)?.at ?? Infinity;
  return faults.some(
    ({ kind, from, to }) =>
      kind === OUT_OF_REACH && to - from >= OUT_OF_REACH_MS && from < until && askedAt < to + OUT_OF_REACH_MS,
  );
}

/** One key is one request: every answer names the same intent, and none goes back on an earlier one. */
function judgeAnswers({ wish }: Case): Violation[] {
  const { key: subject, answers } = wish;
  const ids = new Set(answers.flatMap(({ intentId }) => intentId ?? []));
  const found: Violation[] = [];
  if (ids.size > 1) found.push({ rule: 'one intent a key', subject, detail: [...ids].join(', ') });
  for (const { status, body } of answers) {
    if (status === 500) found.push({ rule: 'no internal error', subject, detail: JSON.stringify(body) });
  }
  const verdicts = verdictsOf(wish).filter(({ intentId }) => intentId !== null);
  const statuses = new Set(verdicts.map(({ status }) => status));
  if (statuses.size > 1) {
    found.push({ rule: 'answers agree', subject, detail: [...statuses].join(', ') });
  }
  return found;
}

/** `GET /intents/{id}` never contradicts the chain. */
function judgeReads({ wish, effects }: Case): Violation[] {
  const last = lastOf(wish);
  if (last?.status !== 'confirmed' || effects.length !== 1) return [];
  const [{ transactionHash }] = effects as [ChainEffect];
  if (last.transaction?.hash === transactionHash) return [];
  return [
    {
      rule: 'the transaction of the effect',
      subject: wish.key,
      detail: `told ${last.transaction?.hash ?? 'none'}, is ${transactionHash}`,
    },
  ];
}

/** Nothing happens that nobody asked for. */
function judgeStrangers({ wishes, effects }: RunHistory): Violation[] {
  return effects
    .filter(({ effect }) => !wishes.some((wish) => isSame(effect, wish.effect)))
    .map(({ effect, transactionHash }) => ({
      rule: 'asked for',
      subject: transactionHash,
      detail: JSON.stringify(effect, (_, value: unknown) =>
        typeof value === 'bigint' ? String(value) : value,
      ),
    }));
}

interface Message {
  type: string;
  sequence: number;
  data: { id: string };
}

/** The message with the highest sequence tells what came of the intent. */
function judgeWebhooks({ wishes, received, receivers }: RunHistory): Violation[] {
  const lastWord = new Map<string, Message>();
  for (const { receiver, body } of received) {
    const message = JSON.parse(body) as Message;
    const id = `${receivers[receiver]} ${message.data.id}`;
    const before = lastWord.get(id);
    if (!before || message.sequence > before.sequence) lastWord.set(id, message);
  }
  return wishes.flatMap((wish) => {
    const intent = lastOf(wish);
    if (!intent || !['confirmed', 'failed'].includes(intent.status)) return [];
    const last = lastWord.get(`${wish.account} ${intent.id}`);
    if (last?.type === `intent.${intent.status}`) return [];
    const detail = `${intent.id} is ${intent.status}, told last: ${last?.type ?? 'nothing'}`;
    return [{ rule: 'the last word of the webhooks', subject: wish.key, detail }];
  });
}

/** One unit for each deployment and each mint that was not refused, and none for anything else. */
function judgeQuota({ wishes, stats }: RunHistory): Violation[] {
  return stats.flatMap(({ account, mintsUsed }) => {
    const due = wishes.filter(
      (wish) => wish.account === account && wish.effect.kind !== 'freeze' && outcomeOf(wish) === 'done',
    ).length;
    if (mintsUsed === due) return [];
    return [{ rule: 'quota', subject: account, detail: `${mintsUsed} used, ${due} due` }];
  });
}

function isSame(one: Effect, other: Effect): boolean {
  if (one.kind === 'deploy') return other.kind === 'deploy' && one.symbol === other.symbol;
  if (one.kind === 'freeze')
    return (
      other.kind === 'freeze' && isEqual(one.account, other.account) && isEqual(one.contract, other.contract)
    );
  return (
    other.kind === 'mint' &&
    isEqual(one.contract, other.contract) &&
    isEqual(one.to, other.to) &&
    (one.amount === null || other.amount === null || one.amount === other.amount)
  );
}

const isEqual = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();
