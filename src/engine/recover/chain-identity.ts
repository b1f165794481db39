import { findAncestor, isCanonicalAnywhere, NotLinked } from '../../chain/follower/follower.ts';
import type { ChainProfile } from '../../chain/profile.ts';
import { OtherChain } from '../../chain/rpc/rpc.ts';
import type { Rpc } from '../../chain/rpc/rpc.ts';
import type { Db } from '../../db/client.ts';
import type { BlockId } from '../../lib/block-id.ts';
import type { Hex } from '../../lib/hex.ts';
import { findOperators, tieToChain } from '../store/operators.ts';
import { createKnownBlocks } from '../store/deep-reorgs.ts';
import { readCursor } from '../store/reader.ts';

/**
 * Ties a database to one chain: chain id, genesis block and Operator. Against another chain every address and nonce in
 * it would be wrong.
 * @param operator of new contracts
 * @throws Error with one sentence that says what does not fit.
 */
export async function checkChainIdentity(db: Db, rpc: Rpc, chainId: bigint, operator: Hex): Promise<void> {
  const blockHash = async (number: bigint): Promise<Hex | undefined> =>
    (await rpc.call<{ hash: Hex } | null>('eth_getBlockByNumber', [`0x${number.toString(16)}`, false]))?.hash;
  const genesisHash = await blockHash(0n);
  if (!genesisHash) throw new Error('RPC_URL answers without a genesis block');
  const known = await tieToChain(db, { chainId, genesisHash, operator });
  if (known.chainId !== chainId) {
    throw OtherChain.ofId(known.chainId, chainId);
  }
  if (known.genesisHash !== genesisHash) {
    throw OtherChain.ofGenesis(chainId);
  }
  rpc.expectGenesis(genesisHash);
  if (known.operator !== operator)
    throw new Error(
      `The database belongs to the Operator ${known.operator}, but the contracts of this version, OPERATOR_ADMIN and OPERATOR_ADMIN_DELAY make it ${operator}`,
    );
}

/**
 * Checks that the chain contains the last final block that the database knows, or replaced so few that the service
 * settles them again by itself.
 * @throws Error with one sentence that says how to go on
 */
export async function checkFinalBlock(db: Db, rpc: Rpc, profile: ChainProfile): Promise<void> {
  const cursor = await readCursor(db);
  if (!cursor || (await isCanonicalAnywhere({ rpc }, cursor))) return;
  if (await isShallow(db, { rpc, profile }, cursor.final)) return;
  if (await lacksContracts(db, rpc)) throw OtherChain.ofContracts();
  throw new Error(
    `The chain behind RPC_URL lacks block ${cursor.final.number} as this database knows it, and replaced more before it ` +
      'than the service undoes by itself: it was reset, or it is another one. If it is the right one, run ' +
      '"npm run admin -- recover --accept-reorg"',
  );
}

/** Whether no endpoint has any Operator of this database, as after a reset of the node to the same genesis block. */
async function lacksContracts(db: Db, rpc: Pick<Rpc, 'callEach'>): Promise<boolean> {
  const operators = await findOperators(db);
  for (const { operator } of operators) {
    const codes = await rpc.callEach<Hex>('eth_getCode', [operator, 'latest']);
    if (codes.some((code) => code !== '0x')) return false;
  }
  return operators.length > 0;
}

async function isShallow(
  db: Db,
  parts: { rpc: Rpc; profile: ChainProfile },
  final: BlockId,
): Promise<boolean> {
  try {
    return (await findAncestor(parts, final, createKnownBlocks(db), false)).ancestor !== null;
  } catch (error) {
    // Blocks came meanwhile; who reads the chain asks again.
    if (error instanceof NotLinked) return true;
    throw error;
  }
}
