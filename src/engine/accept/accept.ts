import type { Db, Tx } from '../../db/client.ts';
import { retryOnDeadlock } from '../../db/deadlock.ts';
import { insertRecords } from '../../db/idempotency.ts';
import { readRefusedWrite } from '../../db/refused-write.ts';
import { AppError } from '../../errors.ts';
import { createBatcher } from '../../lib/batcher.ts';
import { isBrake } from '../../lib/brakes.ts';
import type { Reach } from '../../lib/crash-points.ts';
import { isDeployment } from '../intent.ts';
import type { NewIntent } from '../intent.ts';
import type { FollowUps, FindGone, HoldAll, Holds } from '../ports.ts';
import { loneGas } from '../send/gas.ts';
import { lockAccounts } from '../store/accounts.ts';
import { insertIntents } from '../store/intents.ts';
import { findIncomplete, findOfOtherDay } from '../store/unknown-effects.ts';
import type { Accepted, Outcomes } from './replay.ts';
import { answerRepeated, findReplays, firstOfEachKey } from './replay.ts';
import { MAX_OPEN_INTENTS } from '../../lib/plans.ts';

export type Accept = (request: NewIntent) => Promise<Accepted>;

interface AcceptParts {
  findGone: FindGone;
  hold: HoldAll;
  followUps: FollowUps;
}

/** Requests that share a database transaction at most. */
const MAX_GROUP = 300;
/** Seconds in which a lane sends some hundreds of intents. */
const CROWDED_RETRY_SECONDS = 10;
/** Seconds in which a raise may come to be final. */
const INCOMPLETE_RETRY_SECONDS = 15;

/**
 * Makes requests durable: idempotency record, hold and intent in one database transaction, of which concurrent
 * requests share one. When it returns, the intent will reach its verdict whatever stops in between.
 *
 * @throws AppError NOT_FOUND when what it is for is gone, QUOTA_EXCEEDED or RATE_LIMITED when a hold is refused,
 * VALIDATION_ERROR when the key was used for another request, CHAIN_ERROR or DEPLOY_UNAVAILABLE while no signer can pay
 * for gas, INTERNAL_ERROR while an epoch is about to begin, RATE_LIMITED while the account has too much open.
 */
export function createAccept(db: Db, parts: AcceptParts, reach: Reach): Accept {
  const rooms = createRooms();
  const acceptAll = async (requests: NewIntent[]): Promise<(Accepted | Error | null)[]> => {
    const outcomes = await retryOnDeadlock(() =>
      db.transaction(async (tx) => {
        const decided = await acceptGroup(tx, { ...parts, rooms }, requests);
        reach('accept-before-commit');
        return decided;
      }),
    );
    reach('accept-after-commit');
    return outcomes;
  };
  /** One request whose row the database refuses makes no other one fail: its group is halved until it is alone. */
  const acceptApart = async (requests: NewIntent[]): Promise<(Accepted | Error | null)[]> => {
    try {
      return await acceptAll(requests);
    } catch (error) {
      if (requests.length === 1 || readRefusedWrite(error) === null)
        return requests.map(() => error as Error);
      const half = Math.ceil(requests.length / 2);
      return [...(await acceptApart(requests.slice(0, half))), ...(await acceptApart(requests.slice(half)))];
    }
  };
  const acceptInGroup = createBatcher(acceptApart, { maxItems: MAX_GROUP });
  return async (request) => {
    // Each group decides one more of the different requests under a key, so that they cost the others nothing.
    for (;;) {
      const accepted = await acceptInGroup(request);
      if (accepted) return accepted;
    }
  };
}

/** The outcome of each request; null for one that has to come again, since it was not its turn under its key. */
async function acceptGroup(
  tx: Tx,
  { findGone, hold, followUps, rooms }: AcceptParts & { rooms: Rooms },
  requests: NewIntent[],
): Promise<(Accepted | AppError | null)[]> {
  const accountIds = requests.map(({ accountId }) => accountId);
  const accounts = await lockAccounts(tx, accountIds, rooms.toCount(accountIds));
  rooms.learn(accounts.room);
  const outcomes = await findReplays(tx, requests);
  const first = firstOfEachKey(requests.filter((request) => !outcomes.has(request)));
  const undecided = (): NewIntent[] => first.filter((request) => !outcomes.has(request));
  for (const [request, error] of await findGone(tx, undecided())) outcomes.set(request, error);
  if (!accounts.isComplete) await refuseIncomplete(tx, undecided(), outcomes);
  if (accounts.hasUnknown) await refuseOfOtherDay(tx, undecided(), outcomes);
  // A quota that is used up is told first.
  const refusals = accounts.funded ? refuseCrowded(undecided(), rooms) : refuseUnpaid(undecided());
  const holds = await takeHolds(tx, hold, { requests: undecided(), refusals }, outcomes);
  await insertGranted(tx, followUps, { granted: undecided(), holds, watched: accounts.watched }, outcomes);
  return answerRepeated(requests, outcomes);
}

/** Refuses while commits may be lost: what is asked may be done already, and what seems to be so already may not be. */
async function refuseIncomplete(tx: Tx, requests: readonly NewIntent[], outcomes: Outcomes): Promise<void> {
  const live = requests.filter(({ environment }) => environment === 'live');
  const incomplete = await findIncomplete(
    tx,
    live.map(({ contract }) => contract),
  );
  for (const request of live.filter(({ contract }) => incomplete.has(contract)))
    outcomes.set(request, askAgain());
}

