import type { BlockSpan, ChainEffect, Effect, RunHistory, Span, Wish } from './history.ts';
import { isSettled, reportsOf, verdictOf } from './reports.ts';
import type { Report, Verdict } from './reports.ts';

export interface Violation {
  rule: string;
  /** The key of a request, or what else it is about. */
  subject: string;
  detail: string;
  /** Of a false failure: what the client heard. */
  failure?: { code: string; message: string };
}

/** A request with everything that is known of it. */
export interface Matter {
  wish: Wish;
  reports: readonly Report[];
  verdict: Verdict;
  /** What the chain shows of it at the end. Of a switch: what its own transactions did. */
  effects: readonly ChainEffect[];
  /** When what the service has lost of it was committed, all of it or a part; null when it has lost nothing. */
  lost: Span | null;
}

/** What the rules look at. */
export interface Case {
  history: RunHistory;
  matters: readonly Matter[];
  /** The blocks that ever had a transaction. */
  blocksOf: (hash: string) => readonly BlockSpan[];
}

export function openCase(history: RunHistory): Case {
  const byTransaction = new Map<string, BlockSpan[]>();
  for (const block of history.blocks) {
    for (const hash of block.transactions) {
      byTransaction.set(hash, [...(byTransaction.get(hash) ?? []), block]);
    }
  }
  const matters = history.wishes.map((wish): Matter => {
    const reports = reportsOf(wish);
    const lost = lastLossOf(history, wish, reports);
    return { wish, reports, verdict: verdictOf(wish, reports), effects: [], lost };
  });
  const effects = Map.groupBy(history.effects, ({ effect }) => nameOf(effect));
  for (const [name, alike] of Map.groupBy(matters, ({ wish }) => nameOf(wish.effect))) {
    attribute(alike, effects.get(name) ?? []);
  }
  return { history, matters, blocksOf: (hash) => byTransaction.get(hash) ?? [] };
}

/** When what was committed is lost. */
export const lossesOf = ({ faults }: RunHistory): Span[] => faults.flatMap(({ loses }) => loses ?? []);

/** What was asked for by the end of the lost time, and had no verdict before it. */
function lastLossOf(history: RunHistory, { askedAt }: Wish, reports: readonly Report[]): Span | null {
  const settledAt = reports.find(isSettled)?.at ?? Infinity;
  return lossesOf(history).findLast(({ from, to }) => askedAt <= to && settledAt >= from) ?? null;
}

/** Whether the service may know nothing of it at all: it has told nothing since it lost something. */
export const isForgotten = ({ lost, reports }: Matter): boolean =>
  lost !== null && !reports.some(({ askedAt }) => askedAt > lost.to);

/**
 * Whose effects they are. Of several that asked for the same, each has those of the transaction that is reported of it;
 * what remains is of those whose transaction nobody knows, or else too much.
 */
function attribute(alike: readonly Matter[], effects: readonly ChainEffect[]): void {
  const free = new Set(effects);
  const byTransaction = Map.groupBy(effects, ({ transactionHash }) => transactionHash);
  const give = (matter: Matter, some: readonly ChainEffect[]): void => {
    const missing = Math.max(0, matter.wish.items - matter.effects.length);
    const given = some.filter((effect) => free.has(effect)).slice(0, missing);
    for (const effect of given) free.delete(effect);
    matter.effects = [...matter.effects, ...given];
  };
  const reportedOf = ({ reports }: Matter): ChainEffect[] =>
    [...new Set(reports.map(({ hash }) => hash))].flatMap((hash) => byTransaction.get(hash ?? '') ?? []);
  // In one transaction there may be several; an id or an address tells them apart.
  for (const matter of alike)
    give(
      matter,
      reportedOf(matter).filter((effect) => isReported(matter, effect)),
    );
  for (const matter of alike) give(matter, reportedOf(matter));
  const mayHave = alike.filter((matter) => !isSwitch(matter.wish.effect) || isUncertain(matter));
  for (const matter of mayHave.toSorted(
    (one, other) => Number(isUncertain(other)) - Number(isUncertain(one)),
  )) {
    if (free.size > 0) give(matter, [...free]);
  }
  const [first] = mayHave;
  if (first && !isSwitch(first.wish.effect)) first.effects = [...first.effects, ...free];
}

const isUncertain = ({ verdict }: Matter): boolean => verdict === 'unknown' || verdict === 'open';

function isReported({ wish, reports }: Matter, { contract, tokenId }: ChainEffect): boolean {
  const { kind } = wish.effect;
  if (kind === 'deploy') return wish.reads.at(-1)?.intent.contract.toLowerCase() === contract;
  const reported = reports.findLast((each) => typeof each.tokenId === 'string')?.tokenId;
  return reported === undefined || reported === tokenId;
}

/** Of the same name is what cannot be told apart on the chain. */
export function nameOf(effect: Effect): string {
  if (effect.kind === 'deploy') return `deploy ${effect.symbol}`;
  const contract = effect.contract.toLowerCase();
  if (effect.kind === 'move')
    return `move ${contract} ${effect.from} ${effect.to} ${effect.amount}`.toLowerCase();
  if (effect.kind === 'set') return `set ${contract} ${effect.register} ${effect.value}`;
  return `mint ${contract} ${effect.to.toLowerCase()} ${effect.amount}`;
}

/** Who asks for what is so already has no effect of its own. */
export const isSwitch = (effect: Effect): boolean =>
  effect.kind === 'set' && !/^metadata( \d+)?$/.test(effect.register);
