import type { Ask } from '../../db/connection.ts';
import type { Hex } from '../../lib/hex.ts';
import type { Intent } from '../intent.ts';

/** The newest of what a database has committed, as far as a process can remember it. */
export interface CommitMarks {
  /** The number that was handed out last, to an intent that is committed or not. */
  lastNumber: bigint;
  /** The newest intent; null when there is none. */
  intent: Pick<Intent, 'number' | 'id'> | null;
  /** By signer. */
  nextNonces: ReadonlyMap<Hex, bigint>;
}

interface MarksRow {
  lastNumber: bigint | string;
  number: bigint | string | null;
  id: string | null;
  signers: string[];
  nonces: string[];
  askedId: string | null;
}

/** The marks of the database behind `ask`, and the id of the intent with this number, null when there is none. */
export async function readCommitMarks(
  ask: Ask,
  number: bigint,
): Promise<{ marks: CommitMarks; idOfNumber: string | null }> {
  const [row] = await ask<MarksRow>(
    `select (select last_value from intents_number_seq) as "lastNumber", newest.number, newest.id,
            array(select encode(signer, 'hex') from lanes order by signer) as signers,
            array(select next_nonce::text from lanes order by signer) as nonces,
            (select id from intents where number = :number::bigint) as "askedId"
       from (select 1) as one
       left join (select number, id from intents order by number desc limit 1) as newest on true`,
    { number: String(number) },
  );
  const { lastNumber, id, signers, nonces, askedId } = row!;
  return {
    marks: {
      lastNumber: BigInt(lastNumber),
      intent: id === null ? null : { number: BigInt(row!.number!), id },
      nextNonces: new Map(
        signers.map((signer, index): [Hex, bigint] => [`0x${signer}`, BigInt(nonces[index]!)]),
      ),
    },
    idOfNumber: askedId,
  };
}
