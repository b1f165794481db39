import { query } from '../../db/client.ts';
import type { Db, Tx } from '../../db/client.ts';
import { toBytes } from '../../lib/hex.ts';
import type { Hex } from '../../lib/hex.ts';
import type { OperatorEpoch } from '../../lib/operator-epoch.ts';
import type { RequestId } from '../intent.ts';
import { operatorOf } from './operators.ts';
import { noteLoss } from './newest-commits.ts';
import { IS_EPOCH_PENDING, IS_OTHER, MAY_LACK_COMMITS } from './epochs.ts';
import { NEWEST } from './archive.ts';

/** An effect in a transaction that is not known here. */
export interface NumberedEffect {
  epoch: bigint;
  number: bigint;
  transactionHash: Hex;
  blockNumber: bigint;
}

/** SQL: the effects that are of no intent here. */
export const UNKNOWN_EFFECTS = '(select * from unknown_effects where intent_number is null)';

/** One that a request may have had before it was asked again. */
export interface EarlierEffect extends NumberedEffect {
  /** When it was asked again, by the database's clock. */
  askedSecondsAgo: number;
}

/** An unknown effect as the chain shows it. */
export interface UnknownEffect extends NumberedEffect {
  operator: Hex;
  /** Of the client. */
  key: bigint;
}

/** SQL: the bytes of a request's id that its call carries. */
const clientKey = (id: string): string => `substring(uuid_send(${id}) for 8)`;

/**
 * SQL: whether the call of `intents` may have been done in `effect`. A database that lost commits may have given their
 * numbers to other intents; and what has failed or was withdrawn here is done by lost bytes alone.
 */
const isOf = (intents: string, effect: string): string =>
  `${intents}.number = ${effect}.number and ${clientKey(`${intents}.id`)} = ${effect}.client_key
     and ${intents}.phase not in ('failed', 'cancelled')`;

/** Keeps effects that are of no intent here. After a deep reorg another transaction may have one. */
export async function noteUnknownEffects(tx: Tx, effects: readonly UnknownEffect[]): Promise<void> {
  if (effects.length === 0) return;
  await query(
    tx,
    `insert into unknown_effects (operator, epoch, number, client_key, transaction_hash, block_number)
     select e.* from unnest(:operators::bytea[], :epochs::bigint[], :numbers::bigint[], :keys::bytea[], :hashes::bytea[], :blocks::bigint[])
              as e (operator, epoch, number, client_key, transaction_hash, block_number)
      where not exists (select 1 from intents i where ${isOf('i', 'e')})
         on conflict (operator, epoch, number) do update
        set transaction_hash = excluded.transaction_hash, block_number = excluded.block_number
      where unknown_effects.intent_number is null`,
    {
      ...toCalls(effects),
      hashes: effects.map(({ transactionHash }) => toBytes(transactionHash)),
      blocks: effects.map(({ blockNumber }) => String(blockNumber)),
    },
  );
}

/**
 * Takes note that commits are lost when an Operator has done, in the epoch that has begun here or in a later one, what
 * no intent here is: this database is older than the chain, or another one, which thinks that it is this one, goes on
 * beside it. On another server than it was nothing is noted: a new epoch begins by itself there. Returns whether it is
 * so.
 */
export async function noteLossBy(
  tx: Tx | Db,
  effects: readonly Omit<UnknownEffect, 'transactionHash' | 'blockNumber'>[],
): Promise<boolean> {
  if (effects.length === 0) return false;
  const isLost = `not ${IS_OTHER} and exists (
    select 1 from unnest(:operators::bytea[], :epochs::bigint[], :numbers::bigint[], :keys::bytea[]) as e (operator, epoch, number, client_key)
      join operators o on o.address = e.operator and o.raised_in is not null
     where e.epoch > o.epoch
        or e.epoch = o.epoch and e.number > coalesce((select max(last_number) from archives), 0)
           and not exists (select 1 from intents i where ${isOf('i', 'e')}))`;
  const rows = await query(tx, `${noteLoss(isLost)} returning 1`, toCalls(effects));
  return rows.length > 0;
}

/**
 * SQL: as `operatorOf`, where all is known that the chain has done of its calls: else their next epoch has not begun.
 */
export const completeOperatorOf = (contract: string): string =>
  `${operatorOf(contract)} and o.raised_in is not null and not ${MAY_LACK_COMMITS}`;

