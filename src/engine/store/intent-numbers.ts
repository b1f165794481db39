import { query } from '../../db/client.ts';
import type { Db } from '../../db/client.ts';
import { toBytes, toHex } from '../../lib/hex.ts';
import type { OperatorEpoch } from '../../lib/operator-epoch.ts';
import { NEWEST } from './archive.ts';

/**
 * The newest number of an intent that this database has, or has archived; 0 for none. The sequence says less: a promoted copy continues
 * it up to 32 later.
 */
export async function readNewestNumber(db: Db): Promise<bigint> {
  const [row] = await query<{ newest: bigint }>(
    db,
    `select greatest(${NEWEST}, (select max(last_number) from archives), 0) as newest`,
  );
  return row!.newest;
}

/** Consecutive numbers of one Operator and epoch. */
export interface NumberGroup extends OperatorEpoch {
  /** Their number divided by their count. */
  group: bigint;
}

/** Which groups of `size` consecutive numbers have an intent without a verdict, each once. */
export async function findOpenGroups(db: Db, size: bigint): Promise<NumberGroup[]> {
  const rows = await query<{ operator: Buffer; epoch: bigint; group: bigint }>(
    db,
    `select distinct operator, epoch, number / :size::bigint as "group"
       from intents where phase = 'open'`,
    { size: String(size) },
  );
  return rows.map((row) => ({ ...row, operator: toHex(row.operator) }));
}

/** Keeps what the chain has done from being cancelled, or given up while the chain is silent, before its verdict. */
export async function markFoundDone(
  db: Db,
  { operator, epoch }: OperatorEpoch,
  numbers: readonly bigint[],
): Promise<void> {
  await query(
    db,
    // What is locked is being settled, or marked, by another replica.
    `update intents set found_done = true
      where number in (select number from intents
                        where number = any(:numbers::bigint[]) and phase = 'open'
                          and operator = :operator and epoch = :epoch
                          for no key update skip locked)`,
    { numbers: numbers.map(String), operator: toBytes(operator), epoch: String(epoch) },
  );
}
