import { RpcRefused } from '../../chain/rpc/rpc.ts';
import type { Rpc } from '../../chain/rpc/rpc.ts';
import { readTimestamp } from '../../chain/rpc/timestamp.ts';
import type { Db } from '../../db/client.ts';
import type { BlockId } from '../../lib/block-id.ts';
import type { Hex } from '../../lib/hex.ts';
import type { Lane, Suspicion } from '../lane/lane.ts';
import { LaneLost } from '../lane/lease.ts';
import { beginEpochs, clearServer, readBegun, suspectServer } from '../store/epochs.ts';
import type { BegunEpochs } from '../store/epochs.ts';
import { lockLane, readLeastNonces } from '../store/lanes.ts';
import { pushBlock } from './free-nonces.ts';

/**
 * Suspects the database of being an older copy of the one that signed before this process began: called when it begins.
 * A copy of its disk, restored on the same server, tells it by nothing; and endpoints that stand still do not show what
 * its lost requests did. Nor does another server tell who was the sender last: it is suspected anew when the one that
 * was it in the copy has vouched.
 */
export function suspectDatabase(db: Db): Suspicion {
  let look = beginSuspicion(db);
  let begunFor: string | null = null;
  return {
    clear: async (lane, suspected) => {
      if (suspected !== null && suspected !== begunFor) look = beginSuspicion(db);
      begunFor = suspected;
      if (!(await look(lane))) return false;
      if (suspected !== null) await clearServer(db, suspected);
      return true;
    },
  };
}

function beginSuspicion(db: Db): (lane: Lane) => Promise<boolean> {
  let isCleared = false;
  let start: BegunEpochs | null = null;
  // By `performance.now()`; null while it is not so.
  /** Since when an endpoint counts more. */
  let aheadSince: number | null = null;
  /** Since when a block is waited for, and the head then. */
  let waiting: { since: number; head: bigint } | null = null;
  const readStart = async (): Promise<BegunEpochs> => (start ??= await readBegun(db));
  // A database that does not answer now is asked again.
  void readStart().catch(() => undefined);

  const hasNewBlock = async (lane: Lane, head: BlockId, begunAt: number): Promise<boolean> => {
    const { minesOnDemand, stuckMs } = lane.config.profile;
    if (minesOnDemand) return true;
    const madeAt = await readTimestamp(lane.rpc, head.hash);
    if (madeAt !== null && madeAt * 1_000 >= begunAt) return true;
    waiting ??= { since: performance.now(), head: head.number };
    const waitedMs = performance.now() - waiting.since;
    // By a clock that is behind no block is new: one that came meanwhile has to do.
    if (head.number > waiting.head) return waitedMs >= stuckMs;
    // Perhaps none comes without a transaction.
    const canPush = lane.funds.areEnough && !lane.health.pause && lane.inFlight.open().length === 0;
    if (waitedMs >= stuckMs / 4 && canPush) await pushBlock(lane);
    return false;
  };
  const look = async (lane: Lane): Promise<boolean> => {
    const { tags, time } = await readStart();
    const cursor = await lane.chain.fresh();
    if (!cursor) return false;
    // What is unknown is void then.
    const now = await readBegun(lane.db);
    if (now.tags.some((tag) => !tags.includes(tag))) return true;
    const isAhead = await isAnyAhead(lane, cursor.head);
    if (isAhead && aheadSince === null) await suspectServer(lane.db);
    aheadSince = isAhead ? (aheadSince ?? performance.now()) : null;
    if (aheadSince === null) return hasNewBlock(lane, cursor.head, time);
    if (performance.now() - aheadSince < lane.config.profile.stuckMs) return false;
    await beginEpoch(lane);
    return true;
  };
  return async (lane) => (isCleared ||= await look(lane));
}

/**
 * Whether an endpoint counts transactions of a signer, those in its pool too, that are neither known here nor mined by
 * this block.
 */
async function isAnyAhead({ db, rpc }: Lane, { hash: blockHash }: BlockId): Promise<boolean> {
  const signers = [...(await readLeastNonces(db)).keys()];
  const mined = await Promise.all(
    signers.map((signer) => rpc.call<Hex>('eth_getTransactionCount', [signer, { blockHash }])),
  );
  const pending = await Promise.all(signers.map((signer) => countPending(rpc, signer)));
  // Last: another process stores what it signs before an endpoint counts it.
  const known = await readLeastNonces(db);
  return signers.some((signer, index) => {
    const count = pending[index]!;
    return count > BigInt(mined[index]!) && count > (known.get(signer) ?? 0n);
  });
}

/** The highest count of an endpoint; 0 where none tells of its pool at all. */
async function countPending(rpc: Pick<Rpc, 'callEach'>, signer: Hex): Promise<bigint> {
  try {
    const counts = await rpc.callEach<Hex>('eth_getTransactionCount', [signer, 'pending']);
    return counts.map(BigInt).reduce((most, count) => (count > most ? count : most), 0n);
  } catch (error) {
    if (error instanceof RpcRefused && error.kind === 'other') return 0n;
    throw error;
  }
}

async function beginEpoch({ db, key, log }: Lane): Promise<void> {
  await db.transaction(async (tx) => {
    if (!(await lockLane(tx, key))) throw new LaneLost();
    await beginEpochs(tx);
  });
  log.error(
    'endpoints show transactions of a signer that this database does not know: a new epoch begins, in which they have no effect',
  );
}
