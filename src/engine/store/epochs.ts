import type { Ask } from '../../db/connection.ts';
import { query } from '../../db/client.ts';
import type { Db, Tx } from '../../db/client.ts';
import { toBytes } from '../../lib/hex.ts';
import type { Hex } from '../../lib/hex.ts';
import type { OperatorEpoch } from '../../lib/operator-epoch.ts';

/*
 * An epoch that begins is the answer to bytes that this database may lack, after a loss of commits or with another
 * server: once the Operator has it for good they can have no effect any more. What was accepted before goes on in it,
 * unless it is done by then.
 *
 * - another server (`IS_OTHER`): until `acceptServer`, by a vouch or with an epoch.
 * - suspect (`is_suspect`): from `acceptServer` by a vouch, or `suspectServer`, to `clearServer`, the sender's look.
 * - lost commits (`ARE_COMMITS_LOST`): a process knew more, or an effect or a raise is none of this database; until a
 *   person accepts it. No lane stores anything meanwhile.
 * - a pending epoch (`IS_EPOCH_PENDING`): from `BEGIN_EPOCHS` to `noteRaised`. No new calls are sent meanwhile.
 * - stale (`isStale`): of an earlier epoch than its Operator, until `moveToEpoch`. It is not sent meanwhile.
 *
 * By the first three the database may lack commits: nothing is accepted, fails or is cancelled but in the sandbox.
 */

/**
 * SQL: whether commits are lost as far as is known, or another database raises the epoch, and no person has accepted
 * that.
 */
export const ARE_COMMITS_LOST = '(select s.lost_since is not null from server s)';

/**
 * SQL: whether the server of `server s` is another one than it was: a standby that was promoted, or that of a restored
 * backup.
 */
export const IS_OTHER = 's.identity <> server_identity()';
export const IS_OTHER_SERVER = `(select ${IS_OTHER} from server s)`;

/**
 * SQL, of `server s`: whether another process may have sent what is not here: it is another server, or an endpoint
 * counts more than is known.
 */
const SUSPECTS = `s.is_suspect or ${IS_OTHER}`;
export const IS_SUSPECT = `(select ${SUSPECTS} from server s)`;

/**
 * SQL: whether this database may lack commits, and no epoch has begun since in which those have no effect. It is so
 * before any process has noticed: a pooler lets a connection go on with another server.
 */
export const MAY_LACK_COMMITS = `(select s.lost_since is not null or ${SUSPECTS} from server s)`;

/**
 * SQL that lets new intents of all Operators belong to a new epoch, which the sender raises. Where that is on its way
 * already, a new tag alone: a raise that only lost commits know, and calls of that epoch with it, would count as one of
 * this database.
 */
export const BEGIN_EPOCHS = `update operators
          set epoch = epoch + (raised_in is not null)::int, tag = sha256(uuid_send(gen_random_uuid())), raised_in = null`;

/**
 * SQL that lets numbers go on above all that lost commits may have handed out, at a place that nobody can foresee: a
 * backup that is restored twice goes on at two places. So intents of two copies have different numbers, and a bit is
 * that of one.
 */
export const SKIP_NUMBERS = `(select setval('intents_number_seq', last_value + (1 + floor(random() * 65535))::bigint * 4294967296)
                 from intents_number_seq)`;

/** SQL: whether an epoch is about to begin: what is done in the one before is not all known yet. */
export const IS_EPOCH_PENDING = 'exists (select 1 from operators where raised_in is null)';

/** SQL: whether what `intents` names is of an epoch that is over, or is about to be. */
export const isStale = (intents: string): string =>
  `exists (select 1 from operators p where p.address = ${intents}.operator and p.epoch > ${intents}.epoch)`;

/** SQL: whether what `intents` names may be done in a transaction that is not known here. */
export const mayBeDoneByUnknown = (intents: string): string => `(${MAY_LACK_COMMITS} or ${isStale(intents)})`;

/** SQL: whether what `intents` names may be done, in a transaction that was not found or is not known. */
export const mayBeDone = (intents: string): string =>
  `(${intents}.in_doubt or ${mayBeDoneByUnknown(intents)})`;

