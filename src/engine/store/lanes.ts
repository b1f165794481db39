import { query } from '../../db/client.ts';
import type { Db, Tx } from '../../db/client.ts';
import { toBytes, toHex } from '../../lib/hex.ts';
import type { Hex } from '../../lib/hex.ts';

/** A signer's lane as it stands in the database. */
export interface LaneState {
  signer: Hex;
  nextNonce: bigint;
  /** Who took it last. */
  holder: string | null;
  /** Null when it was given up. */
  leaseUntil: Date | null;
  /** Whether a process holds it now. */
  isHeld: boolean;
  /** Whether the signer could pay for what it had to send. */
  funded: boolean;
  /** Sends nothing more. */
  retiring: boolean;
  /** Transactions without a receipt. */
  open: number;
  /** Transactions with a receipt that is not deep enough yet. */
  mined: number;
  contracts: number;
}

export async function findLanes(db: Db): Promise<LaneState[]> {
  const rows = await query<Omit<LaneState, 'signer'> & { signer: Buffer }>(
    db,
    `select l.signer, l.next_nonce as "nextNonce", l.holder, nullif(l.lease_until, '-infinity') as "leaseUntil",
            l.lease_until > now() as "isHeld", l.funded, l.retiring,
            (select count(*)::int from transactions t where t.signer = l.signer and t.status = 'open') as open,
            (select count(*)::int from transactions t where t.signer = l.signer and t.status = 'mined') as mined,
            (select count(*)::int from contract_lanes c where c.signer = l.signer) as contracts
       from lanes l order by l.signer`,
  );
  return rows.map((row) => ({ ...row, signer: toHex(row.signer) }));
}

/** Takes the lane out of the hands of whoever holds it, for so many seconds; undefined when there is no such lane. */
export async function seizeLane(
  db: Db,
  signer: Hex,
  { holder, seconds }: { holder: string; seconds: number },
): Promise<{ epoch: bigint; nextNonce: bigint } | undefined> {
  const [row] = await query<{ epoch: bigint; nextNonce: bigint }>(
    db,
    `update lanes set epoch = epoch + 1, holder = ?, lease_until = now() + ? * interval '1 second'
      where signer = ? returning epoch, next_nonce as "nextNonce"`,
    [holder, seconds, toBytes(signer)],
  );
  return row;
}

/** Gives a lane up, and tells the next holder which nonce is the first one that it may use. */
export async function returnLane(db: Db, signer: Hex, epoch: bigint, leastNonce: bigint): Promise<void> {
  await query(
    db,
    `update lanes set lease_until = '-infinity', next_nonce = greatest(next_nonce, ?) where signer = ? and epoch = ?`,
    [String(leastNonce), toBytes(signer), String(epoch)],
  );
}

/** Marks a lane; a holder that does not know yet loses it, and takes it again. False when nothing changed. */
export async function markRetiring(db: Db, signer: Hex, retiring: boolean): Promise<boolean> {
  const rows = await query(
    db,
    `update lanes set retiring = ?, epoch = epoch + 1, lease_until = '-infinity'
      where signer = ? and retiring <> ? returning 1`,
    [retiring, toBytes(signer), retiring],
  );
  return rows.length > 0;
}

/**
 * Gives a retiring lane's contracts to another lane, those of which nothing is in a transaction without a final
 * verdict. What is queued goes along: the retiring lane will not send it. Returns how many went.
 */
export async function moveContracts(tx: Db | Tx, from: Hex, to: Hex): Promise<number> {
  const rows = await query(
    tx,
    `update contract_lanes c set signer = ?
      where c.signer = (select signer from lanes where signer = ? and retiring)
        and not exists (
          select 1 from transactions t
            join transaction_intents m on m.transaction_id = t.id and m.live
            join intents i on i.number = m.intent_number
           where t.signer = c.signer and t.status in ('open', 'mined') and i.contract = c.contract)
     returning 1`,
    [toBytes(to), toBytes(from)],
  );
  return rows.length;
}
