import { query } from '../../src/db/client.ts';
import type { Db } from '../../src/db/client.ts';
import { noteAccepted } from '../../src/engine/store/contract-lanes.ts';

/** Completes what a test has queued by SQL of its own: acceptance notes which contracts wait. */
export async function noteQueued(db: Db): Promise<void> {
  await query(db, noteAccepted(`(select contract, account_id from intents where status = 'queued')`));
}
