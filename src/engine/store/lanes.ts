import { hasRows, query } from '../../db/client.ts';
import type { Db, Tx } from '../../db/client.ts';
import { toBytes } from '../../lib/hex.ts';
import type { Hex } from '../../lib/hex.ts';
import { ARE_COMMITS_LOST, IS_OTHER_SERVER, acceptServer } from './epochs.ts';
import { ENDED, LEASE, isAbandoned, isLeased } from './leases.ts';

/** A lane's right to write: every statement of its holder carries the term. */
export interface LaneKey {
  signer: Hex;
  term: bigint;
}

/** Of SQL that is about one holding of a lane. */
export const laneBindings = ({ signer, term }: LaneKey) => ({
  signer: toBytes(signer),
  term: String(term),
});

/**
 * Why another lane that is well becomes the sender: the signer does not sign, all signers together have spent the fees
 * of the day, or blocks go by without its first transaction (`stuck`), where it goes on as long as no other lane can.
 */
export type LaneTrouble = 'signer' | 'budget' | 'stuck';

/** The trouble in which it sends nothing at all. */
export type PauseReason = Exclude<LaneTrouble, 'stuck'>;

/**
 * Why an Operator executes nothing of a signer: it is stopped, in another epoch, or the signer is no executor of it.
 */
export type OperatorPauseReason = 'stopped' | 'wrong-epoch' | 'no-role';

/** An Operator that executes nothing of a signer. */
export interface PausedOperator {
  operator: Hex;
  reason: OperatorPauseReason;
  since: Date;
}

/** SQL: those of `lanes l`, as JSON. */
const PAUSED_OPERATORS = `(select coalesce(json_agg(json_build_object(
              'operator', '0x' || encode(r.operator, 'hex'), 'reason', r.reason, 'since', r.since) order by r.operator), '[]')
               from paused_operators r where r.signer = l.signer)`;

/** SQL: whether any signer can pay for gas. */
export const IS_ANY_FUNDED = '(select coalesce(bool_or(funded), true) from lanes where not retiring)';

/** SQL: the least nonce that the lane of a row of `lanes` may use next, as far as the database knows. */
export const leastNonce = (lane: string): string =>
  `greatest(${lane}.least_nonce, (select max(t.nonce) + 1 from transactions t where t.signer = ${lane}.signer))`;

/**
 * By signer, the least nonce that its lane may use next; without those whose keys are lost, and which have no role any
 * more.
 */
export async function readLeastNonces(db: Db): Promise<Map<Hex, bigint>> {
  const rows = await query<{ signer: Hex; nonce: bigint }>(
    db,
    `select signer, ${leastNonce('l')} as nonce from lanes l where not buried`,
  );
  return new Map(rows.map(({ signer, nonce }) => [signer, nonce]));
}

/**
 * By signer, the nonces that are used, as its lane counted them or the database knows: of those that may still send.
 */
export async function readKnownNonces(db: Db): Promise<Map<Hex, bigint>> {
  const rows = await query<{ signer: Hex; nonce: bigint }>(
    db,
    `select signer, greatest(next_nonce, ${leastNonce('l')}) as nonce from lanes l where not retiring`,
  );
  return new Map(rows.map(({ signer, nonce }) => [signer, nonce]));
}

/** A signer's lane as it stands in the database. */
export interface LaneState {
  signer: Hex;
  nextNonce: bigint;
  /** Who took it last. */
  holder: string | null;
  /** When the lease ends, or ended; null before the first. */
  leaseUntil: Date | null;
  /** Whether a process holds it now. */
  isHeld: boolean;
  /** When it was taken the last time; null before the first. */
  takenAt: Date | null;
  /** When something of it was sent, mined, taken back or settled the last time. */
  progressedAt: Date;
  /** Whether the signer could pay for what it had to send. */
  funded: boolean;
  /** Takes no new calls. */
  retiring: boolean;
  /** Its key is lost, and what it signed has no effect any more. */
  buried: boolean;
  /** It takes new calls. */
  isSender: boolean;
  /** What keeps it from sending; null when nothing does. */
  trouble: LaneTrouble | null;
  troubleSince: Date | null;
  /** Operators that execute nothing of its signer: their calls wait. */
  pausedOperators: PausedOperator[];
  /** Open transactions. */
  open: number;
  /** The first nonce of these, and since when the oldest of them is open; null when there is none. */
  firstOpen: bigint | null;
  oldestOpen: Date | null;
  /** Mined transactions that are not final yet. */
  mined: number;
}

