import { query } from '../../db/client.ts';
import type { Db } from '../../db/client.ts';
import { toBytes, toHex } from '../../lib/hex.ts';
import type { Hex } from '../../lib/hex.ts';
import { ARE_COMMITS_LOST, IS_OTHER_SERVER, LOSS } from './server.ts';

/**
 * The nonce below which bytes of a signer may be mined that no transaction here has, or that lost their nonce as it seems.
 */
export interface LeastNonce {
  signer: Hex;
  nonce: bigint;
}

// `greatest` leaves nulls out.
const SELECT_NONCES = `select * from (
       select l.signer, greatest(l.least_nonce, (select max(t.nonce) + 1 from transactions t
                                                  where t.signer = l.signer and t.status = 'displaced')) as nonce
         from lanes l where not l.buried) n where nonce > 0`;

/** Those of all lanes that have one, but for signers whose bytes have no effect any more. */
export function findLeastNonces(db: Db): Promise<LeastNonce[]> {
  return selectNonces(db, SELECT_NONCES);
}

/** Those of them that no later transaction shows to be used for good. */
export function findUnusedNonces(db: Db): Promise<LeastNonce[]> {
  return selectNonces(
    db,
    `${SELECT_NONCES} and not exists (
       select 1 from transactions t where t.signer = n.signer and t.nonce >= n.nonce - 1 and t.status = 'final')`,
  );
}

/** Whether nonces that lost bytes may have are used in blocks that are not final: a verdict may wait for that. */
export async function areNonceUsesPending(db: Db, signer: Hex): Promise<boolean> {
  const rows = await query(
    db,
    `select 1 from transactions t join lanes l using (signer)
      where t.signer = :signer and t.status = 'mined' and t.nonce < l.least_nonce limit 1`,
    { signer: toBytes(signer) },
  );
  return rows.length > 0;
}

/** A signer whose bytes this database may lack, up to a nonce that the chain was not asked for yet. */
export interface UncountedLane {
  signer: Hex;
  /** Its signer is being replaced, or was. */
  retiring: boolean;
  /** Names the last loss of commits that is known. */
  loss: string;
}

export async function findUncounted(db: Db): Promise<UncountedLane[]> {
  const rows = await query<Omit<UncountedLane, 'signer'> & { signer: Buffer }>(
    db,
    `select signer, retiring, ${LOSS} as loss from lanes, server s where lost_uncounted and not buried order by signer`,
  );
  return rows.map((row) => ({ ...row, signer: toHex(row.signer) }));
}

/**
 * Whether it is not said yet which lanes may lack bytes: the server is another one than it was, and nobody has taken note of
 * that, or commits are lost, and nobody has accepted that.
 */
export async function areLossesUnknown(db: Db): Promise<boolean> {
  const [row] = await query<{ areUnknown: boolean }>(
    db,
    `select ${IS_OTHER_SERVER} or ${ARE_COMMITS_LOST} as "areUnknown"`,
  );
  return row!.areUnknown;
}

async function selectNonces(db: Db, sql: string): Promise<LeastNonce[]> {
  const rows = await query<{ signer: Buffer; nonce: bigint }>(db, sql);
  return rows.map(({ signer, nonce }) => ({ signer: toHex(signer), nonce }));
}

/**
 * Asks whoever holds the lane of a signer to fill its nonces, unless each one from the first of these up to the second has a
 * transaction that may be mined. A lane that sends nothing else would leave them as they are.
 * @param nonces.first that the chain takes next
 */
export async function askToFill(
  db: Db,
  signer: Hex,
  { first, end }: { first: bigint; end: bigint },
): Promise<void> {
  await query(
    db,
    `update lanes l set healing = true
      where l.signer = :signer and not l.healing and not l.buried
        and :first::bigint + (select count(*) from transactions t
                               where t.signer = l.signer and t.nonce >= :first and t.nonce < :end and t.status <> 'displaced')
            < :end::bigint`,
    { signer: toBytes(signer), first: String(first), end: String(end) },
  );
}
