import { toBytes, toHex } from '../../lib/hex.ts';
import type { Hex } from '../../lib/hex.ts';
import type { Db } from '../../db/client.ts';
import { query } from '../../db/client.ts';
import type { Rpc } from '../../chain/rpc/rpc.ts';

/**
 * Ties a database to one chain: chain id, genesis block, Operator, and the last final block that it knows. Against
 * another chain every address and nonce in it would be wrong.
 * @throws Error with one sentence that says what does not fit.
 */
export async function checkChainIdentity(db: Db, rpc: Rpc, chainId: bigint, operator: Hex): Promise<void> {
  const blockHash = async (number: bigint): Promise<Hex | undefined> =>
    (await rpc.call<{ hash: Hex } | null>('eth_getBlockByNumber', [`0x${number.toString(16)}`, false]))?.hash;
  const genesis = await blockHash(0n);
  if (!genesis) throw new Error('RPC_URL answers without a genesis block');
  await query(
    db,
    'insert into chain (chain_id, genesis_hash, operator) values (?, ?, ?) on conflict do nothing',
    [String(chainId), toBytes(genesis), toBytes(operator)],
  );
  const [known] = await query<{ chain_id: bigint; genesis_hash: Buffer; operator: Buffer }>(
    db,
    'select chain_id, genesis_hash, operator from chain',
  );
  if (known!.chain_id !== chainId) {
    throw new Error(`The database belongs to chain ${known!.chain_id}, but RPC_URL is chain ${chainId}`);
  }
  if (toHex(known!.genesis_hash) !== genesis) {
    throw new Error(
      `The database belongs to another chain ${chainId}: the genesis block behind RPC_URL is not the same`,
    );
  }
  if (toHex(known!.operator) !== operator) {
    throw new Error(
      `The database belongs to the Operator ${toHex(known!.operator)}, but OPERATOR_ADMIN makes it ${operator}`,
    );
  }
  const [final] = await query<{ block_number: bigint; block_hash: Buffer }>(
    db,
    `select block_number, block_hash from transactions where status = 'final' order by id desc limit 1`,
  );
  if (final && (await blockHash(final.block_number)) !== toHex(final.block_hash)) {
    throw new Error(
      `The chain behind RPC_URL lacks block ${final.block_number} as this database knows it: it was reset, or it is another one`,
    );
  }
}
