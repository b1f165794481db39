import type { components } from '../../../../../generated/api.ts';

type Schemas = components['schemas'];
export type Entry = Schemas['TimelineEntry'];
type Event = Entry['event'];

const UNDER_WAY_MS = 2_000;
/** Until a block is final nothing happens most of the time; a reorg is the exception. */
const CONFIRMED_MS = 10_000;

export function isOpen({ status }: Pick<Schemas['Intent'], 'status'>): boolean {
  return status === 'queued' || status === 'submitted';
}

/** What usually comes after an event. */
const NEXT: Record<Event, readonly Event[]> = {
  accepted: ['sent', 'mined', 'final'],
  requeued: ['sent', 'mined', 'final'],
  sent: ['mined', 'final'],
  bid_raised: ['mined', 'final'],
  mined: ['final'],
  confirmed: ['final'],
  failed: [],
  cancelled: [],
  final: [],
};

/** The steps that are still to come. What needed no transaction has none after its confirmation. */
export function nextSteps(entries: readonly Entry[]): readonly Event[] {
  const last = entries.at(-1);
  if (!last) return [];
  const isMined = entries.some(({ event }) => event === 'mined');
  return last.event === 'confirmed' && !isMined ? [] : NEXT[last.event];
}

/**
 * How many raises of a bid, one after the other, end with this entry: 0 for one that another follows. An entry of
 * another kind counts 1.
 */
export function countBids(entries: readonly Entry[], index: number): number {
  const isBid = (at: number): boolean => entries[at]?.event === 'bid_raised';
  if (!isBid(index)) return 1;
  if (isBid(index + 1)) return 0;
  let first = index;
  while (isBid(first - 1)) first -= 1;
  return index - first + 1;
}

/**
 * How often to look again, in milliseconds; false once nothing more is to come, and where there is nothing to follow.
 */
export function everyMs(entries: readonly Entry[] | undefined): number | false {
  if (!entries || nextSteps(entries).length === 0) return false;
  return entries.at(-1)!.event === 'confirmed' ? CONFIRMED_MS : UNDER_WAY_MS;
}
