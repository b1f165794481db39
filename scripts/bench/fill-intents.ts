import { query } from '../../src/db/client.ts';
import type { Db } from '../../src/db/client.ts';
import { say } from '../lib/say.ts';

const ROWS_AT_ONCE = 1_000_000;
const ACCOUNTS = 100;
const TOKENS = 100_000;

/**
 * Makes settled intents over some accounts and tokens. Indexes are built afterwards, which takes a fraction of the
 * time.
 */
export async function fillIntents(db: Db, intents: number): Promise<void> {
  await query(
    db,
    `insert into accounts (id, email, password_hash)
     select lpad(to_hex(n), 32, '0')::uuid, 'filled-' || n || '@example.com', 'x' from generate_series(1, ${ACCOUNTS}) n`,
  );
  const indexes = await query<{ name: string; definition: string }>(
    db,
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
       from pg_index where indrelid = 'intents'::regclass and not indisunique`,
  );
  for (const { name } of indexes) await query(db, `drop index ${name}`);
  for (let first = 1; first <= intents; first += ROWS_AT_ONCE) {
    const last = Math.min(first + ROWS_AT_ONCE - 1, intents);
    await db.transaction((tx) => fillSome(tx, first, last));
    say(`  ${last}`);
  }
  for (const { definition } of indexes) await query(db, definition);
  await query(
    db,
    `insert into tokens (address, intent_number, account_id, environment, type, name, symbol, decimals, permissionless, deployed_at)
     select contract, number, account_id, 'live', 'ERC20', 'Old', 'OLD', 18, true, now()
       from intents where number <= ${Math.min(TOKENS, intents)}`,
  );
  await query(db, `insert into lanes (signer, next_nonce) values (decode(repeat('11', 20), 'hex'), 0)`);
  await query(db, `insert into chain (chain_id, genesis_hash) values (1, sha256('x'))`);
  await query(db, 'vacuum analyze');
  await query(db, 'checkpoint');
}

/** No trigger checks their references: the queue of checks would not fit into memory. */
async function fillSome(tx: Db, first: number, last: number): Promise<void> {
  await query(tx, 'set local session_replication_role = replica');
  await query(
    tx,
    `insert into intents (id, account_id, environment, kind, contract, target, calldata, operator, epoch, gas_estimate, status,
                          transaction_hash, final_at)
     select lpad(to_hex(n), 32, '0')::uuid, lpad(to_hex(n % ${ACCOUNTS} + 1), 32, '0')::uuid, 'live', 'mint', made.address, made.address,
            made.hash || made.hash, decode(repeat('22', 20), 'hex'), 1, 50000, 'confirmed', made.hash, now()
       from generate_series(${first}, ${last}) n,
            lateral (select sha256(n::text::bytea) as hash,
                            substring(sha256((n % ${TOKENS})::text::bytea) for 20) as address offset 0) made
      order by n`,
  );
}
