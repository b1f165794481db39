import type { BlockSpan, ChainEffect, Effect, RunHistory, Wish } from './history.ts';
import { reportsOf, verdictOf } from './reports.ts';
import type { Report, Verdict } from './reports.ts';

export interface Violation {
  rule: string;
  /** The key of a request, or what else it is about. */
  subject: string;
  detail: string;
}

/** A request with everything that is known of it. */
export interface Matter {
  wish: Wish;
  reports: readonly Report[];
  verdict: Verdict;
  /** What the chain shows of it at the end. Of a switch: what its own transactions did. */
  effects: readonly ChainEffect[];
}

/** What the rules look at. */
export interface Case {
  history: RunHistory;
  matters: readonly Matter[];
  /** The blocks that ever had a transaction. */
  blocksOf: (hash: string) => readonly BlockSpan[];
}

export function openCase(history: RunHistory): Case {
  const byName = Map.groupBy(history.effects, ({ effect }) => nameOf(effect));
  const byTransaction = new Map<string, BlockSpan[]>();
  for (const block of history.blocks) {
    for (const hash of block.transactions) {
      byTransaction.set(hash, [...(byTransaction.get(hash) ?? []), block]);
    }
  }
  const matters = history.wishes.map((wish): Matter => {
    const reports = reportsOf(wish);
    const hashes = new Set(reports.map(({ hash }) => hash));
    const effects = (byName.get(nameOf(wish.effect)) ?? []).filter(
      ({ transactionHash }) => !isSwitch(wish.effect) || hashes.has(transactionHash),
    );
    return { wish, reports, verdict: verdictOf(wish, reports), effects };
  });
  return { history, matters, blocksOf: (hash) => byTransaction.get(hash) ?? [] };
}

/** Of the same name is what cannot be told apart on the chain. */
export function nameOf(effect: Effect): string {
  if (effect.kind === 'deploy') return `deploy ${effect.symbol}`;
  const contract = effect.contract.toLowerCase();
  if (effect.kind === 'set') return `set ${contract} ${effect.register} ${effect.value}`;
  return `mint ${contract} ${effect.to.toLowerCase()} ${effect.amount}`;
}

/** Several requests may ask for the same value of it: what each did is known by its transaction alone. */
export const isSwitch = (effect: Effect): boolean =>
  effect.kind === 'set' && !effect.register.startsWith('metadata');
