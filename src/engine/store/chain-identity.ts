import { query } from '../../db/client.ts';
import type { Db } from '../../db/client.ts';
import { toBytes, toHex } from '../../lib/hex.ts';
import type { Hex } from '../../lib/hex.ts';

/** The chain that a database belongs to. */
export interface ChainIdentity {
  chainId: bigint;
  genesisHash: Hex;
  operator: Hex;
}

/** Ties a database without a chain to this one. Returns the chain that it belongs to. */
export async function tieToChain(
  db: Db,
  { chainId, genesisHash, operator }: ChainIdentity,
): Promise<ChainIdentity> {
  await query(
    db,
    `insert into chain (chain_id, genesis_hash, operator) values (:chainId, :genesisHash, :operator)
     on conflict do nothing`,
    { chainId: String(chainId), genesisHash: toBytes(genesisHash), operator: toBytes(operator) },
  );
  const [row] = await query<{ chain_id: bigint; genesis_hash: Buffer; operator: Buffer }>(
    db,
    'select chain_id, genesis_hash, operator from chain',
  );
  return { chainId: row!.chain_id, genesisHash: toHex(row!.genesis_hash), operator: toHex(row!.operator) };
}
