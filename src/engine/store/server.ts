import type { Ask } from '../../db/connection.ts';

/**
 * Numbers of one generation. After commits were lost the numbers go on in the next one, above everything that was ever
 * signed: bytes that are still in a pool contain no number of a new intent.
 */
export const GENERATION_BITS = 32n;

/** SQL: whether a process has found that commits are lost, and nobody has accepted that since. */
export const ARE_COMMITS_LOST = `(
          select s.lost_generation >= n.last_value >> ${GENERATION_BITS} from server s, intents_number_seq n)`;

const IS_OTHER = 's.identity <> server_identity()';

/** SQL: whether the server is another one than it was: a standby that was promoted, or that of a restored backup. */
export const IS_OTHER_SERVER = `(select ${IS_OTHER} from server s)`;

/** The largest number. */
const ALL = 2n ** 63n - 1n;

/**
 * SQL: intents up to this number may be in transactions that this database lacks, as far as it can tell by itself: whoever
 * knew of one may have ended.
 */
const UNSURE_UP_TO = `(
          select case when ${IS_OTHER} or ${ARE_COMMITS_LOST} then ${ALL} else s.unsure_up_to end from server s)`;

/** SQL: whether bytes of a signer without a lane may exist, too: the row of its lane may be among what is missing. */
export const MAY_LACK_LANES = '(select s.unsure_up_to > 0 from server s)';

/** SQL: names the last loss that `server s` knows of: of which server the database is a copy, and what was missed there. */
export const LOSS = `(s.identity || ' ' || s.lost_generation)`;

/** SQL: whether what `intents` names may be done in a transaction that was not found, or is not known. */
export const mayBeDone = (intents: string): string =>
  `(${intents}.found_done or ${intents}.number <= ${UNSURE_UP_TO})`;

/** Identities of the server that a database was on, and of the one that it is on. */
export interface Adoption {
  from: string;
  to: string;
}

/**
 * What has a number up to this one stays unsure until its verdict. By its number, which nothing takes from it: an intent that
 * moves to a later epoch is found done in none, and one may be stored later than another statement looks for all of them.
 */
export async function doubtUpTo(ask: Ask, number: bigint): Promise<void> {
  await ask('update server set unsure_up_to = greatest(unsure_up_to, :number::bigint)', {
    number: String(number),
  });
}

/**
 * Goes on with the server as it is. What was accepted before stays unsure until its verdict, and bytes of every signer may be
 * missing here. Returns what was adopted; undefined when nothing was, or another process did it.
 */
export async function adoptServer(ask: Ask): Promise<Adoption | undefined> {
  const [adoption] = await ask<Adoption>(
    `with adopted as (
       update server s set identity = server_identity(),
              unsure_up_to = (select case when is_called then last_value else 0 end from intents_number_seq)
         from (select identity from server for update) before
        where ${IS_OTHER} returning before.identity as from, s.identity as to
     ), marked as (
       update lanes set lost_uncounted = true where not buried and exists (select 1 from adopted)
     )
     select adopted.from, adopted.to from adopted`,
  );
  return adoption;
}
