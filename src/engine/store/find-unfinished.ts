import { query } from '../../db/client.ts';
import type { Db } from '../../db/client.ts';
import { toBytes, toHex } from '../../lib/hex.ts';
import type { Hex } from '../../lib/hex.ts';
import type { Attempt, Member, Transaction } from './transactions.ts';

/** Every transaction of the signer that is not final, with all its attempts and members, by nonce. */
export async function findUnfinished(db: Db, signer: Hex): Promise<Transaction[]> {
  const rows = await query<{
    id: bigint;
    nonce: bigint;
    gas_limit: bigint;
    expected_gas: bigint;
    calldata: Buffer;
    mined_hash: Buffer | null;
    block_number: bigint | null;
    block_hash: Buffer | null;
  }>(
    db,
    `select id, nonce, gas_limit, coalesce(expected_gas, gas_limit) as expected_gas, calldata, mined_hash, block_number, block_hash
       from transactions where signer = :signer and status in ('open', 'mined') order by nonce`,
    { signer: toBytes(signer) },
  );
  const ids = rows.map(({ id }) => id);
  const [attempts, members] = [await findAttempts(db, ids), await findMembers(db, ids)];
  return rows.map((row) => ({
    id: row.id,
    nonce: row.nonce,
    gasLimit: row.gas_limit,
    expectedGas: Number(row.expected_gas),
    calldata: toHex(row.calldata),
    attempts: attempts.get(row.id) ?? [],
    members: members.get(row.id) ?? [],
    mined: row.block_hash && {
      hash: toHex(row.mined_hash!),
      blockNumber: row.block_number!,
      blockHash: toHex(row.block_hash),
    },
  }));
}

/** Attempts by transaction, the highest fees last. */
async function findAttempts(db: Db, transactions: readonly bigint[]): Promise<Map<bigint, Attempt[]>> {
  const rows = await query<{
    transaction_id: bigint;
    hash: Buffer;
    raw: Buffer;
    max_fee_per_gas: string;
    max_priority_fee_per_gas: string;
  }>(
    db,
    `select transaction_id, hash, raw, max_fee_per_gas, max_priority_fee_per_gas
       from attempts where transaction_id = any(:ids::bigint[]) order by max_fee_per_gas`,
    { ids: transactions.map(String) },
  );
  return groupRows(rows, (row) => ({
    hash: toHex(row.hash),
    raw: toHex(row.raw),
    maxFeePerGas: BigInt(row.max_fee_per_gas),
    maxPriorityFeePerGas: BigInt(row.max_priority_fee_per_gas),
  }));
}

/** Live members by transaction, in the order of the calls. */
async function findMembers(db: Db, transactions: readonly bigint[]): Promise<Map<bigint, Member[]>> {
  const rows = await query<{
    transaction_id: bigint;
    intent_number: bigint;
    contract: Buffer;
    gas_cap: number;
    full_gas: boolean;
  }>(
    db,
    `select m.transaction_id, m.intent_number, i.contract, m.gas_cap, i.full_gas
       from transaction_intents m join intents i on i.number = m.intent_number
      where m.transaction_id = any(:ids::bigint[]) and m.live order by m.transaction_id, m.position`,
    { ids: transactions.map(String) },
  );
  return groupRows(rows, (row) => ({
    number: row.intent_number,
    contract: toHex(row.contract),
    gasCap: row.gas_cap,
    fullGas: row.full_gas,
  }));
}

function groupRows<Row extends { transaction_id: bigint }, Item>(
  rows: readonly Row[],
  toItem: (row: Row) => Item,
): Map<bigint, Item[]> {
  const groups = new Map<bigint, Item[]>();
  for (const row of rows) {
    const group = groups.get(row.transaction_id) ?? [];
    groups.set(row.transaction_id, [...group, toItem(row)]);
  }
  return groups;
}
