import { RpcRefused } from '../../chain/rpc/rpc.ts';
import type { Rpc } from '../../chain/rpc/rpc.ts';
import { isExecutorOfAny } from '../../chain/system/roles.ts';
import type { Db } from '../../db/client.ts';
import type { BlockId, StateBlock } from '../../lib/block-id.ts';
import type { Hex } from '../../lib/hex.ts';
import { operatorsOf } from '../../lib/operators.ts';
import type { LaneConfig } from '../lane/config.ts';
import type { Cursor } from '../store/follower.ts';
import { raiseNextNonce } from '../store/lane-commands.ts';
import { areLossesUnknown, askToFill, findLeastNonces, findUncounted } from '../store/least-nonces.ts';
import type { LeastNonce, UncountedLane } from '../store/least-nonces.ts';
import { NotAsked } from './write-asking.ts';

/**
 * Signed bytes that the database may not know, since it is on another server than it was, or a copy of it that lacked
 * commits was accepted; or that lost their nonce as it seems.
 */
export interface LostBytes {
  /** Whether any of them may still be mined. @throws NotAsked */
  mayBeMined(): boolean;
}

/**
 * Those that a pool had then, and those that it may have still. None can be mined once the chain has used their nonces for
 * good, and what is not done at the head was not done by them. Nonces that nothing here is to use, and which the chain waits
 * for, are to be filled then, whoever's they are: a verdict waits for them.
 */
export function createLostBytes(parts: LostBytesParts, findCursor: () => Promise<Cursor>): LostBytes {
  let answer: boolean | null = null;
  const ask = async (): Promise<void> => {
    // A loss that is written down from here on is another one than these lanes are counted for.
    const uncounted = await findUncounted(parts.db);
    answer = (await areLossesUnknown(parts.db)) || (await mayBeMined(parts, uncounted, await findCursor()));
  };
  return {
    mayBeMined: () => {
      if (answer === null) throw new NotAsked(ask);
      return answer;
    },
  };
}

async function mayBeMined(
  parts: LostBytesParts,
  uncounted: readonly UncountedLane[],
  cursor: Cursor,
): Promise<boolean> {
  const { final, head } = cursor;
  const counts = await Promise.all(
    uncounted.map(async (lane) => {
      const used = await countNow(parts.rpc, lane.signer, head);
      const pending = await countAt(parts.rpc, lane.signer, 'pending');
      if (used === null || isAbsurd(pending ?? used, used, parts.config.maxInFlight)) return null;
      await coverLost(parts, lane, { used, pending: pending ?? used, at: { blockHash: final.hash } });
      return used;
    }),
  );
  const lanes = await findLeastNonces(parts.db);
  const used = await Promise.all(lanes.map((lane) => isUsedUp(parts, cursor, lane)));
  return counts.includes(null) || used.includes(false);
}

/**
 * At a settled head and at the newest block, whichever is later: only a count from after the loss says how far lost bytes
 * may reach, and what is settled may be hours old. Null when nobody can tell.
 */
async function countNow(rpc: Pick<Rpc, 'call'>, signer: Hex, head: BlockId): Promise<bigint | null> {
  const atHead = await countAt(rpc, signer, { blockHash: head.hash });
  const now = await countAt(rpc, signer, 'latest');
  if (atHead === null || now === null) return null;
  return atHead > now ? atHead : now;
}

interface LostBytesParts {
  db: Db;
  rpc: Pick<Rpc, 'call'>;
  config: Pick<LaneConfig, 'operator' | 'formerOperators' | 'maxInFlight'>;
}

/** Times MAX_IN_FLIGHT; that may have been larger before. */
const MAX_AHEAD = 64n;

/** Whether a pool cannot have this count: nonces that are left alone for it could never all be filled. */
export function isAbsurd(pending: bigint, used: bigint, maxInFlight: number): boolean {
  return pending > used + MAX_AHEAD * BigInt(maxInFlight);
}

/**
 * Leaves the nonces alone that bytes which the database lacks may have, and lets those that are not used be filled. The pool of
 * an endpoint need not have these bytes: those in the pool of another one may be mined yet. But none is further ahead of the
 * chain than transactions were in flight.
 * @param found the nonce that the chain takes next from the signer, what a pool says of it, and where its role is asked for
 */
export async function coverLost(
  { db, rpc, config }: LostBytesParts,
  lane: UncountedLane,
  { used, pending, at }: { used: bigint; pending: bigint; at: StateBlock },
): Promise<void> {
  // Nothing that it signed has an effect without its role, and nobody may have its key to fill a nonce.
  const isGone = lane.retiring && !(await mayExecute(rpc, operatorsOf(config), lane.signer, at));
  const end = isGone ? pending : used + BigInt(config.maxInFlight);
  await raiseNextNonce(db, lane, end > pending ? end : pending);
}

/** True as well when nobody can tell. */
async function mayExecute(
  rpc: Pick<Rpc, 'call'>,
  operators: readonly Hex[],
  signer: Hex,
  at: StateBlock,
): Promise<boolean> {
  try {
    return await isExecutorOfAny(rpc, operators, signer, at);
  } catch (error) {
    if (error instanceof RpcRefused) return true;
    throw error;
  }
}

/**
 * Counted at the final block, or at the head where the node has forgotten the state of that; false when nobody can tell. A
 * reorg may take what the head says back, so another refusal, which may be gone at the next call, does not let it decide.
 */
async function isUsedUp(
  { db, rpc }: LostBytesParts,
  { final, head }: Cursor,
  { signer, nonce }: LeastNonce,
): Promise<boolean> {
  const atFinal = await askCount(rpc, signer, { blockHash: final.hash });
  const isForgotten = atFinal instanceof RpcRefused && atFinal.kind === 'unavailable';
  if (!(atFinal instanceof RpcRefused) && atFinal >= nonce) return true;
  const atHead = await countAt(rpc, signer, { blockHash: head.hash });
  if (atHead === null) return false;
  if (atHead < nonce) await askToFill(db, signer, { first: atHead, end: nonce });
  return isForgotten && atHead >= nonce;
}

type CountBlock = { blockHash: Hex } | 'latest' | 'pending';

/** Null when nobody can tell. */
async function countAt(rpc: Pick<Rpc, 'call'>, signer: Hex, block: CountBlock): Promise<bigint | null> {
  const count = await askCount(rpc, signer, block);
  return count instanceof RpcRefused ? null : count;
}

async function askCount(
  rpc: Pick<Rpc, 'call'>,
  signer: Hex,
  block: CountBlock,
): Promise<bigint | RpcRefused> {
  try {
    return BigInt(await rpc.call<Hex>('eth_getTransactionCount', [signer, block]));
  } catch (error) {
    if (error instanceof RpcRefused) return error;
    throw error;
  }
}