/** SQL: the same for what has had its verdict: the chain may say yet that it was wrong. */
export const mayBeReopened = (
  intents: string,
): string => `(${intents}.in_doubt or ${MAY_LACK_COMMITS} or exists (
          select 1 from operators p
           where p.address = ${intents}.operator and p.epoch > ${intents}.epoch and p.raised_in is null))`;

/**
 * Lets new intents belong to a new epoch of each Operator, as after a restore that nothing else tells of: that of a
 * copy of the disk. So numbers skip too, and an epoch that is about to begin gets another tag: another database may
 * have both.
 */
export async function beginEpochs(db: Db | Tx): Promise<void> {
  await query(db, `select ${SKIP_NUMBERS}`);
  await query(db, BEGIN_EPOCHS);
}

/**
 * Another process may have sent what is lost here: nothing is accepted, and nothing fails or is cancelled, until
 * `clearServer`.
 */
export async function suspectServer(db: Db): Promise<void> {
  await query(db, 'update server set is_suspect = true where not is_suspect');
}

/**
 * The sender has seen that all that others had sent is here, or mined, or void. @param identity of the server of which
 * it is so
 */
export async function clearServer(db: Db, identity: string): Promise<void> {
  await query(db, 'update server set is_suspect = false where identity = :identity', { identity });
}

export async function areCommitsLost(db: Db): Promise<boolean> {
  const [row] = await query<{ areLost: boolean }>(db, `select ${ARE_COMMITS_LOST} as "areLost"`);
  return row!.areLost;
}

export async function isServerSuspect(db: Db): Promise<boolean> {
  const [row] = await query<{ isSuspect: boolean }>(db, `select ${IS_SUSPECT} as "isSuspect"`);
  return row!.isSuspect;
}

/** Identities of the server that a database was on, and of the one that it is on. */
interface ServerChange {
  from: string;
  to: string;
}

/**
 * Goes on with the server as it is. The process that has the lane of the sender vouches for it: its last transaction is
 * here, and so is all that was committed before. When it is heard of no more, a new epoch begins, in which bytes that
 * the server lacks have no effect. It may be the sender in this copy alone: what another process sent since is looked
 * for before anything goes on (send/suspect.ts). Returns the change; undefined when nothing was, or another
 * process did it.
 * @param holder names this process; null when it does not vouch
 * @param isUnheard the process with the lane of the sender has not vouched in time
 */
export async function acceptServer(
  ask: Ask,
  { holder, isUnheard }: { holder: string | null; isUnheard: boolean },
): Promise<ServerChange | undefined> {
  const [change] = await ask<ServerChange>(
    `with known as materialized (
       select exists (select 1 from lanes where is_sender and holder = :holder) as has_sender
     ), accepted as (
       update server s set identity = server_identity(), is_suspect = known.has_sender from (select identity from server for update) before, known
        where ${IS_OTHER} and (known.has_sender or :isUnheard)
       returning before.identity as from, s.identity as to, known.has_sender, ${SKIP_NUMBERS}
     ), begun as (
       ${BEGIN_EPOCHS} where exists (select 1 from accepted where not has_sender)
     )
     select accepted.from, accepted.to from accepted`,
    { holder, isUnheard },
  );
  return change;
}

/** An epoch of which no final block has the raise with its tag yet. */
export interface PendingEpoch extends OperatorEpoch {
  /** 32 bytes. */
  tag: Hex;
}

export function findPendingEpochs(db: Db): Promise<PendingEpoch[]> {
  return query<PendingEpoch>(
    db,
    'select address as operator, epoch, tag from operators where raised_in is null order by address',
  );
}

/** A raise that the chain shows in a final block. */
interface RaisedEpoch extends PendingEpoch {
  blockNumber: bigint;
}

/**
 * Takes note of raises that carry the tags of this database; others are ignored. Returns the epochs that began. An
 * intent that has such an epoch already got it before a deep reorg took the raise away: it may be done in the one
 * before.
 */
