import { query } from '../../db/client.ts';
import type { Db } from '../../db/client.ts';
import { toBytes, toHex } from '../../lib/hex.ts';
import type { Hex } from '../../lib/hex.ts';

/** Bytes of the calldata of each call, by intent, of the transactions that these attempts are of. */
export async function findCallSizes(
  db: Db,
  hashes: readonly Hex[],
): Promise<Map<Hex, ReadonlyMap<bigint, number>>> {
  const rows = await query<{ hash: Buffer; number: bigint; bytes: number }>(
    db,
    `select a.hash, i.number, octet_length(i.calldata) as bytes
       from attempts a join transaction_intents m using (transaction_id) join intents i on i.number = m.intent_number
      where a.hash = any(:hashes::bytea[])`,
    { hashes: hashes.map(toBytes) },
  );
  const groups = Map.groupBy(rows, ({ hash }) => toHex(hash));
  return new Map(
    [...groups].map(([hash, calls]) => [hash, new Map(calls.map(({ number, bytes }) => [number, bytes]))]),
  );
}
