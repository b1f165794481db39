import { query } from '../../db/client.ts';
import type { Db } from '../../db/client.ts';
import { toBytes, toHex } from '../../lib/hex.ts';
import type { OperatorEpoch } from '../../lib/operator-epoch.ts';
import { ROWS_AT_ONCE } from './deep-reorgs.ts';

/** The newest number that this database ever handed out; 0 when it handed out none. */
export async function readNewestNumber(db: Db): Promise<bigint> {
  const [row] = await query<{ newest: bigint }>(
    db,
    `select case when is_called then last_value else 0 end as newest from intents_number_seq`,
  );
  return row!.newest;
}

/** From here on only numbers above this one are handed out; the numbers never go back. */
export async function raiseNewestNumber(db: Db, number: bigint): Promise<void> {
  await query(
    db,
    `select setval('intents_number_seq', greatest(:number::bigint, last_value)) from intents_number_seq`,
    { number: String(number) },
  );
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

/**
 * The same for all that has no verdict: what was signed for it may not be known here, and be mined later. Many statements of a
 * few rows each; what one of them has marked stays so when a later one fails, and is left out the next time.
 */
export async function markAllFoundDone(db: Db): Promise<void> {
  let last: OpenRow | undefined = { contract: Buffer.alloc(0), number: 0n };
  while (last) last = await markPage(db, last);
  // As good as none.
  await query(db, `update intents set found_done = true where phase = 'quarantined' and not found_done`);
}

interface OpenRow {
  contract: Buffer;
  number: bigint;
}

/** Marks the first ones that come after another one in the index of what is open. Returns the last of them. */
async function markPage(db: Db, { contract, number }: OpenRow): Promise<OpenRow | undefined> {
  const rows = await query<OpenRow>(
    db,
    `with page as (
       select contract, number from intents
        where phase = 'open' and not found_done and (contract, number) > (:contract::bytea, :number::bigint)
        order by contract, number limit :size
     ), marked as (
       update intents i set found_done = true from page where i.number = page.number
     )
     select contract, number from page order by contract, number`,
    { contract, number: String(number), size: ROWS_AT_ONCE },
  );
  return rows.at(-1);
}
