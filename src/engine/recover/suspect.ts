import { unlessRefused } from '../../chain/rpc/rpc.ts';
import type { Rpc } from '../../chain/rpc/rpc.ts';
import type { BlockId } from '../../lib/block-id.ts';
import type { Hex } from '../../lib/hex.ts';
import type { Lane } from '../lane/lane.ts';
import { LaneLost } from '../lane/lease.ts';
import { pushBlock } from '../send/free-nonces.ts';
import { beginEpochs, hasEpochBegunAfter } from '../store/epochs.ts';
import { lockLane, readNextNonces } from '../store/lanes.ts';

/**
 * Whether the database may be an older copy of the one that signed before this process began. A copy of its disk, restored on the same
 * server, tells it by nothing; and endpoints that stand still do not show what its lost requests did.
 */
export interface Suspect {
  /**
   * Whether the lane may send new calls. Not before the reader has read a block that came after this process began: a repeated request is
   * known by its effect then. And not while an endpoint counts transactions of a signer that the database does not know: when they are not
   * mined within the stuck time, a new epoch begins, in which they have no effect.
   * @throws LaneLost
   */
  isCleared(lane: Lane): Promise<boolean>;
}

/** Called when the process begins. */
export function suspectDatabase(rpc: Pick<Rpc, 'callEach'>): Suspect {
  let isCleared = false;
  let shown: bigint | null = null;
  /** Since when it may not send, by `performance.now()`; null before the first look. */
  let heldSince: number | null = null;
  const readShown = async (): Promise<bigint> => (shown ??= await countMost(rpc, 'eth_blockNumber', []));
  // An endpoint that does not answer now is asked again.
  void readShown().catch(() => undefined);

  const look = async (lane: Lane): Promise<boolean> => {
    const start = await readShown();
    const cursor = await lane.chain.fresh();
    if (!cursor) return false;
    if (await hasEpochBegunAfter(lane.db, start)) return true;
    const { minesOnDemand, stuckMs } = lane.config.profile;
    const isAhead = await isAnyAhead(lane, cursor.head);
    if (!isAhead && (minesOnDemand || cursor.head.number > start)) return true;
    heldSince ??= performance.now();
    if (performance.now() - heldSince < stuckMs) return false;
    heldSince = performance.now();
    if (isAhead) await beginEpoch(lane);
    else await waitForNext(lane, cursor.head);
    return isAhead;
  };
  /** An endpoint may have told of blocks that there are not, and perhaps none comes without a transaction. */
  const waitForNext = async (lane: Lane, { number }: BlockId): Promise<void> => {
    shown = number;
    if (lane.inFlight.open().length === 0) await pushBlock(lane);
  };
  return { isCleared: async (lane) => (isCleared ||= await look(lane)) };
}

/** The highest answer of an endpoint; 0 where all refuse to say. */
async function countMost(
  rpc: Pick<Rpc, 'callEach'>,
  method: string,
  params: readonly unknown[],
): Promise<bigint> {
  const answers = (await unlessRefused(rpc.callEach<Hex>(method, params))) ?? [];
  return answers.map(BigInt).reduce((most, answer) => (answer > most ? answer : most), 0n);
}

/** Whether an endpoint counts transactions of a signer, those in its pool too, that are neither known here nor mined by this block. */
async function isAnyAhead({ db, rpc }: Lane, { hash: blockHash }: BlockId): Promise<boolean> {
  const signers = [...(await readNextNonces(db)).keys()];
  const pending = await Promise.all(
    signers.map((signer) => countMost(rpc, 'eth_getTransactionCount', [signer, 'pending'])),
  );
  const mined = await Promise.all(
    signers.map((signer) => rpc.call<Hex>('eth_getTransactionCount', [signer, { blockHash }])),
  );
  // In this order: another process stores what it signs before an endpoint counts it.
  const known = await readNextNonces(db);
  return signers.some((signer, index) => {
    const count = pending[index]!;
    return count > BigInt(mined[index]!) && count > (known.get(signer) ?? 0n);
  });
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
