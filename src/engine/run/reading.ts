import type { Follower } from '../../chain/follower/follower.ts';
import type { BlockId } from '../../lib/block-id.ts';
import type { PassedSince } from '../settle/passed.ts';
import type { AgedCursor, Cursor } from '../store/follower.ts';
import type { OpenLane } from '../store/mined.ts';
import type { DeepReorgWatch } from '../recover/deep-reorg.ts';

/** What is known of the chain by this process, from one turn to the next. */
export interface Reading {
  follower: Follower | null;
  /** What was stored when this process took over. */
  known: Cursor | null;
  /** The head as it is stored. */
  stored: BlockId | null;
  /** Whether no step was stored yet: the first one takes back what is canonical no longer. */
  isFirst: boolean;
  /** Set while the chain does not contain the last final block. */
  reorg: DeepReorgWatch | null;
  /** The cursor was taken back: whoever takes the lease next goes on from there. */
  isRewound: boolean;
  open: OpenLane[];
  isAnyUnfinished: boolean;
  /** Commits may be lost, or an epoch is about to begin: what unknown transactions did counts in every block. */
  isUnsure: boolean;
  /** Since when no endpoint has shown the logs of some block, by `performance.now`; null while all do. */
  prunedSince: number | null;
  /** When that was so, which is before the next look begins, by the database's clock. */
  asOf: string | null;
  /** Nothing was unfinished for so long that the blocks since the last look need not be read. */
  wasIdle: boolean;
  /** Turns in a row whose answers did not fit together. */
  misfits: number;
  /** Since when open transactions are known to be passed. */
  since: PassedSince;
  // In milliseconds of `performance.now`.
  /** When a look was stored, though nothing had changed, or a change was. */
  notedAt: number;
  lookedAt: number;
  passedAt: number;
}

export const beginReading = (cursor: AgedCursor | null): Reading => ({
  follower: null,
  known: cursor,
  stored: cursor?.head ?? null,
  isFirst: true,
  reorg: null,
  isRewound: false,
  open: [],
  isAnyUnfinished: true,
  isUnsure: true,
  prunedSince: null,
  asOf: null,
  wasIdle: false,
  misfits: 0,
  since: new Map(),
  notedAt: performance.now(),
  lookedAt: performance.now() - (cursor?.ageMs ?? 0),
  passedAt: 0,
});