export async function noteRaised(tx: Tx, raises: readonly RaisedEpoch[]): Promise<OperatorEpoch[]> {
  if (raises.length === 0) return [];
  return query<OperatorEpoch>(
    tx,
    `with begun as (
       update operators o set raised_in = r.block_number
         from unnest(:operators::bytea[], :epochs::bigint[], :tags::bytea[], :blockNumbers::bigint[]) as r (operator, epoch, tag, block_number)
        where o.address = r.operator and o.epoch = r.epoch and o.tag = r.tag and o.raised_in is null
       returning o.address as operator, o.epoch
     ), back as (
       update intents i set epoch = i.epoch - 1 from begun b
        where i.operator = b.operator and i.epoch = b.epoch and i.phase in ('open', 'quarantined')
     )
     select operator, epoch from begun`,
    {
      operators: raises.map(({ operator }) => toBytes(operator)),
      epochs: raises.map(({ epoch }) => String(epoch)),
      tags: raises.map(({ tag }) => toBytes(tag)),
      blockNumbers: raises.map(({ blockNumber }) => String(blockNumber)),
    },
  );
}

/**
 * Goes on to the epoch after one that another database has raised to, or that only lost commits knew of. Nothing
 * happens once the pending one has begun, or has another tag.
 */
export async function skipRaisedElsewhere(
  db: Db,
  { operator, tag }: PendingEpoch,
  foreign: bigint,
): Promise<void> {
  await query(
    db,
    `update operators set epoch = :foreign::bigint + 1
      where address = :operator and tag = :tag and raised_in is null and epoch <= :foreign`,
    { operator: toBytes(operator), tag: toBytes(tag), foreign: String(foreign) },
  );
}

/**
 * A reorg that is deeper than final took blocks above this one: raises in them are to be seen again. Meanwhile bytes of
 * the epoch before may have an effect, so what is not final is of that once more.
 */
export async function forgetRaises(tx: Tx, blockNumber: bigint): Promise<void> {
  await query(
    tx,
    `with forgotten as (
       update operators set raised_in = null where raised_in > :blockNumber and tag is not null returning address, epoch
     )
     update intents i set epoch = i.epoch - 1 from forgotten f
      where i.operator = f.address and i.epoch = f.epoch
        and (i.phase = 'open' or i.phase = 'confirmed' and i.final_at is null)`,
    { blockNumber: String(blockNumber) },
  );
}

/** Epochs that have begun for good, by their tags, and the time of the database in milliseconds since 1970. */
export interface BegunEpochs {
  tags: Hex[];
  time: number;
}

/** What a process compares with what was so when it began. */
export async function readBegun(db: Db): Promise<BegunEpochs> {
  const [row] = await query<BegunEpochs>(
    db,
    `select array(select tag from operators where raised_in is not null and tag is not null) as tags,
            extract(epoch from now())::float8 * 1000 as time`,
  );
  return row!;
}

/** The epoch of new intents of an Operator, and whether it has begun for good. */
export async function readEpochState(db: Db, operator: Hex): Promise<{ epoch: bigint; hasBegun: boolean }> {
  const [row] = await query<{ epoch: bigint; hasBegun: boolean }>(
    db,
    'select epoch, raised_in is not null as "hasBegun" from operators where address = :operator',
    { operator: toBytes(operator) },
  );
  return row!;
}

/**
 * Moves queued intents of an earlier epoch to the one that has begun for good. Bytes that they were in have no effect
 * any more. None of them is in doubt any more, and each may be cancelled again. Returns the numbers that moved.
 * @param numbers without an effect in the earlier epochs, at a block in which these were over for good
 */
export async function moveToEpoch(
  tx: Tx,
  { operator, epoch }: OperatorEpoch,
  numbers: readonly bigint[],
): Promise<Set<bigint>> {
  if (numbers.length === 0) return new Set();
  const rows = await query<{ number: bigint }>(
    tx,
    `update intents i set epoch = :epoch, in_doubt = false
      where i.number = any(:numbers::bigint[]) and i.status = 'queued'
        and i.operator = :operator and i.epoch < :epoch
        and exists (select 1 from operators where address = :operator and epoch = :epoch and raised_in is not null)
     returning i.number`,
    { epoch: String(epoch), operator: toBytes(operator), numbers: numbers.map(String) },
  );
  return new Set(rows.map(({ number }) => number));
}
