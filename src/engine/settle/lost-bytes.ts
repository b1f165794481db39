import { RpcRefused } from '../../chain/rpc/rpc.ts';
import type { Rpc } from '../../chain/rpc/rpc.ts';
import type { Db } from '../../db/client.ts';
import type { Hex } from '../../lib/hex.ts';
import type { Cursor } from '../store/follower.ts';
import { findLeastNonces } from '../store/lanes.ts';
import type { LeastNonce } from '../store/lanes.ts';
import { NotAsked } from './write-asking.ts';

/**
 * Signed bytes that the database does not know, since a copy of it that lacked commits was accepted, or that lost their nonce
 * as it seems.
 */
export interface LostBytes {
  /** Whether any of them may still be mined. @throws NotAsked */
  mayBeMined(): boolean;
}

/**
 * Those that a pool had then, and those that it may have still. None can be mined once the chain has used their nonces for
 * good, and what is not done at the head was not done by them.
 */
export function createLostBytes(
  { db, rpc }: { db: Db; rpc: Pick<Rpc, 'call'> },
  findCursor: () => Promise<Cursor>,
): LostBytes {
  let answer: boolean | null = null;
  const ask = async (): Promise<void> => {
    const cursor = await findCursor();
    const used = await Promise.all((await findLeastNonces(db)).map((lane) => isUsedUp(rpc, cursor, lane)));
    answer = used.includes(false);
  };
  return {
    mayBeMined: () => {
      if (answer === null) throw new NotAsked(ask);
      return answer;
    },
  };
}

/** Counted at the final block, or at the head where the node has forgotten the state of that; false when nobody can tell. */
async function isUsedUp(
  rpc: Pick<Rpc, 'call'>,
  { final, head }: Cursor,
  { signer, nonce }: LeastNonce,
): Promise<boolean> {
  const countAt = async ({ hash }: { hash: Hex }): Promise<bigint> =>
    BigInt(await rpc.call<Hex>('eth_getTransactionCount', [signer, { blockHash: hash }]));
  for (const block of [final, head]) {
    try {
      return (await countAt(block)) >= nonce;
    } catch (error) {
      if (!(error instanceof RpcRefused)) throw error;
    }
  }
  return false;
}
