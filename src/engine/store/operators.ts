import { query } from '../../db/client.ts';
import type { Db } from '../../db/client.ts';
import { toBytes } from '../../lib/hex.ts';
import type { Hex } from '../../lib/hex.ts';
import type { OperatorEpoch } from '../../lib/operator-epoch.ts';
import type { BlockId } from '../../lib/block-id.ts';
import { acceptLoss } from './newest-commits.ts';

/** The chain that a database belongs to. */
interface ChainIdentity {
  chainId: bigint;
  genesisHash: Hex;
  /** That of new contracts. */
  operator: Hex;
}

/** 32 bytes that this database drew when it was made, and that its copies share: part of where its contracts are. */
export async function readDeploymentId(db: Db): Promise<Hex> {
  const [row] = await query<{ id: Hex }>(db, 'select id from deployment');
  return row!.id;
}

/** 32 bytes that this database drew likewise, for `createNamedId`; nobody else has them. */
export async function readIdSecret(db: Db): Promise<Buffer> {
  const [row] = await query<{ secret: Hex }>(db, 'select id_secret as secret from deployment');
  return toBytes(row!.secret);
}

/** Ties a database without a chain to this one. Returns the chain that it belongs to. */
export async function tieToChain(
  db: Db,
  { chainId, genesisHash, operator }: ChainIdentity,
): Promise<ChainIdentity> {
  await query(
    db,
    `with tied as (
       insert into chain (chain_id, genesis_hash) values (:chainId, :genesisHash) on conflict do nothing returning 1
     )
     insert into operators (address, is_current) select :operator, true from tied on conflict do nothing`,
    { chainId: String(chainId), genesisHash: toBytes(genesisHash), operator: toBytes(operator) },
  );
  const [chain] = await query<Omit<ChainIdentity, 'operator'>>(
    db,
    'select chain_id as "chainId", genesis_hash as "genesisHash" from chain',
  );
  return { ...chain!, operator: (await readCurrent(db)).operator };
}

/** SQL: columns of `operators o` that make an OperatorEpoch. */
const OPERATOR = 'o.address as operator, o.epoch';

/** The Operators whose contracts this database has, and their epochs: the one of new contracts first. */
export function findOperators(db: Db): Promise<OperatorEpoch[]> {
  return query<OperatorEpoch>(db, `select ${OPERATOR} from operators o order by is_current desc`);
}

/** The Operator and epoch that new contracts belong to. */
export async function readCurrent(db: Db): Promise<OperatorEpoch> {
  const [current] = await query<OperatorEpoch>(db, `select ${OPERATOR} from operators o where is_current`);
  return current!;
}

/**
 * Lets a database that nobody has used have this Operator, whose database is gone: the reading begins at a block, and a
 * new epoch, since bytes may be on their way. Returns false when it was used.
 */
export async function adoptOperator(
  db: Db,
  { operator, deploymentId, before }: { operator: Hex; deploymentId: Hex; before: BlockId },
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const [row] = await query<{ isUsed: boolean }>(
      tx,
      `select exists (select 1 from intents where environment = 'live') or exists (select 1 from contracts) as "isUsed"`,
    );
    if (row!.isUsed) return false;
    await query(tx, 'update deployment set id = :deploymentId', { deploymentId: toBytes(deploymentId) });
    await query(tx, 'delete from operators');
    await query(tx, 'insert into operators (address, is_current) values (:operator, true)', {
      operator: toBytes(operator),
    });
    await query(
      tx,
      `update reader set term = term + 1, lease_until = '-infinity', first_number = :number, first_hash = :hash,
                           final_number = :number, final_hash = :hash, head_number = :number, head_hash = :hash`,
      { number: String(before.number), hash: toBytes(before.hash) },
    );
    await acceptLoss(tx);
    return true;
  });
}

/** SQL: the OperatorEpoch of a contract, from `operators o`. @param contract of the statement around it */
export const operatorOf = (contract: string): string => `
  select ${OPERATOR} from operators o
   where o.address = coalesce((select c.operator from contracts c where c.contract = ${contract}),
                              (select n.address from operators n where n.is_current))`;

/** The Operator and epoch that calls of a contract belong to; for a contract that is not known, those of new ones. */
export async function readOperatorOf(db: Db, contract: Hex): Promise<OperatorEpoch> {
  const bindings = { contract: toBytes(contract) };
  const [operator] = await query<OperatorEpoch>(db, operatorOf(':contract::bytea'), bindings);
  return operator!;
}
