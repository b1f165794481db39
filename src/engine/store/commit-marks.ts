import type { Ask } from '../../db/connection.ts';
import type { Hex } from '../../lib/hex.ts';
import type { Intent, IntentStatus } from '../intent.ts';
import { END_ALL_LEASES, leastNonce } from './lanes.ts';
import { ENDED } from './leases.ts';
import { ARE_COMMITS_LOST, IS_OTHER_SERVER } from './server.ts';

/** The newest of what a database has committed, as far as a process can remember it. */
export interface CommitMarks {
  /** The number that was handed out last, to an intent that is committed or not. */
  lastNumber: bigint;
  /** The newest intent of those that nobody deletes; null when there is none. */
  intent: Pick<Intent, 'number' | 'id'> | null;
  /** By signer, the least one that its lane may use; `next_nonce` itself goes back when a wrong count had raised it. */
  nextNonces: ReadonlyMap<Hex, bigint>;
  cursor: CursorMark;
}

/** How far the chain was settled for good; a reorg that is deeper than that takes it back under a later term. */
export interface CursorMark {
  /** Of the reader. */
  term: bigint;
  /** Of the final block; -1 before the first. */
  final: bigint;
}

/** What a database says of its commits. */
export interface FoundCommits {
  marks: CommitMarks;
  /** The id of the intent that was asked for by its number; null when there is none. */
  idOfNumber: string | null;
  /** The status of the other intent that was asked for; null when there is none. */
  statusOfEnded: IntentStatus | null;
  /** Intents up to this number may be missing because they were archived, or sent nothing; 0 when none was. */
  archivedUpTo: bigint;
  /** Some process knew of others that are missing here, and nobody has accepted that. */
  areLost: boolean;
  /** The server is another one than it was. */
  isOtherServer: boolean;
}

interface MarksRow {
  lastNumber: bigint | string;
  number: bigint | string | null;
  id: string | null;
  signers: string[];
  nonces: string[];
  term: bigint | string;
  final: bigint | string;
  askedId: string | null;
  endedStatus: IntentStatus | null;
  archivedUpTo: bigint | string;
  areLost: boolean;
  isOtherServer: boolean;
}

/** What the database behind `ask` says, asked for the id of one intent and the status of another one. */
export async function readCommitMarks(
  ask: Ask,
  { number, ended }: { number: bigint; ended: bigint },
): Promise<FoundCommits> {
  const [row] = await ask<MarksRow>(
    `select (select last_value from intents_number_seq) as "lastNumber", newest.number, newest.id,
            array(select encode(signer, 'hex') from lanes order by signer) as signers,
            array(select ${leastNonce('l')}::text from lanes l order by l.signer) as nonces,
            (select id from intents where number = :number::bigint) as "askedId",
            (select status from intents where number = :ended::bigint) as "endedStatus",
            (select greatest(emptied_up_to, (select max(last_number) from archives)) from server) as "archivedUpTo",
            f.term, coalesce(f.final_number, -1) as final, ${ARE_COMMITS_LOST} as "areLost",
            ${IS_OTHER_SERVER} as "isOtherServer"
       from follower f
       left join (select number, id from intents where environment = 'live' order by number desc limit 1) as newest on true`,
    { number: String(number), ended: String(ended) },
  );
  const { lastNumber, id, signers, nonces, askedId, endedStatus, term, final, areLost, isOtherServer } = row!;
  return {
    marks: {
      lastNumber: BigInt(lastNumber),
      intent: id === null ? null : { number: BigInt(row!.number!), id },
      nextNonces: new Map(
        signers.map((signer, index): [Hex, bigint] => [`0x${signer}`, BigInt(nonces[index]!)]),
      ),
      cursor: { term: BigInt(term), final: BigInt(final) },
    },
    idOfNumber: askedId,
    statusOfEnded: endedStatus,
    archivedUpTo: BigInt(row!.archivedUpTo),
    areLost,
    isOtherServer,
  };
}

/**
 * Tells all processes that commits are lost, also those that knew none of them: from here on nothing is cancelled or given
 * up, and whoever sends or settles has lost the right to. It ends when numbers go on in a later generation than this one.
 */
export async function markCommitsLost(ask: Ask, generation: bigint): Promise<void> {
  await ask(
    `with marked as (update server set lost_generation = greatest(lost_generation, :generation::bigint)),
          ended as (${END_ALL_LEASES})
     update follower set term = term + 1, lease_until = ${ENDED}`,
    { generation: String(generation) },
  );
}
