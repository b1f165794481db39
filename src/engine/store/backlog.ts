import { query } from '../../db/client.ts';
import type { Db } from '../../db/client.ts';
import type { Hex } from '../../lib/hex.ts';
import { IS_SUSPECT } from './epochs.ts';
import { IS_ANY_FUNDED } from './lanes.ts';
import type { LaneTrouble, OperatorPauseReason } from './lanes.ts';
import { isLeased } from './leases.ts';
import { IS_QUEUED } from './queue.ts';

/** A lane that is not at work, or sends nothing of an Operator. */
export interface PausedLane {
  signer: Hex;
  reason: LaneTrouble | OperatorPauseReason;
  /** The Operator that executes nothing of it; null when the reason has nothing to do with one. */
  operator: Hex | null;
}

/** State of the queue, over all replicas. */
export interface Backlog {
  /** Whether any signer can pay for gas. */
  funded: boolean;
  /**
   * Milliseconds for which the lane that stands still the longest has sent nothing, and nothing of it was mined or
   * settled, though it had work; 0 when no lane has any. However long an intent waits behind others, a lane that gets
   * on counts as 0 or little more.
   */
  stalledMs: number;
  /**
   * Milliseconds since the chain was last read up to its head while something waits for it; 0 when nothing does, for
   * then nobody reads it.
   */
  unreadMs: number;
  /** Milliseconds since the chain has shown another head while something waits for a block; 0 when nothing does. */
  headAgeMs: number;
  /** Held lanes that send nothing for the time being, or nothing of an Operator, and not for want of blocks. */
  paused: PausedLane[];
  /**
   * Whether no lane can send calls of the current Operator, such as the deployment of a token, because they are paused.
   */
  nothingNew: boolean;
  /** Whether a reorg that took a final block away is unresolved, and whether a person has to resolve it. */
  deepReorg: 'none' | 'waiting' | 'needs-person';
  /**
   * Why nothing is accepted although the service is in order: the sender has not seen yet that the database lacks no
   * commits, or an epoch of the current Operator is about to begin.
   */
  closed: 'no' | 'suspect' | 'epoch-pending';
}

/**
 * SQL of the milliseconds since the newest block of the chain was read the last time, or since the first of the
 * transactions that wait for one was signed.
 */
const UNREAD_MS = sinceOrSigned('looked_at');

/** SQL of the milliseconds since the newest block became the head, likewise. */
const HEAD_AGE_MS = sinceOrSigned('head_at');

function sinceOrSigned(time: 'looked_at' | 'head_at'): string {
  return `(select case when count(*) = 0 then 0 else greatest(0, extract(epoch from
                      now() - greatest(min(t.created_at), (select ${time} from reader))) * 1000) end::float8
               from transactions t where t.status in ('open', 'mined'))`;
}

/**
 * SQL of `stalledMs`. A lane has work since it was signed, and the sender since it was queued; while there is none,
 * that counts as the lane which got on last. What a retiring signer has in flight waits for a person, and nobody for
 * it; nor for what a lane that nobody holds has, once it decides on none of its calls. What waits for an Operator that
 * every lane has paused which may send is no work: `paused` tells of it.
 */
const STALLED_MS = `(select coalesce(greatest(0, max(extract(epoch from
                         now() - greatest(w.since, l.progressed_at, case when l.signer is null then newest.progressed_at end)) * 1000)), 0)::float8
               from (
                 -- The first of each contract counts, however many wait behind it.
                 select s.signer, i.updated_at as since
                   from contracts c left join lanes s on s.is_sender, lateral (
                     select updated_at, operator from intents i
                      where contract = c.contract and ${IS_QUEUED} order by number limit 1) i,
                   lateral (
                     select bool_and(r.signer is not null) as is_paused
                       from lanes h left join paused_operators r on r.signer = h.signer and r.operator = i.operator
                      where ${isLeased('h')} and not h.retiring) p
                  where c.waiting and p.is_paused is not true
                 union all
                 select t.signer, t.created_at
                   from transactions t join lanes o using (signer)
                  where t.status = 'open' and not o.retiring
                    and (${isLeased('o')} or exists (select 1 from transaction_intents where transaction_id = t.id and decides))
               ) w left join lanes l using (signer), (select max(progressed_at) as progressed_at from lanes) newest)`;

const PAUSED = `(select coalesce(json_agg(json_build_object(
                      'signer', '0x' || encode(l.signer, 'hex'), 'reason', p.reason, 'operator', '0x' || encode(p.operator, 'hex'))
                      order by l.signer, p.operator), '[]')
               from lanes l, lateral (
                 select l.trouble as reason, null::bytea as operator where l.trouble <> 'stuck'
                 union all
                 select reason, operator from paused_operators where signer = l.signer) p
              where ${isLeased('l')} and not l.retiring)`;

/** SQL of `nothingNew`. The budget is that of all signers, and whether an Operator is stopped depends on none. */
const NOTHING_NEW = `(select coalesce(
                        bool_or(l.trouble = 'budget' or p.reason = 'stopped')
                          or bool_and(coalesce(l.trouble, 'stuck') <> 'stuck' or p.reason is not null), false)
               from lanes l left join (
                 select r.signer, r.reason from paused_operators r join operators o on o.address = r.operator where o.is_current) p using (signer)
              where ${isLeased('l')} and not l.retiring)`;

/**
 * How long the head has stood still while something waits for a block, as `headAgeMs` of the backlog; null before the
 * first block.
 */
export async function readHead(db: Db): Promise<{ number: bigint; ageMs: number; since: Date } | null> {
  const [row] = await query<{ number: bigint | null; ageMs: number; since: Date }>(
    db,
    `select head_number as number, age as "ageMs", now() - age * interval '1 millisecond' as since
       from reader, lateral (select ${HEAD_AGE_MS} as age) a`,
  );
  return row && row.number !== null ? { ...row, number: row.number } : null;
}

export async function readBacklog(db: Db): Promise<Backlog> {
  const [row] = await query<Backlog>(
    db,
    `select ${IS_ANY_FUNDED} as funded,
            ${STALLED_MS} as "stalledMs",
            ${UNREAD_MS} as "unreadMs",
            ${HEAD_AGE_MS} as "headAgeMs",
            ${PAUSED} as paused,
            ${NOTHING_NEW} as "nothingNew",
            case when (select raised_in is null from operators where is_current) then 'epoch-pending'
                 when ${IS_SUSPECT} then 'suspect' else 'no' end as closed,
            coalesce((select case when needs_person then 'needs-person' else 'waiting' end
                        from deep_reorgs where resolved_at is null), 'none') as "deepReorg"`,
  );
  return row!;
}