/** The lanes of all signers that ever had one, by address. */
export function findLanes(db: Db): Promise<LaneState[]> {
  return selectLanes(db, '', {});
}

/** The lane of one signer; undefined when it never had one. */
export async function findLane(db: Db, signer: Hex): Promise<LaneState | undefined> {
  const [lane] = await selectLanes(db, 'where l.signer = :signer', { signer: toBytes(signer) });
  return lane;
}

async function selectLanes(db: Db, where: string, bindings: Record<string, Buffer>): Promise<LaneState[]> {
  const rows = await query<LaneRow>(
    db,
    `select l.signer, l.next_nonce as "nextNonce", l.holder, nullif(l.lease_until, '-infinity') as "leaseUntil",
            ${isLeased('l')} as "isHeld", l.taken_at as "takenAt", l.progressed_at as "progressedAt", l.funded, l.retiring, l.buried, l.is_sender as "isSender",
            l.trouble, l.trouble_since as "troubleSince",
            ${PAUSED_OPERATORS} as "pausedOperators", o.open, o.first as "firstOpen", o.oldest as "oldestOpen",
            (select count(*)::int from transactions t where t.signer = l.signer and t.status = 'mined') as mined
       from lanes l, lateral (
         select count(*)::int as open, min(t.nonce) as first, min(t.created_at) as oldest
           from transactions t where t.signer = l.signer and t.status = 'open') o
      ${where} order by l.signer`,
    bindings,
  );
  return rows.map((row) => ({
    ...row,
    pausedOperators: row.pausedOperators.map((paused) => ({ ...paused, since: new Date(paused.since) })),
  }));
}

type LaneRow = Omit<LaneState, 'pausedOperators'> & {
  pausedOperators: (Omit<PausedOperator, 'since'> & { since: string })[];
};

/** The sender, or else a signer whose lane may become it, the one that was held last; undefined when there is none. */
export async function findSendingSigner(db: Db): Promise<Hex | undefined> {
  const [row] = await query<{ signer: Hex }>(
    db,
    'select signer from lanes where not retiring order by is_sender desc, lease_until desc limit 1',
  );
  return row?.signer;
}

/** Whether a process holds the lane of a signer. */
export function isLaneHeld(db: Db, signer: Hex): Promise<boolean> {
  return hasRows(db, `select 1 from lanes l where signer = :signer and ${isLeased('l')}`, {
    signer: toBytes(signer),
  });
}

/** Signers with open transactions whose lanes nobody holds. */
export async function findAbandonedLanes(db: Db): Promise<Hex[]> {
  const rows = await query<{ signer: Hex }>(
    db,
    `select l.signer from lanes l
      where ${isAbandoned('l')} and not ${ARE_COMMITS_LOST}
        and exists (select 1 from transactions t where t.signer = l.signer and t.status = 'open')`,
  );
  return rows.map(({ signer }) => signer);
}

/**
 * Whether the sender is to bring blocks for another signer: a transaction with calls waits for depth, and nobody holds
 * its lane, or that cannot sign or pay.
 */
export function isDepthMissing(db: Db, lane: LaneKey): Promise<boolean> {
  return hasRows(
    db,
    `select 1 from transactions t join lanes l using (signer)
      where t.status = 'mined' and not (t.is_noop and t.calldata = '')
        and t.block_number > (select final_number from reader)
        and l.signer <> :signer and (${isAbandoned('l')} or l.trouble = 'signer' or not l.funded)
        and exists (select 1 from lanes s where s.signer = :signer and s.term = :term and s.is_sender)
      limit 1`,
    laneBindings(lane),
  );
}

