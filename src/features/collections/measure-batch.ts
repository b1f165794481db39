import type { Db } from '../../db/client.ts';
import { findRecords } from '../../db/idempotency.ts';
import type { Engine } from '../../engine/index.ts';
import type { Hex } from '../../lib/hex.ts';
import type { Owner } from '../../lib/owner.ts';
import type { WriteOptions } from '../../lib/write-options.ts';

/** A batch whose gas is asked for. */
interface MeasuredBatch {
  contract: Hex;
  data: Hex;
  /** In credits. */
  price: number;
}

/**
 * Returns the gas of a live batch; null while nobody can tell, and for a request that was accepted before.
 * @throws AppError QUOTA_EXCEEDED
 */
type MeasureBatch = (
  owner: Owner,
  batch: MeasuredBatch,
  options: Pick<WriteOptions, 'idempotency'>,
) => Promise<number | null>;

/**
 * Measuring costs the node as much as a full transaction, and one that is refused for its size is charged nothing. So
 * only what could be accepted is measured; batches of an account come here one at a time (`x-cost` in the contract).
 */
export function createMeasureBatch({
  db,
  engine,
  requireCredits,
}: {
  db: Db;
  engine: Pick<Engine, 'measure'>;
  requireCredits(accountId: string, amount: number): Promise<void>;
}): MeasureBatch {
  return async (owner, { contract, data, price }, { idempotency }) => {
    if (idempotency && (await findRecords(db, [{ ...owner, key: idempotency.key }])).length > 0) return null;
    await requireCredits(owner.accountId, price);
    return engine.measure({ target: contract, data });
  };
}