/**
 * Those of these contracts of whose calls the chain may have done more than is known here: their next epoch has not
 * begun.
 */
export async function findIncomplete(tx: Tx, contracts: readonly Hex[]): Promise<Set<Hex>> {
  const rows = await query<{ contract: Hex }>(
    tx,
    `select distinct r.contract from unnest(:contracts::bytea[]) as r (contract)
      where not exists (${completeOperatorOf('r.contract')})`,
    { contracts: contracts.map(toBytes) },
  );
  return new Set(rows.map(({ contract }) => contract));
}

/** Bindings of what was called, a list of each. */
const toCalls = (effects: readonly Omit<UnknownEffect, 'transactionHash' | 'blockNumber'>[]) => ({
  operators: effects.map(({ operator }) => toBytes(operator)),
  epochs: effects.map(({ epoch }) => String(epoch)),
  numbers: effects.map(({ number }) => String(number)),
  keys: effects.map(({ key }) => toKeyBytes(key)),
});

function toKeyBytes(key: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(key);
  return bytes;
}

/**
 * SQL: the epoch, which is over, of the first effect that the request with this id may have had; null for none. In that
 * its intent is not sent before it is known.
 */
export const epochOfEffect = (id: string, operator: string): string => `
  (select min(e.epoch) from ${UNKNOWN_EFFECTS} e
    where e.client_key = ${clientKey(id)} and e.operator = ${operator}.operator and e.epoch < ${operator}.epoch)`;

/**
 * By intent, what these may have done in epochs before one, the earliest first: what a thief of a signer writes under
 * their keys is among it.
 */
export async function findEffectsOf(
  db: Db,
  numbers: readonly bigint[],
  before: bigint,
): Promise<Map<bigint, EarlierEffect[]>> {
  const rows = await query<EarlierEffect & { intent: bigint }>(
    db,
    `select i.number as intent, e.epoch, e.number, e.transaction_hash as "transactionHash", e.block_number as "blockNumber",
            extract(epoch from now() - i.created_at)::float8 as "askedSecondsAgo"
       from intents i join unknown_effects e on e.client_key = ${clientKey('i.id')} and e.operator = i.operator
        and (e.intent_number is null or e.intent_number = i.number)
      where i.number = any(:numbers::bigint[]) and e.epoch < :before order by e.block_number, e.number`,
    { numbers: numbers.map(String), before: String(before) },
  );
  const groups = Map.groupBy(rows, ({ intent }) => intent);
  return new Map(
    [...groups].map(([number, group]) => [number, group.map(({ intent: _intent, ...effect }) => effect)]),
  );
}

/** What is kept of an epoch, and of later ones. */
export async function findEffectsFrom(tx: Tx, { operator, epoch }: OperatorEpoch): Promise<UnknownEffect[]> {
  const rows = await query<Omit<UnknownEffect, 'key'> & { key: Hex }>(
    tx,
    `select operator, epoch, number, client_key as key, transaction_hash as "transactionHash", block_number as "blockNumber"
       from ${UNKNOWN_EFFECTS} e
      where operator = :operator and epoch >= :epoch order by block_number, number`,
    { operator: toBytes(operator), epoch: String(epoch) },
  );
  return rows.map((row) => ({ ...row, key: BigInt(row.key) }));
}

/** Whether there is any, or may be soon, and the time of the database in milliseconds since 1970. */
export async function lookForUnknown(db: Db): Promise<{ isAny: boolean; time: number }> {
  const [row] = await query<{ isAny: boolean; time: number }>(
    db,
    `select exists (select 1 from ${UNKNOWN_EFFECTS} e) or ${IS_EPOCH_PENDING} or ${MAY_LACK_COMMITS} as "isAny",
            extract(epoch from now())::float8 * 1000 as time`,
  );
  return row!;
}

/** The first of these ids under whose key there is an effect. */
export async function findWithEffect(db: Db, ids: readonly string[]): Promise<string | undefined> {
  const [row] = await query<{ id: string }>(
    db,
    `select id from unnest(:ids::uuid[]) with ordinality as r (id, place)
      where exists (select 1 from ${UNKNOWN_EFFECTS} e where client_key = ${clientKey('r.id')}) order by place limit 1`,
    { ids },
  );
  return row?.id;
}