/** The nonce that the chain takes next from a signer. */
export interface NonceOnChain {
  nonce: bigint;
  /** Whether it was counted at the canonical head. One endpoint's `latest` decides only on a lane that is new. */
  isAtCanonicalHead: boolean;
}

/**
 * Takes the lane of a signer if nobody holds it, and no commits are lost as far as was known when this began: a lane
 * that is taken while a loss is written down is of no use to its holder, who loses it at its next write. The term grows
 * with each holder. It goes on at the chain's nonce, or above its own transactions when these are ahead: the last
 * holder may have stored one while the lane was taken from it. A higher one that it had by a wrong count, and that
 * nothing was signed for, is forgotten.
 */
export async function takeLane(
  db: Db,
  signer: Hex,
  { holder, leaseMs, onChain }: { holder: string; leaseMs: number; onChain: NonceOnChain },
): Promise<{ term: bigint; nextNonce: bigint } | undefined> {
  return db.transaction(async (tx) => {
    const [before] = await query<{ isOther: boolean; isOwn: boolean }>(
      tx,
      `select ${IS_OTHER_SERVER} as "isOther",
              exists (select 1 from lanes where signer = :signer and holder = :holder) as "isOwn"`,
      { signer: toBytes(signer), holder },
    );
    const [row] = await query<{ term: bigint; nextNonce: bigint }>(
      tx,
      `insert into lanes (signer, term, holder, lease_until, lease_ms, next_nonce, taken_at)
       select :signer, 1, :holder, now() + :leaseMs::int * interval '1 millisecond', :leaseMs::int, :nonce, now()
        where not ${ARE_COMMITS_LOST}
       on conflict (signer) do update
          set term = lanes.term + 1, holder = excluded.holder, lease_until = excluded.lease_until,
              lease_ms = excluded.lease_ms,
              taken_at = now(), trouble = null, trouble_since = null,
              next_nonce = greatest(
                case when :isAtCanonicalHead then excluded.next_nonce else lanes.next_nonce end, ${leastNonce('lanes')})
        where not ${isLeased('lanes')}
       returning term, next_nonce as "nextNonce"`,
      {
        signer: toBytes(signer),
        holder,
        leaseMs,
        nonce: String(onChain.nonce),
        isAtCanonicalHead: onChain.isAtCanonicalHead,
      },
    );
    // Nobody vouches for what its last holder stored.
    if (row && before!.isOther && !before!.isOwn)
      await acceptServer((sql, bindings) => query(tx, sql, bindings), { holder: null, isUnheard: true });
    // In a statement of its own, which sees what the last holder noted while the one above waited for it.
    if (row)
      await query(tx, 'delete from paused_operators where signer = :signer', { signer: toBytes(signer) });
    return row;
  });
}

/**
 * False when the lane was lost.
 * @param times.progressedMs milliseconds since its last progress; null for none under this holder
 */
export function renewLease(
  db: Db,
  lane: LaneKey,
  times: { leaseMs: number; progressedMs: number | null },
): Promise<boolean> {
  return hasRows(
    db,
    // `greatest` leaves nulls out.
    `update lanes set ${LEASE},
            progressed_at = greatest(progressed_at, now() - :progressedMs::float8 * interval '1 millisecond')
      where signer = :signer and term = :term and not ${ARE_COMMITS_LOST} returning 1`,
    { ...laneBindings(lane), ...times },
  );
}

/** Lets another process take the lane at once. */
export async function endLease(db: Db, lane: LaneKey): Promise<void> {
  await query(
    db,
    `update lanes set lease_until = ${ENDED} where signer = :signer and term = :term`,
    laneBindings(lane),
  );
}

/**
 * SQL that takes every lane from its holder, which loses it at its next write and may take it again: in the order in
 * which `becomeSender` locks them.
 */
