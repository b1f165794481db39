import type { Rpc } from '../../src/chain/rpc/rpc.ts';
import { query } from '../../src/db/client.ts';
import type { Db } from '../../src/db/client.ts';
import type { LaneParts } from '../../src/engine/lane/lane.ts';
import type { LaneKey } from '../../src/engine/store/lanes.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import { toBytes } from '../../src/lib/hex.ts';
import type { Hex } from '../../src/lib/hex.ts';

/** Ties a database to a chain of which nothing is known but its current Operator. */
export async function insertChain(db: Db, operator: Hex): Promise<void> {
  await query(
    db,
    `with tied as (insert into chain (chain_id, genesis_hash) values (1, :hash))
     insert into operators (address, is_current) values (:operator, true) on conflict do nothing`,
    { hash: Buffer.alloc(32), operator: toBytes(operator) },
  );
}

/**
 * Inserts a lane that is held for an hour, by nobody in particular, or that nobody holds. The first one is the sender.
 * Returns its key.
 */
export async function insertLane(
  db: Db,
  signer: Hex,
  { term = 1n, nextNonce = 0n, isHeld = true }: { term?: bigint; nextNonce?: bigint; isHeld?: boolean } = {},
): Promise<LaneKey> {
  await query(
    db,
    `insert into lanes (signer, term, lease_until, lease_ms, next_nonce, is_sender)
     values (:signer, :term, case when :isHeld then now() + interval '1 hour' else '-infinity' end, 3600000, :nextNonce,
             not exists (select 1 from lanes where is_sender))`,
    { signer: toBytes(signer), term: String(term), nextNonce: String(nextNonce), isHeld },
  );
  return { signer, term };
}

/** Makes a lane the sender. */
export function makeSender(db: Db, signer: Hex): Promise<void> {
  return db.transaction(async (tx) => {
    await query(tx, 'select 1 from lanes order by signer for update');
    await query(tx, 'update lanes set is_sender = false where is_sender');
    await query(tx, 'update lanes set is_sender = true where signer = :signer', { signer: toBytes(signer) });
  });
}

/** What there is of the parts of a lane; of the chain one endpoint, unless it says otherwise. */
export type SomeParts = Pick<LaneParts, 'config'> &
  Partial<Omit<LaneParts, 'rpc'>> & { rpc?: Pick<Rpc, 'call'> & Partial<LaneParts['rpc']> };

/** What a lane is made of, without a chain and without a key; `more` says what there is of it. */
export function createLaneParts(
  db: Db,
  signer: Hex,
  { rpc = { call: () => Promise.reject(new Error('no chain')) }, ...more }: SomeParts,
): LaneParts {
  return {
    db,
    rpc: { callEach: async <T>(...asked: Parameters<Rpc['call']>) => [await rpc.call<T>(...asked)], ...rpc },
    log: createLogger('silent'),
    followUps: { settled: async () => undefined },
    chain: { fresh: async () => null, expectBlock: () => undefined },
    suspicion: { clear: async () => true },
    signer: { address: signer, sign: () => Promise.reject(new Error('no key')) },
    ...more,
  };
}
