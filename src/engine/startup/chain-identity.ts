import type { Rpc } from '../../chain/rpc/rpc.ts';
import type { Db } from '../../db/client.ts';
import type { Hex } from '../../lib/hex.ts';
import { tieToChain } from '../store/chain-identity.ts';
import { readCursor } from '../store/follower.ts';

/**
 * Ties a database to one chain: chain id, genesis block, Operator, and the last final block that it knows. Against
 * another chain every address and nonce in it would be wrong.
 * @throws Error with one sentence that says what does not fit.
 */
export async function checkChainIdentity(db: Db, rpc: Rpc, chainId: bigint, operator: Hex): Promise<void> {
  const blockHash = async (number: bigint): Promise<Hex | undefined> =>
    (await rpc.call<{ hash: Hex } | null>('eth_getBlockByNumber', [`0x${number.toString(16)}`, false]))?.hash;
  const genesisHash = await blockHash(0n);
  if (!genesisHash) throw new Error('RPC_URL answers without a genesis block');
  const known = await tieToChain(db, { chainId, genesisHash, operator });
  if (known.chainId !== chainId) {
    throw new Error(`The database belongs to chain ${known.chainId}, but RPC_URL is chain ${chainId}`);
  }
  if (known.genesisHash !== genesisHash) {
    throw new Error(
      `The database belongs to another chain ${chainId}: the genesis block behind RPC_URL is not the same`,
    );
  }
  if (known.operator !== operator) {
    throw new Error(
      `The database belongs to the Operator ${known.operator}, but OPERATOR_ADMIN makes it ${operator}`,
    );
  }
  const cursor = await readCursor(db);
  if (cursor && (await blockHash(cursor.final.number)) !== cursor.final.hash) {
    throw new Error(
      `The chain behind RPC_URL lacks block ${cursor.final.number} as this database knows it: it was reset, or it is another one`,
    );
  }
}
