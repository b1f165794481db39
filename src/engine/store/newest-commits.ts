import type { Ask } from '../../db/connection.ts';
import { hasRows, query } from '../../db/client.ts';
import type { Db } from '../../db/client.ts';
import { toBytes } from '../../lib/hex.ts';
import type { Hex } from '../../lib/hex.ts';
import type { OperatorEpoch } from '../../lib/operator-epoch.ts';
import type { Intent, IntentStatus } from '../intent.ts';
import { ARE_COMMITS_LOST, BEGIN_EPOCHS, IS_OTHER_SERVER, SKIP_NUMBERS } from './epochs.ts';
import { END_LANE_LEASES, leastNonce } from './lanes.ts';
import { ENDED } from './leases.ts';

/** The newest of what a database has committed, as far as a process can remember it. */
export interface NewestCommits {
  /** The newest intent of those that nobody deletes; null when there is none. */
  intent: Pick<Intent, 'number' | 'id'> | null;
  /** By signer, the least one that its lane may use; `next_nonce` itself goes back when a wrong count had raised it. */
  leastNonces: ReadonlyMap<Hex, bigint>;
  cursor: FinalCursor;
}

/** How far the chain was settled for good; a reorg that is deeper than that takes it back under a later term. */
export interface FinalCursor {
  /** Of the reader. */
  term: bigint;
  /** Of the final block; -1 before the first. */
  final: bigint;
}

/** What a database says of its commits. */
export interface FoundCommits {
  newest: NewestCommits;
  /** The id of the intent that was asked for by its number; null when there is none. */
  idOfNumber: string | null;
  /** The status of the other intent that was asked for; null when there is none. */
  statusOfOther: IntentStatus | null;
  /** Intents up to this number may be missing because they were archived, or sent nothing; 0 when none was. */
  archivedUpTo: bigint;
  /**
   * Some process knew of others that are missing here, or another database raises the epoch, and nobody has accepted
   * that.
   */
  areLost: boolean;
  /** How often a person has accepted that commits are lost. */
  losses: number;
  /** The server is another one than it was. */
  isOtherServer: boolean;
}

interface CommitsRow {
  number: bigint | string | null;
  id: string | null;
  signers: Hex[];
  nonces: string[];
  term: bigint | string;
  final: bigint | string;
  askedId: string | null;
  otherStatus: IntentStatus | null;
  archivedUpTo: bigint | string;
  areLost: boolean;
  losses: number;
  isOtherServer: boolean;
}

/** What the database behind `ask` says, asked for the id of one intent and the status of another one. */
export async function readNewestCommits(
  ask: Ask,
  { number, other }: { number: bigint; other: bigint },
): Promise<FoundCommits> {
  const [row] = await ask<CommitsRow>(
    `select newest.number, newest.id,
            array(select signer from lanes order by signer) as signers,
            array(select ${leastNonce('l')}::text from lanes l order by l.signer) as nonces,
            (select id from intents where number = :number::bigint) as "askedId",
            (select status from intents where number = :other::bigint) as "otherStatus",
            (select greatest(emptied_up_to, (select max(last_number) from archives)) from server) as "archivedUpTo",
            r.term, coalesce(r.final_number, -1) as final, ${ARE_COMMITS_LOST} as "areLost",
            (select losses from server) as losses, ${IS_OTHER_SERVER} as "isOtherServer"
       from reader r
       left join (select number, id from intents where environment = 'live' order by number desc limit 1) as newest on true`,
    { number: String(number), other: String(other) },
  );
  const { id, signers, nonces, askedId, otherStatus, term, final, areLost, losses, isOtherServer } = row!;
  return {
    newest: {
      intent: id === null ? null : { number: BigInt(row!.number!), id },
      leastNonces: new Map(signers.map((signer, index) => [signer, BigInt(nonces[index]!)])),
      cursor: { term: BigInt(term), final: BigInt(final) },
    },
    idOfNumber: askedId,
    statusOfOther: otherStatus,
    archivedUpTo: BigInt(row!.archivedUpTo),
    areLost,
    losses,
    isOtherServer,
  };
}

/** SQL: nobody sends, or reads the chain, by what was known before. @param condition when */
const endLeases = (condition: string): string => `lanes_ended as (${END_LANE_LEASES} and ${condition})
     update reader set term = term + 1, lease_until = ${ENDED} where ${condition}`;

/** SQL that takes note of a loss. @param condition of `server s`, when */
export const noteLoss = (condition: string): string => `
     with noted as (update server s set lost_since = coalesce(lost_since, now()) where ${condition} returning 1),
          ${endLeases('exists (select 1 from noted)')}`;

/**
 * Tells all processes that commits are lost, also those that knew none of them: from here on nothing is cancelled or
 * given up, and whoever sends or settles has lost the right to. It ends when a person accepts it.
 * @param losses how many were accepted when this one was found
 */
export async function noteCommitsLost(ask: Ask, losses: number): Promise<void> {
  await ask(noteLoss('s.losses = :losses::int'), { losses });
}

/**
 * The same when an Operator is in a later epoch, for good, than the one that has begun here: another database, which
 * thinks that it is this one, has raised it. Returns whether that is so.
 */
export async function noteRaisedElsewhere(db: Db, { operator, epoch }: OperatorEpoch): Promise<boolean> {
  const bindings = { operator: toBytes(operator), epoch: String(epoch) };
  const isRaisedElsewhere = `exists (select 1 from operators
                              where address = :operator and epoch < :epoch and raised_in is not null)`;
  return hasRows(db, `${noteLoss(isRaisedElsewhere)} returning 1`, bindings);
}

/** Goes on without the commits that are lost, in a new epoch, since a person says so. */
export async function acceptLoss(db: Db): Promise<void> {
  await query(
    db,
    `with accepted as (
       update server set lost_since = null, losses = losses + 1, identity = server_identity() returning ${SKIP_NUMBERS}
     ), begun as (${BEGIN_EPOCHS}), ${endLeases('exists (select 1 from accepted)')}`,
  );
}
