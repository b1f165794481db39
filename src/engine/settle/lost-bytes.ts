import { RpcRefused } from '../../chain/rpc/rpc.ts';
import type { Rpc } from '../../chain/rpc/rpc.ts';
import type { Db } from '../../db/client.ts';
import type { Hex } from '../../lib/hex.ts';
import type { Cursor } from '../store/follower.ts';
import { askToFill, findLeastNonces } from '../store/least-nonces.ts';
import type { LeastNonce } from '../store/least-nonces.ts';
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
 * good, and what is not done at the head was not done by them. Nonces that nothing here is to use, and which the chain waits
 * for, are to be filled then, whoever's they are: a verdict waits for them.
 */
export function createLostBytes({ db, rpc }: LostBytesParts, findCursor: () => Promise<Cursor>): LostBytes {
  let answer: boolean | null = null;
  const ask = async (): Promise<void> => {
    const cursor = await findCursor();
    const lanes = await findLeastNonces(db);
    const used = await Promise.all(lanes.map((lane) => isUsedUp({ db, rpc }, cursor, lane)));
    answer = used.includes(false);
  };
  return {
    mayBeMined: () => {
      if (answer === null) throw new NotAsked(ask);
      return answer;
    },
  };
}

interface LostBytesParts {
  db: Db;
  rpc: Pick<Rpc, 'call'>;
}

/** Counted at the final block, or at the head where the node has forgotten the state of that; false when nobody can tell. */
async function isUsedUp(
  { db, rpc }: LostBytesParts,
  { final, head }: Cursor,
  { signer, nonce }: LeastNonce,
): Promise<boolean> {
  const atFinal = await countAt(rpc, signer, final);
  if (atFinal !== null && atFinal >= nonce) return true;
  const atHead = await countAt(rpc, signer, head);
  if (atHead === null) return false;
  if (atHead < nonce) await askToFill(db, signer, { first: atHead, end: nonce });
  return atFinal === null && atHead >= nonce;
}

/** Null when nobody can tell. */
async function countAt(rpc: Pick<Rpc, 'call'>, signer: Hex, { hash }: { hash: Hex }): Promise<bigint | null> {
  try {
    return BigInt(await rpc.call<Hex>('eth_getTransactionCount', [signer, { blockHash: hash }]));
  } catch (error) {
    if (error instanceof RpcRefused) return null;
    throw error;
  }
}
