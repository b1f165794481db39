import { query } from '../../db/client.ts';
import type { Db } from '../../db/client.ts';
import { toHex } from '../../lib/hex.ts';
import type { Hex } from '../../lib/hex.ts';
import { IS_VOID } from './transactions.ts';

/** The nonce below which transactions of a signer have lost theirs to another program, as it seems. */
export interface LostNonce {
  signer: Hex;
  nonce: bigint;
}

/** Those of all signers that have one, but for bytes that have no effect any more. */
export async function findLostNonces(db: Db): Promise<LostNonce[]> {
  const rows = await query<{ signer: Buffer; nonce: bigint }>(
    db,
    `select t.signer, max(t.nonce) + 1 as nonce from transactions t join lanes l using (signer)
      where t.status = 'displaced' and not l.buried and not ${IS_VOID} group by t.signer`,
  );
  return rows.map(({ signer, nonce }) => ({ signer: toHex(signer), nonce }));
}
