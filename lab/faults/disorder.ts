import type { BookedIntent } from './books.ts';
import type { ReportedCall } from './operator-events.ts';

/** What adds something new does so whenever it comes; everything else sets a state that a later one may change. */
const MAY_COME_LATE: ReadonlySet<string> = new Set([
  'mint',
  'batch_mint',
  'deploy_token',
  'create_collection',
]);

/**
 * Controls and metadata that had their effect behind a later one of their contract, one sentence each: then the chain is
 * in a state that nobody asked for last.
 * @param calls in the order of the chain
 */
export function findDisorder(
  calls: readonly ReportedCall[],
  intents: ReadonlyMap<bigint, Pick<BookedIntent, 'contract' | 'kind'>>,
): string[] {
  const newest = new Map<string, bigint>();
  const found: string[] = [];
  for (const { number, ok } of calls) {
    const intent = intents.get(number);
    if (!ok || !intent || MAY_COME_LATE.has(intent.kind)) continue;
    const { contract, kind } = intent;
    const before = newest.get(contract) ?? number;
    if (before > number) found.push(`${kind} ${number} of ${contract} was done after ${before}`);
    else newest.set(contract, number);
  }
  return found;
}