/** Those of these ids under whose key there is no effect, but under that of another day. */
export async function findOfOtherDay(tx: Tx, requests: readonly RequestId[]): Promise<Set<string>> {
  const hasEffect = (id: string): string =>
    `exists (select 1 from ${UNKNOWN_EFFECTS} e where client_key = ${clientKey(id)})`;
  const rows = await query<{ id: string }>(
    tx,
    `select r.id from unnest(:ids::uuid[], :otherDayIds::uuid[]) as r (id, other_day_id)
      where ${hasEffect('r.other_day_id')} and not ${hasEffect('r.id')}`,
    {
      ids: requests.flatMap(({ id, otherDayIds }) => otherDayIds.map(() => id)),
      otherDayIds: requests.flatMap(({ otherDayIds }) => otherDayIds),
    },
  );
  return new Set(rows.map(({ id }) => id));
}

/**
 * This effect is that of an intent, which it confirms. It is kept as long as the intent: whether a deep reorg took it
 * away is told by the bit that it set, which may be another than that of the intent.
 */
export async function claimEffect(
  tx: Tx,
  intentNumber: bigint,
  { operator, epoch, number, transactionHash, blockNumber }: NumberedEffect & { operator: Hex },
): Promise<void> {
  await query(
    tx,
    `insert into unknown_effects (operator, epoch, number, client_key, transaction_hash, block_number, intent_number)
     select :operator, :epoch, :number, ${clientKey('id')}, :transactionHash, :blockNumber, number
       from intents where number = :intentNumber
         on conflict (operator, epoch, number) do update
        set intent_number = excluded.intent_number, transaction_hash = excluded.transaction_hash, block_number = excluded.block_number
      where coalesce(unknown_effects.intent_number, excluded.intent_number) = excluded.intent_number`,
    {
      ...{ operator: toBytes(operator), epoch: String(epoch), number: String(number) },
      ...{ transactionHash: toBytes(transactionHash), blockNumber: String(blockNumber) },
      intentNumber: String(intentNumber),
    },
  );
}

/**
 * The effects of these intents are of none any more, for a reorg took them away. An effect under the intent's own
 * number goes: its bit tells.
 */
export async function releaseEffects(tx: Tx, intentNumbers: readonly bigint[]): Promise<void> {
  await query(
    tx,
    `with own as (
       delete from unknown_effects where intent_number = any(:numbers::bigint[]) and intent_number = number
     )
     update unknown_effects set intent_number = null where intent_number = any(:numbers::bigint[]) and intent_number <> number`,
    { numbers: intentNumbers.map(String) },
  );
}

/**
 * Deletes up to `limit` effects whose requests nobody can repeat under their keys any more, and which no repeated one
 * waits for. Returns how many there were.
 */
export async function deleteOldEffects(db: Db, limit: number): Promise<number> {
  const rows = await query(
    db,
    `delete from unknown_effects where ctid = any(array(
       select e.ctid from unknown_effects e
        where e.intent_number is null and e.noted_at < now() - interval '2 days'
          and not exists (select 1 from intents i where i.phase in ('open', 'quarantined') and ${clientKey('i.id')} = e.client_key)
        limit :limit for update skip locked)) returning 1`,
    { limit },
  );
  return rows.length;
}

/** How far the numbers of intents are. */
interface NewestNumbers {
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
interface NumberGroup extends OperatorEpoch {
  /** Their number divided by their count. */
  group: bigint;
}

/** Which groups of `size` consecutive numbers have an intent without a verdict, each once. */
export function findOpenGroups(db: Db, size: bigint): Promise<NumberGroup[]> {
  return query<NumberGroup>(
    db,
    `select distinct operator, epoch, number / :size::bigint as "group"
       from intents where phase = 'open'`,
    { size: String(size) },
  );
}

/** Keeps what the chain has done from being cancelled, or given up while the chain is silent, before its verdict. */
export async function noteInDoubt(
  db: Db,
  { operator, epoch }: OperatorEpoch,
  numbers: readonly bigint[],
): Promise<void> {
  await query(
    db,
    // What is locked is being settled, or noted as in doubt, by another replica.
    `update intents set in_doubt = true
      where number in (select number from intents
                        where number = any(:numbers::bigint[]) and phase = 'open'
                          and operator = :operator and epoch = :epoch
                          for no key update skip locked)`,
    { numbers: numbers.map(String), operator: toBytes(operator), epoch: String(epoch) },
  );
}
