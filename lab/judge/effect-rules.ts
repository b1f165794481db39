import { isForgotten, isSwitch, nameOf } from './case.ts';
import type { Case, Matter, Violation } from './case.ts';
import type { ChainEffect } from './history.ts';

/** What happened on the chain, against what was asked for and what was reported of it at the end. */
export function judgeEffects(of: Case): Violation[] {
  return [...of.matters.flatMap((matter) => judgeMatter(of, matter)), ...judgeUnasked(of)];
}

function judgeMatter(of: Case, matter: Matter): Violation[] {
  const { wish, verdict, reports, effects, lost } = matter;
  const found: Violation[] = [];
  const add = (rule: string, detail: string): void => void found.push({ rule, subject: wish.key, detail });
  const transactions = new Set(effects.map(({ transactionHash }) => transactionHash));
  const shown = `${effects.length} effects in ${[...transactions].join()}`;
  if (wish.environment === 'sandbox') {
    if (effects.length > 0) add('sandbox', `the chain shows ${shown}`);
    if (reports.some(({ hash }) => typeof hash === 'string')) add('sandbox', 'a transaction was reported');
    return found;
  }
  const intents = new Set(reports.map(({ intentId }) => intentId));
  if (intents.size > 1) add('one intent a key', [...intents].join());
  if (isSwitch(wish.effect)) return found;
  const isRepeated = effects.length > wish.items || transactions.size > 1;
  if (isRepeated) add('once', shown);
  else if (effects.length > 0 && effects.length < wish.items) add('all or nothing', shown);
  if (verdict === 'confirmed' && effects.length === 0 && !isGoneForGood(of, matter))
    add('lost', 'confirmed, and the chain does not show it');
  if (effects.length === 0 || lost) return found;
  if (verdict === 'failed' || verdict === 'cancelled' || verdict === 'refused') {
    add('an effect of what failed', `${verdict}, and the chain shows ${shown}`);
  }
  return [...found, ...judgeReported(matter)];
}

/**
 * Whether the service has lost what it knew of it, and a reorg took back since what the chain knew: nobody can do it
 * again.
 */
const isGoneForGood = ({ blocksOf }: Case, matter: Matter): boolean =>
  isForgotten(matter) &&
  matter.reports.some(({ hash }) =>
    blocksOf(hash ?? '').some(({ to }) => to !== null && to >= matter.lost!.from),
  );

/** The transaction, the id and the address that a confirmed intent names are those of its effect. */
function judgeReported({ wish, verdict, reports, effects }: Matter): Violation[] {
  const found: Violation[] = [];
  const last = reports.at(-1);
  if (verdict !== 'confirmed' || !last) return found;
  const [first] = effects as [ChainEffect, ...ChainEffect[]];
  const add = (detail: string): void =>
    void found.push({ rule: 'the effect that is reported', subject: wish.key, detail });
  if (last.hash !== undefined && last.hash !== first.transactionHash) {
    add(`it is in ${first.transactionHash}, reported is ${last.hash}`);
  }
  if (wish.effect.kind === 'mint' && typeof last.tokenId === 'string' && last.tokenId !== first.tokenId) {
    add(`the chain gave the id ${first.tokenId}, reported is ${last.tokenId}`);
  }
  const contract = wish.reads.at(-1)?.intent.contract.toLowerCase();
  if (contract !== undefined && contract !== first.contract) {
    add(`it is of ${first.contract}, reported is ${contract}`);
  }
  return found;
}

/** What the chain shows and nobody asked for, or asked for and was answered that it had no effect. */
function judgeUnasked({ history, matters }: Case): Violation[] {
  const asked = Map.groupBy(matters, ({ wish }) => nameOf(wish.effect));
  return history.effects.flatMap(({ effect, transactionHash }) => {
    const name = nameOf(effect);
    const candidates = asked.get(name) ?? [];
    const violation = (rule: string): Violation[] => [{ rule, subject: name, detail: transactionHash }];
    if (candidates.length === 0) return violation('asked for');
    if (!isSwitch(effect)) return [];
    const isOwned = candidates.some(
      ({ verdict, reports, lost }) =>
        verdict === 'unknown' ||
        verdict === 'open' ||
        lost !== null ||
        reports.some(({ hash }) => hash === transactionHash),
    );
    return isOwned ? [] : violation('an effect of what failed');
  });
}
