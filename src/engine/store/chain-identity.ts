import { query } from '../../db/client.ts';
import type { Db } from '../../db/client.ts';
import { toBytes, toHex } from '../../lib/hex.ts';
import type { Hex } from '../../lib/hex.ts';
import type { OperatorEpoch } from '../../lib/operator-epoch.ts';

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

/** The Operator and epoch that new intents belong to. */
export async function readCurrent(db: Db): Promise<OperatorEpoch> {
  const [row] = await query<{ operator: Buffer; epoch: bigint }>(db, 'select operator, epoch from chain');
  return { operator: toHex(row!.operator), epoch: row!.epoch };
}

/** From here on new intents belong to this epoch, unless they belong to a later one already. */
export async function raiseEpoch(db: Db, { operator, epoch }: OperatorEpoch): Promise<void> {
  await query(db, 'update chain set epoch = :epoch where operator = :operator and epoch < :epoch', {
    operator: toBytes(operator),
    epoch: String(epoch),
  });
}
