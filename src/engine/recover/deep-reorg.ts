import { isCanonicalAnywhere, findAncestor } from '../../chain/follower/follower.ts';
import type { FollowerParts } from '../../chain/follower/follower.ts';
import {
  forgetReorg,
  noteReorg,
  ROWS_AT_ONCE,
  createKnownBlocks,
  findUnplaced,
  forgetCounts,
  noteNeedsPerson,
  noteResolved,
  reassignIntents,
  openAgainAbove,
  reopenUnplaced,
  reopenSuccesses,
} from '../store/deep-reorgs.ts';
import type { FollowUps } from '../ports.ts';
import { readCursor, rewindCursor } from '../store/reader.ts';
import type { ReaderKey } from '../store/reader.ts';
import type { Rpc } from '../../chain/rpc/rpc.ts';
import type { Db } from '../../db/client.ts';
import type { BlockId, Cursor } from '../../lib/block-id.ts';
import { chunksOf } from '../../lib/chunks.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { forgetRaises } from '../store/epochs.ts';
import { releaseEffects } from '../store/unknown-effects.ts';
import { endLaneLeases } from '../store/lanes.ts';
import { notifyChain } from '../store/notices.ts';
import type { ChangedIntent } from '../store/verdicts.ts';
import { isDone } from '../../chain/system/done-intents.ts';
import { ReaderLost } from '../settle/apply-step.ts';
import { toReopened } from '../verdict/verdict.ts';

/** A reorg that took the last final block away, while it goes on. Times in milliseconds of `performance.now`. */
export interface DeepReorgWatch {
  cursor: Cursor;
  /** Since when the chain has shown nothing else, or was last found to need a person. */
  since: number;
}

/** What a look came to: the final block is there again; it waits; or everything has to be read from the ancestor on. */
type ReorgLook = 'over' | 'waiting' | 'rewound';

/** Reader and lanes write no verdict from here on; an account may cancel what is queued. */
export async function watchDeepReorg(
  { db, log, key }: Pick<ReorgParts, 'db' | 'log'> & { key: ReaderKey },
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
  parts: ReorgParts & { key: ReaderKey },
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
export async function acceptReorg(parts: ReorgParts): Promise<Rewound | null> {
  const cursor = await readCursor(parts.db);
  if (!cursor || (await isCanonicalAnywhere(parts, cursor))) return null;
  return resolveDeepReorg(parts, cursor, null);
}

/** Transactions whose calls one statement changes: each may have hundreds. */
const TRANSACTIONS_AT_ONCE = 100;

/** What a reorg that is deeper than final is resolved with. */
interface ReorgParts {
  db: Db;
  rpc: Pick<Rpc, 'call' | 'choose'>;
  log: Logger;
  profile: Pick<FollowerParts['profile'], 'finality' | 'forkChoiceMs' | 'mayHaveZeroParents'>;
  followUps: Pick<FollowUps, 'settled'>;
}

/** What a resolved reorg took back. */
interface Rewound {
  ancestor: BlockId;
  /** Transactions that are open again. */
  transactions: number;
  /** Successes that are not final any more. */
  successes: number;
}

/**
 * Resolves a reorg that took the last final block away: the cursor goes back to a block that both forks have, what was
 * done above it is open again or not final any more, and whoever reads the chain next settles it again, as after every
 * start. Null when only a person can say so, or when the final block is there again.
 * @param reader who reads the chain; null for a person, who says so
 * @throws ReaderLost when the cursor was moved meanwhile, NotLinked, and what `Rpc.call` throws
 */
async function resolveDeepReorg(
  parts: ReorgParts,
  cursor: Cursor,
  reader: ReaderKey | null,
): Promise<Rewound | null> {
  const { db, profile, log } = parts;
  const { final } = cursor;
  const { ancestor, head } = await findAncestor(parts, final, createKnownBlocks(db), reader === null);
  if (ancestor?.hash === final.hash) return null;
  // A head below the final block may be that of an endpoint that lags; only local nodes are known to go back.
  const mayLag = profile.forkChoiceMs > 0 && head.number < final.number;
  if (!ancestor || (mayLag && reader)) {
    if (reader) await noteNeedsPerson(db, reader);
    log.error(
      { final: Number(final.number), head: Number(head.number) },
      'a reorg is deeper than this service undoes by itself: run "npm run admin -- recover --accept-reorg"',
    );
    return null;
  }
  const undone = await findUndone(parts, { final: ancestor, head });
  const rewound = await rewind(parts, cursor, { ancestor, undone });
  log.error(
    {
      final: Number(final.number),
      ancestor: Number(ancestor.number),
      head: Number(head.number),
      transactions: rewound.transactions,
      successes: rewound.successes,
    },
    'a reorg replaced blocks that were final: everything above the common ancestor is settled again',
  );
  return rewound;
}

/** Final successes whose blocks nobody knows: those that the Operator has not done at the ancestor are above it. */
async function findUndone({ db, rpc }: Pick<ReorgParts, 'db' | 'rpc'>, at: Cursor): Promise<bigint[]> {
  const undone: bigint[] = [];
  let before: bigint | null = null;
  do {
    const { last, unplaced } = await findUnplaced(db, before);
    const areDone = await Promise.all(unplaced.map((one) => isDone(rpc, at, one)));
    undone.push(...unplaced.filter((_, index) => !areDone[index]).map(({ intentNumber }) => intentNumber));
    before = last;
  } while (before !== null);
  return undone;
}

function rewind(
  { db, followUps }: ReorgParts,
  cursor: Cursor,
  { ancestor, undone }: { ancestor: BlockId; undone: readonly bigint[] },
): Promise<Rewound> {
  return db.transaction(async (tx) => {
    const key = await rewindCursor(tx, cursor, ancestor);
    if (!key) throw new ReaderLost();
    await endLaneLeases(tx);
    const { sent, givenUp, wereFinal } = await openAgainAbove(tx, ancestor.number);
    let count = 0;
    const report = async (successes: readonly ChangedIntent[]): Promise<void> => {
      if (successes.length > 0) await followUps.settled(tx, toReopened(successes, true));
      count += successes.length;
    };
    for (const ids of chunksOf(wereFinal, TRANSACTIONS_AT_ONCE)) await forgetCounts(tx, ids);
    for (const ids of chunksOf(sent, TRANSACTIONS_AT_ONCE)) await reassignIntents(tx, ids);
    for (const ids of chunksOf([...sent, ...givenUp], TRANSACTIONS_AT_ONCE))
      await report(await reopenSuccesses(tx, ids));
    for (const numbers of chunksOf(undone, ROWS_AT_ONCE)) {
      await report(await reopenUnplaced(tx, numbers));
      await releaseEffects(tx, numbers);
    }
    await forgetRaises(tx, ancestor.number);
    await noteReorg(tx, key);
    await noteResolved(tx);
    await notifyChain(tx);
    return { ancestor, transactions: sent.length + givenUp.length, successes: count };
  });
}
