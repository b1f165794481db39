import { query } from '../../db/client.ts';
import type { Db, Tx } from '../../db/client.ts';
import { toBytes, toHex } from '../../lib/hex.ts';
import type { Hex } from '../../lib/hex.ts';
import type { LaneKey } from './lanes.ts';

/** Fees of a transaction (EIP-1559), wei per gas. */
export interface Fees {
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
}

/** Signed bytes for one nonce. */
export interface Attempt extends Fees {
  hash: Hex;
  raw: Hex;
}

/** One call of a transaction: which intent, and the gas that it may use. */
export interface Member {
  number: bigint;
  contract: Hex;
  gasCap: number;
  fullGas: boolean;
}

/** Where a transaction is mined, and which of its attempts. */
export interface MinedIn {
  hash: Hex;
  blockNumber: bigint;
  blockHash: Hex;
}

/** A transaction that has no final verdict yet. */
export interface Transaction {
  id: bigint;
  nonce: bigint;
  gasLimit: bigint;
  /** Gas that it will use by experience. */
  expectedGas: number;
  calldata: Hex;
  /** The one with the highest fees last. */
  attempts: Attempt[];
  members: Member[];
  /** Set while a receipt of one of its attempts is in the chain and not yet final. */
  mined: MinedIn | null;
}

/** Moves the row of a transaction; false when it is not in the state `from` or the lane was lost. */
export async function updateTransaction(
  tx: Tx,
  lane: LaneKey,
  id: bigint,
  from: 'open' | 'mined',
  to: {
    status: 'open' | 'mined' | 'final' | 'displaced';
    mined: (MinedIn & { gasUsed: bigint }) | null;
  },
): Promise<boolean> {
  const rows = await query(
    tx,
    `update transactions t
        set status = :status, mined_hash = :hash, block_number = :blockNumber, block_hash = :blockHash,
            gas_used = :gasUsed
       from lanes l
      where t.id = :id and t.status = :from and l.signer = t.signer and l.signer = :signer and l.epoch = :epoch
     returning 1`,
    {
      status: to.status,
      hash: to.mined && toBytes(to.mined.hash),
      blockNumber: to.mined && String(to.mined.blockNumber),
      blockHash: to.mined && toBytes(to.mined.blockHash),
      gasUsed: to.mined && String(to.mined.gasUsed),
      id: String(id),
      from,
      signer: toBytes(lane.signer),
      epoch: String(lane.epoch),
    },
  );
  return rows.length > 0;
}

/** Frees intents of a transaction that had no effect, so that another transaction may take them. */
export async function releaseMembers(
  tx: Tx,
  transactionId: bigint,
  numbers: readonly bigint[],
): Promise<void> {
  await query(
    tx,
    `update transaction_intents set live = false
      where transaction_id = :transactionId and intent_number = any(:numbers::bigint[]) and live`,
    { transactionId: String(transactionId), numbers: numbers.map(String) },
  );
}

/** The last block in which a transaction of any signer became final. */
export async function findLastFinalBlock(
  db: Db,
): Promise<{ blockNumber: bigint; blockHash: Hex } | undefined> {
  const [row] = await query<{ block_number: bigint; block_hash: Buffer }>(
    db,
    `select block_number, block_hash from transactions where status = 'final' order by id desc limit 1`,
  );
  return row && { blockNumber: row.block_number, blockHash: toHex(row.block_hash) };
}
