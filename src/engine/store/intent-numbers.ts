import { query } from '../../db/client.ts';
import type { Db } from '../../db/client.ts';
import { toBytes, toHex } from '../../lib/hex.ts';
import type { OperatorEpoch } from '../../lib/operator-epoch.ts';
import { NEWEST } from './archive.ts';

/** How far the numbers of intents are. */
export interface NewestNumbers {
  /** Of an intent that is here, or archived; 0 for none. */
  known: bigint;
  /** That was handed out: skipped ones too, and a promoted copy continues them up to 32 later. */
  drawn: bigint;
}

export async function readNewestNumbers(db: Db): Promise<NewestNumbers> {
  const [row] = await query<NewestNumbers>(
    db,
    `select greatest(${NEWEST}, (select max(last_number) from archives), 0) as known,
            (select case when is_called then last_value else 0 end from intents_number_seq) as drawn`,
  );
  return row!;
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
