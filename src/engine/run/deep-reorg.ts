import { isCanonicalAnywhere } from '../../chain/follower/follower.ts';
import { forgetReorg, noteReorg } from '../store/deep-reorgs.ts';
import { combineEffects } from '../ports.ts';
import type { Effects } from '../ports.ts';
import { resolveDeepReorg } from '../settle/deep-reorg.ts';
import type { ReorgParts, Rewound } from '../settle/deep-reorg.ts';
import { readCursor } from '../store/follower.ts';
import type { Cursor, FollowerKey } from '../store/follower.ts';

/** A reorg that took the last final block away, while it goes on. Times in milliseconds of `performance.now`. */
export interface DeepReorgWatch {
  cursor: Cursor;
  /** Since when the chain has shown nothing else, or was last found to need a person. */
  since: number;
}

/** What a look came to: the final block is there again; it waits; or everything has to be read from the ancestor on. */
export type ReorgLook = 'over' | 'waiting' | 'rewound';

/** Nothing gets a verdict from here on. */
export async function watchDeepReorg(
  { db, log, key }: Pick<ReorgParts, 'db' | 'log'> & { key: FollowerKey },
  cursor: Cursor,
): Promise<DeepReorgWatch> {
  await noteReorg(db, key);
  log.error(
    { final: Number(cursor.final.number) },
    'the chain does not contain the last final block: verdicts wait until that has been so for a while',
  );
  return { cursor, since: performance.now() };
}

/**
 * One look at a chain that lacks the last final block: an endpoint may have been wrong. What the chain has shown for
 * `stuckMs` without a break is believed.
 * @throws as `resolveDeepReorg`
 */
export async function lookAtDeepReorg(
  parts: ReorgParts & { key: FollowerKey },
  watch: DeepReorgWatch,
  stuckMs: number,
): Promise<ReorgLook> {
  const { db, log, key } = parts;
  const { final } = watch.cursor;
  if (await isCanonicalAnywhere(parts, watch.cursor)) {
    await forgetReorg(db, key);
    log.warn({ final: Number(final.number) }, 'the chain contains the last final block again');
    return 'over';
  }
  if (performance.now() - watch.since < stuckMs) return 'waiting';
  if (await resolveDeepReorg(parts, watch.cursor, key)) return 'rewound';
  watch.since = performance.now();
  return 'waiting';
}

/**
 * Resolves a reorg, however deep, since a person says so. Null when the chain contains the last final block.
 * @throws as `resolveDeepReorg`
 */
export async function acceptReorg({
  effects,
  ...parts
}: Omit<ReorgParts, 'effects'> & { effects: readonly Partial<Effects>[] }): Promise<Rewound | null> {
  const cursor = await readCursor(parts.db);
  if (!cursor || (await isCanonicalAnywhere(parts, cursor))) return null;
  return resolveDeepReorg({ ...parts, effects: combineEffects(effects) }, cursor, null);
}
