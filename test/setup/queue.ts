import { query } from '../../src/db/client.ts';
import type { Db, Tx } from '../../src/db/client.ts';
import { noteAccepted } from '../../src/engine/store/queue.ts';
import { toBytes } from '../../src/lib/hex.ts';
import type { Hex } from '../../src/lib/hex.ts';

/** What tests of a lane tell apart in the intents that they queue. */
interface IntentOptions {
  kind?: string;
  /** The contract stands for its own Operator without one. */
  operator?: Hex;
  isControl?: boolean;
}

/** Queues an intent of epoch 1 on a contract, for the only account that there is, without a service that accepts it. */
export async function queueIntent(
  db: Db | Tx,
  contract: Hex,
  { kind = 'mint', operator = contract, isControl = false }: IntentOptions = {},
): Promise<{ id: string; number: bigint }> {
  const [intent] = await query<{ id: string; number: bigint }>(
    db,
    `insert into intents (id, account_id, environment, kind, contract, target, calldata, operator, epoch, status, is_control)
     select gen_random_uuid(), id, 'live', :kind, :contract, :contract, '\\x00', :operator, 1, 'queued', :isControl from accounts
     returning id, number`,
    { kind, contract: toBytes(contract), operator: toBytes(operator), isControl },
  );
  await noteQueued(db);
  return intent!;
}

/** Completes what a test has queued by SQL of its own: acceptance notes which contracts wait. */
export async function noteQueued(db: Db | Tx): Promise<void> {
  await query(db, noteAccepted(`(select contract, account_id from intents where status = 'queued')`));
}
