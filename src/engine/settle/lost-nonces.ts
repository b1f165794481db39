import { RpcRefused } from '../../chain/rpc/rpc.ts';
import type { Rpc } from '../../chain/rpc/rpc.ts';
import type { Db } from '../../db/client.ts';
import type { Hex } from '../../lib/hex.ts';
import type { Cursor } from '../store/follower.ts';
import { findLostNonces } from '../store/lost-nonces.ts';
import type { LostNonce } from '../store/lost-nonces.ts';
import { NotAsked } from './write-asking.ts';

/** Nonces that another program has used, as it seems: a count may have been wrong. */
export interface LostNonces {
  /** Whether bytes that were signed for one of them may still be mined. @throws NotAsked */
  mayBeMined(): boolean;
}

interface LostNoncesParts {
  db: Db;
  rpc: Pick<Rpc, 'call'>;
}

/** None can be mined once the chain has used the nonces for good, and what is not done at the head was not done by them. */
export function createLostNonces(parts: LostNoncesParts, findCursor: () => Promise<Cursor>): LostNonces {
  let answer: boolean | null = null;
  const ask = async (): Promise<void> => {
    const cursor = await findCursor();
    const lost = await findLostNonces(parts.db);
    const used = await Promise.all(lost.map((one) => isUsedUp(parts, cursor, one)));
    answer = used.includes(false);
  };
  return {
    mayBeMined: () => {
      if (answer === null) throw new NotAsked(ask);
      return answer;
    },
  };
}

/**
 * Counted at the final block, or at the head where the node has forgotten the state of that; false when nobody can tell. A
 * reorg may take what the head says back, so another refusal, which may be gone at the next call, does not let it decide.
 */
async function isUsedUp(
  { rpc }: LostNoncesParts,
  { final, head }: Cursor,
  { signer, nonce }: LostNonce,
): Promise<boolean> {
  const atFinal = await askCount(rpc, signer, final.hash);
  if (!(atFinal instanceof RpcRefused)) return atFinal >= nonce;
  if (atFinal.kind !== 'unavailable') return false;
  const atHead = await askCount(rpc, signer, head.hash);
  return !(atHead instanceof RpcRefused) && atHead >= nonce;
}

async function askCount(rpc: Pick<Rpc, 'call'>, signer: Hex, blockHash: Hex): Promise<bigint | RpcRefused> {
  try {
    return BigInt(await rpc.call<Hex>('eth_getTransactionCount', [signer, { blockHash }]));
  } catch (error) {
    if (error instanceof RpcRefused) return error;
    throw error;
  }
}
