import { randomUUID } from 'node:crypto';
import type { Db } from '../../db/client.ts';
import type { NamedId } from '../../lib/named-id.ts';
import type { Owner } from '../../lib/owner.ts';
import type { RequestId } from '../intent.ts';
import type { Idempotency } from '../../lib/write-options.ts';
import { findWithEffect, lookForUnknown } from '../store/unknown-effects.ts';

/** How an intent gets its id; see `createFindId`. */
export type FindId = (owner: Owner, idempotency: Pick<Idempotency, 'key'> | null) => Promise<RequestId>;

const DAY_MS = 86_400_000;
/** How often the database is asked for the time, and whether it has forgotten anything. */
const LOOK_MS = 1_000;

/**
 * Makes ids of the keys of clients, for one day (UTC) at a time, since a key is free again a day after its verdict. So
 * the same request has the same id, and is found on the chain by it, also where the database has lost it. One that was
 * lost yesterday has its id of then, and one of tomorrow, too, where the clock of another server was ahead: that may
 * turn out until it is accepted, which `refuseOfOtherDay` of accept.ts minds. Without a key the id is random.
 */
export function createFindId(db: Db, namedId: NamedId): FindId {
  let looked: { at: number; answer: ReturnType<typeof lookForUnknown> } | null = null;
  const look = (): ReturnType<typeof lookForUnknown> => {
    const at = performance.now();
    if (looked && at - looked.at < LOOK_MS) return looked.answer;
    const answer = lookForUnknown(db);
    looked = { at, answer };
    answer.catch(() => (looked = null));
    return answer;
  };
  return async ({ accountId, environment }, idempotency) => {
    if (!idempotency) return { id: randomUUID(), otherDayIds: [] };
    const { isAny, time } = await look();
    const idOn = (day: number): string =>
      namedId('intent', accountId, environment, String(day), idempotency.key);
    const day = Math.floor(time / DAY_MS);
    const ids = [idOn(day), idOn(day - 1), idOn(day + 1)] as const;
    const found = environment === 'live' && isAny ? await findWithEffect(db, ids) : undefined;
    const id = found ?? ids[0];
    return { id, otherDayIds: ids.filter((other) => other !== id) };
  };
}