export const END_LANE_LEASES = `update lanes l set term = term + 1, lease_until = ${ENDED}
  from (select signer from lanes order by signer for update) o where o.signer = l.signer`;

/** Takes every lane from its holder, as `END_LANE_LEASES` says. */
export async function endLaneLeases(db: Db | Tx): Promise<void> {
  await query(db, END_LANE_LEASES);
}

/** Returns whether this is new, and the lane still ours. */
export function setFunded(db: Db, lane: LaneKey, funded: boolean): Promise<boolean> {
  return hasRows(
    db,
    `update lanes set funded = :funded
      where signer = :signer and term = :term and funded <> :funded returning 1`,
    { ...laneBindings(lane), funded },
  );
}

/**
 * Says the trouble of the lane, or with null that it has none. Returns whether this is new, and the lane still ours.
 */
export function setTrouble(db: Db, lane: LaneKey, reason: LaneTrouble | null): Promise<boolean> {
  return hasRows(
    db,
    `update lanes set trouble = :reason::text, trouble_since = case when :reason::text is not null then now() end
      where signer = :signer and term = :term and trouble is distinct from :reason::text returning 1`,
    { ...laneBindings(lane), reason },
  );
}

/** Keeps everybody else from taking the lane until the end of this database transaction; false when it is not ours. */
export function lockLane(tx: Tx, lane: LaneKey): Promise<boolean> {
  return hasRows(
    tx,
    `select 1 from lanes where signer = :signer and term = :term and not ${ARE_COMMITS_LOST} for share`,
    laneBindings(lane),
  );
}

/* What commands do with lanes, whoever holds them. */

/**
 * Takes the lane from its holder, for so many seconds, in which another one may be the sender; undefined when there is
 * no such lane.
 */
export async function seizeLane(
  db: Db,
  signer: Hex,
  seconds: number,
): Promise<{ term: bigint; nextNonce: bigint } | undefined> {
  const [row] = await query<{ term: bigint; nextNonce: bigint }>(
    db,
    `update lanes set term = term + 1, holder = 'command line', is_sender = false, ${LEASE}
      where signer = :signer returning term, next_nonce as "nextNonce"`,
    { leaseMs: seconds * 1_000, signer: toBytes(signer) },
  );
  return row;
}

/**
 * Gives a lane up, and stores the first nonce that the next holder may use.
 * @param least null when none was used
 */
export async function returnLane(db: Db, lane: LaneKey, least: bigint | null): Promise<void> {
  await query(
    db,
    // `greatest` leaves nulls out.
    `update lanes set lease_until = ${ENDED}, next_nonce = greatest(next_nonce, :least::bigint),
            least_nonce = greatest(least_nonce, :least::bigint)
      where signer = :signer and term = :term`,
    { ...laneBindings(lane), least: least === null ? null : String(least) },
  );
}

/**
 * Sets whether a lane is retiring; a holder that does not know yet loses it, and takes it again. Nothing happens when
 * it is so already.
 */
export async function setRetiring(db: Db, signer: Hex, retiring: boolean): Promise<void> {
  await query(
    db,
    `update lanes set retiring = :retiring, is_sender = false, term = term + 1, lease_until = ${ENDED}
      where signer = :signer and retiring <> :retiring`,
    { retiring, signer: toBytes(signer) },
  );
}

/** Takes the lane of a signer from its holder, who may take it again. False when there is no such lane. */
export function releaseLane(db: Db, signer: Hex): Promise<boolean> {
  return hasRows(
    db,
    `update lanes set term = term + 1, lease_until = ${ENDED} where signer = :signer returning 1`,
    { signer: toBytes(signer) },
  );
}

/** Notes that a lane which nobody holds is buried; false when somebody does, or there is no such lane. */
export function noteBuried(tx: Tx, signer: Hex): Promise<boolean> {
  return hasRows(
    tx,
    `update lanes l set retiring = true, buried = true, is_sender = false, term = term + 1
      where signer = :signer and not ${isLeased('l')} returning 1`,
    { signer: toBytes(signer) },
  );
}