/** Refuses what may have been done under the id of another day: asked again, it gets that id. */
async function refuseOfOtherDay(tx: Tx, requests: readonly NewIntent[], outcomes: Outcomes): Promise<void> {
  const live = requests.filter(({ environment }) => environment === 'live');
  const ofOtherDay = await findOfOtherDay(tx, live);
  for (const request of live.filter(({ id }) => ofOtherDay.has(id))) outcomes.set(request, askAgain());
}

function askAgain(): AppError {
  const message =
    'The database may lack what was accepted before: nothing is accepted until it is known, or void in a new epoch; ask again';
  return new AppError('INTERNAL_ERROR', message, { retryAfterSeconds: INCOMPLETE_RETRY_SECONDS });
}

/** What requests are refused with that could pay. */
type Refusals = Map<NewIntent, AppError>;

/** Refuses what would have to be sent while no signer can pay for it. */
function refuseUnpaid(requests: readonly NewIntent[]): Refusals {
  const message =
    'No signer of this service can pay for gas at the moment; nothing was sent and nothing was spent';
  const refusals: Refusals = new Map();
  for (const request of requests) {
    if (!request.call) continue;
    const code = isDeployment({ ...request, ...request.call }) ? 'DEPLOY_UNAVAILABLE' : 'CHAIN_ERROR';
    refusals.set(request, new AppError(code, message));
  }
  return refusals;
}

/** Refuses what would be queued of accounts that have too much open, but for what stops or bounds a token. */
function refuseCrowded(requests: readonly NewIntent[], rooms: Rooms): Refusals {
  const message = 'Too much of this account waits for the chain; ask again when some of it is done';
  const refusals: Refusals = new Map();
  for (const request of requests.filter(({ call, kind }) => call && !isBrake(kind))) {
    if (rooms.take(request.accountId)) continue;
    const retryAfterSeconds = CROWDED_RETRY_SECONDS;
    refusals.set(request, new AppError('RATE_LIMITED', message, { retryAfterSeconds }));
  }
  return refusals;
}

/** Takes what each request costs. One that cannot pay is refused, and one that has a refusal. */
async function takeHolds(
  tx: Tx,
  hold: HoldAll,
  { requests, refusals }: { requests: readonly NewIntent[]; refusals: Refusals },
  outcomes: Outcomes,
): Promise<Map<NewIntent, Holds>> {
  const holds = new Map<NewIntent, Holds>();
  if (requests.length === 0) return holds;
  const results = await hold(
    tx,
    requests.map((request) => ({
      ...request,
      gas: request.call && loneGas(request.call),
      refusal: refusals.get(request) ?? null,
    })),
  );
  requests.forEach((request, index) => {
    const result = results[index]!;
    if (result instanceof Error) outcomes.set(request, result);
    else holds.set(request, result);
  });
  return holds;
}

/** Writes the intents with their idempotency records and what the features write beside. */
async function insertGranted(
  tx: Tx,
  followUps: FollowUps,
  {
    granted,
    holds,
    watched,
  }: {
    granted: readonly NewIntent[];
    holds: ReadonlyMap<NewIntent, Holds>;
    watched: ReadonlySet<string>;
  },
  outcomes: Outcomes,
): Promise<void> {
  if (granted.length === 0) return;
  const intents = await insertIntents(
    tx,
    granted.map((request) => ({ request, ...holds.get(request)! })),
  );
  const pairs = granted.map((request, index) => ({ request, intent: intents[index]! }));
  await insertRecords(
    tx,
    pairs.flatMap(({ request: { accountId, environment, idempotency }, intent }) =>
      idempotency
        ? [{ accountId, environment, ...idempotency, intentNumber: intent.number, answer: null }]
        : [],
    ),
  );
  await followUps.accepted(
    tx,
    pairs.map(({ intent }) => ({
      intent,
      notifyAccount: intent.status === 'confirmed' && watched.has(intent.accountId),
    })),
  );
  for (const { request, intent } of pairs) outcomes.set(request, { intent, replayed: false });
}

/** How many intents more accounts may have open. */
interface Rooms {
  /** Those of these accounts whose open intents have to be counted. */
  toCount(accountIds: readonly string[]): string[];
  /** @param room by account, as it was just counted */
  learn(room: ReadonlyMap<string, number>): void;
  /** Takes room for one; false when there is none. Asked after `toCount` and `learn`. */
  take(accountId: string): boolean;
}

/** Other replicas accept meanwhile; what was accepted here is known. */
const MAX_AGE_MS = 1_000;
/** More than all other replicas accept of an account in that time, so that nobody goes beyond the limit. */
const LITTLE_ROOM = Math.min(...Object.values(MAX_OPEN_INTENTS)) / 2;

/**
 * Remembers what was counted, less what was accepted since, as long as there is plenty: to count thousands for each
 * group of requests takes the database longer than to store them. What is done makes room once it is counted again.
 */
export function createRooms(): Rooms {
  /** In the order in which they were counted. */
  const rooms = new Map<string, { left: number; countedAt: number }>();
  return {
    toCount: (accountIds) => {
      const now = performance.now();
      for (const [id, { countedAt }] of rooms) {
        if (now - countedAt <= MAX_AGE_MS) break;
        rooms.delete(id);
      }
      return [...new Set(accountIds)].filter((id) => (rooms.get(id)?.left ?? 0) < LITTLE_ROOM);
    },
    learn: (room) => {
      const countedAt = performance.now();
      for (const [id, left] of room) {
        rooms.delete(id);
        rooms.set(id, { left, countedAt });
      }
    },
    take: (accountId) => {
      const room = rooms.get(accountId);
      if (!room) return false;
      room.left -= 1;
      return room.left >= 0;
    },
  };
}
