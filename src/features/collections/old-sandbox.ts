import { randomInt } from 'node:crypto';
import { query } from '../../db/client.ts';
import type { Db, Tx } from '../../db/client.ts';
import { lockAccount } from '../../db/change-account.ts';

/** Writes of the sandbox that are kept of an account; what is more goes in a while. */
export const MAX_SANDBOX_WRITES = 10_000;
const MAX_AGE = `interval '30 days'`;

/** A trim reads all writes of its account: of so many writes one is followed by it, on average. */
const WRITES_PER_TRIM = 128;
/** More than come between two trims, and so few that whoever writes for the account does not wait for long. */
const MAX_TRIMMED = 256;

/** What is left of a pass then is left to the next one. */
const MAX_PASS_MS = 30_000;
const ACCOUNTS_PER_LOOK = 1_000;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/**
 * What made a collection, and what minted its newest tokens, go only together with all else that is left of the
 * collection: ids of tokens go on from there. What is left is read once for all of them: read for each, it takes
 * seconds under a plan for other figures.
 */
const IS_NEEDED = `coalesce(
      o.number in ((select t.intent_number from tokens t where t.address = o.contract),
                   (select n.intent_number from nfts n where n.contract = o.contract order by n.token_id desc limit 1)), false)
    and o.contract in (
      select j.contract from intents j
       where j.account_id = :accountId and j.environment = 'sandbox' and j.phase = 'confirmed'
         and j.number not in (select number from old))`;

/**
 * Deletes writes of an account to the sandbox that are too old or too many, with the collections and tokens that they
 * made and the idempotency records that answer with them. The caller holds the account's row, so that nothing is
 * written meanwhile to a collection that goes. Returns how many writes there were.
 */
export async function trimSandbox(tx: Tx, accountId: string): Promise<number> {
  const rows = await query(
    tx,
    // However much is needed, one trim looks at little: from a write by chance on, so that what is much is met often,
    // at collections as a whole.
    `with writes as (
       select i.number, i.contract, i.created_at, row_number() over (order by -i.number) as place
         from intents i
        where i.account_id = :accountId and i.environment = 'sandbox' and i.phase = 'confirmed'
     ), beyond as materialized (
       select number, contract from writes where place > :most or created_at < now() - ${MAX_AGE}
     ), old as materialized (
       select number, contract from beyond
        order by contract < (select contract from beyond order by random() limit 1), contract, number
        limit :limit
     ), gone as materialized (
       select o.number from old o where not (${IS_NEEDED})
     ), records as (
       delete from idempotency_records r using gone where r.intent_number = gone.number
     ), minted as (
       delete from nfts n using gone where n.intent_number = gone.number
     ), collections as (
       delete from tokens t using gone where t.intent_number = gone.number
     )
     delete from intents i using gone where i.number = gone.number returning 1`,
    { accountId, most: MAX_SANDBOX_WRITES, limit: MAX_TRIMMED },
  );
  return rows.length;
}

/**
 * Trims accounts now and then as they write: who writes much is trimmed much, and no write costs more for it.
 * @param writers the account of each write; the caller holds their rows
 */
export async function trimNowAndThen(tx: Tx, writers: readonly string[]): Promise<void> {
  const due = writers.filter(() => randomInt(WRITES_PER_TRIM) === 0);
  for (const accountId of new Set(due)) await trimSandbox(tx, accountId);
}

/**
 * Creates the clean-up of what is too old, also of accounts that write nothing more. It goes through all accounts, and
 * each pass goes on where the one before ended. Returns how many writes it deleted.
 */
export function createSandboxCleanUp(db: Db): (signal: AbortSignal) => Promise<number> {
  let last = FIRST_ID;
  return async (signal) => {
    const end = performance.now() + MAX_PASS_MS;
    let total = 0;
    for (;;) {
      const accounts = await lookAtAccounts(db, last);
      for (const { id, isOld } of accounts) {
        let trimmed = isOld ? 1 : 0;
        while (trimmed > 0) {
          if (signal.aborted || performance.now() > end) return total;
          trimmed = await trimAlone(db, id).catch((error: unknown) => {
            // The next pass goes on behind an account that cannot be trimmed.
            last = id;
            throw error;
          });
          total += trimmed;
        }
        last = id;
      }
      if (accounts.length === ACCOUNTS_PER_LOOK) continue;
      last = FIRST_ID;
      return total;
    }
  };
}

function trimAlone(db: Db, id: string): Promise<number> {
  return db.transaction(async (tx) => {
    await lockAccount(tx, id);
    return trimSandbox(tx, id);
  });
}

/** The next accounts, in the order of their ids, and whether the oldest write of each to the sandbox is too old. */
async function lookAtAccounts(db: Db, after: string): Promise<{ id: string; isOld: boolean }[]> {
  return query(
    db,
    // Without the phase, which is the same of all, no index fits but the one that has them in this order: through
    // another one the planner would read all writes of an account that it expects to have few.
    `select a.id, coalesce(o.created_at < now() - ${MAX_AGE}, false) as "isOld"
       from accounts a
       left join lateral (
         select i.created_at from intents i
          where i.account_id = a.id and i.environment = 'sandbox'
          order by i.phase desc, -i.number desc limit 1) o on true
      where a.id > :after order by a.id limit :limit`,
    { after, limit: ACCOUNTS_PER_LOOK },
  );
}
