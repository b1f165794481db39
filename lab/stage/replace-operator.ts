import { query } from '../../src/db/client.ts';
import type { Db } from '../../src/db/client.ts';
import { toBytes } from '../../src/lib/hex.ts';
import type { Hex } from '../../src/lib/hex.ts';

/**
 * Lets new contracts belong to another Operator, and those that there are to the one that they have. A service goes on
 * with such a database, and makes none: nothing may be accepted meanwhile.
 */
export function replaceOperator(db: Db, operator: Hex): Promise<void> {
  return db.transaction(async (tx) => {
    const [former] = await query<{ address: Hex }>(
      tx,
      'update operators set is_current = false where is_current returning address',
    );
    await query(tx, 'insert into operators (address, is_current) values (:operator, true)', {
      operator: toBytes(operator),
    });
    await query(tx, 'update contracts set operator = :former where operator is null', {
      former: toBytes(former!.address),
    });
  });
}
