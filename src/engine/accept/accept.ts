import { query } from '../../db/client.ts';
import type { Db, Tx } from '../../db/client.ts';
import { createBatcher } from '../../lib/batcher.ts';
import { findRecords, insertRecords } from '../../db/idempotency.ts';
import { AppError } from '../../errors.ts';
import type { Reach } from '../../lib/crash-points.ts';
import type { Intent, NewIntent } from '../intent.ts';
import type { Effects, Hold, HoldAll } from '../ports.ts';
import { findIntents, insertIntents } from '../store/intents.ts';

/** An accepted intent; `replayed` when an earlier request under the same key had made it. */
export interface Accepted {
  intent: Intent;
  replayed: boolean;
}

export type Accept = (request: NewIntent) => Promise<Accepted>;

export interface AcceptParts {
  hold: HoldAll;
  effects: Effects;
}

/**
 * Makes requests durable: idempotency record, hold and intent in one database transaction, of which concurrent
 * requests share one. When it answers, the intent will reach its verdict whatever stops in between.
 *
 * @throws AppError QUOTA_EXCEEDED when the hold is refused, VALIDATION_ERROR when the key was used for another request,
 *   the call's `unpaidError` while no signer can pay for gas.
 */
export function createAccept(db: Db, parts: AcceptParts, reach: Reach): Accept {
  const acceptAll = async (requests: NewIntent[]): Promise<(Accepted | Error)[]> => {
    const answers = await db.transaction(async (tx) => {
      const decided = await acceptGroup(tx, parts, requests);
      reach('accept-before-commit');
      return decided;
    });
    reach('accept-after-commit');
    return answers;
  };
  return createBatcher(acceptAll, { maxItems: 300 });
}

async function acceptGroup(tx: Tx, parts: AcceptParts, requests: NewIntent[]): Promise<(Accepted | Error)[]> {
  // The account's row serialises its acceptances on every replica: a key that another replica is accepting is
  // either seen below or waited for here, so two racers can never both find it free.
  const accountIds = [...new Set(requests.map(({ accountId }) => accountId))].sort();
  const locked = await query<{ id: string; is_watched: boolean; funded: boolean }>(
    tx,
    `select id, is_watched, (select coalesce(bool_or(funded), true) from lanes where not retiring) as funded
       from accounts where id = any(?::uuid[]) order by id for no key update`,
    [accountIds],
  );

  const answers = new Map<NewIntent, Accepted | Error>();
  const leaders = groupLeaders(requests);
  await answerReplays(tx, leaders, answers);
  if (!locked[0]?.funded) refuseUnpaid(leaders, answers);
  const holds = await takeHolds(tx, parts.hold, leaders, answers);
  const watched = new Set(locked.flatMap(({ id, is_watched }) => (is_watched ? [id] : [])));
  await insertAccepted(tx, parts.effects, { leaders, holds, watched }, answers);

  const leaderOf = new Map(leaders.map((leader) => [nameOf(leader), leader]));
  return requests.map((request) => {
    const own = answers.get(request);
    if (own) return own;
    const leader = leaderOf.get(nameOf(request))!;
    const answer = answers.get(leader)!;
    return answer instanceof Error ? answer : replay(answer.intent, leader.idempotency!.requestHash, request);
  });
}

/** What tells two requests of one account apart, or null for a request without a key. */
const nameOf = ({ accountId, environment, idempotency }: NewIntent): string | null =>
  idempotency && `${accountId} ${environment} ${idempotency.key}`;

/** The requests that go on; a second one under the same key of the same group is answered with the first one's fate. */
function groupLeaders(requests: NewIntent[]): NewIntent[] {
  const names = new Set<string>();
  return requests.filter((request) => {
    const name = nameOf(request);
    if (name === null) return true;
    if (names.has(name)) return false;
    names.add(name);
    return true;
  });
}

function replay(intent: Intent, recordedHash: Buffer, request: NewIntent): Accepted | AppError {
  return recordedHash.equals(request.idempotency!.requestHash)
    ? { intent, replayed: true }
    : new AppError('VALIDATION_ERROR', 'This Idempotency-Key was used for another request; send a new key');
}

async function answerReplays(
  tx: Tx,
  leaders: NewIntent[],
  answers: Map<NewIntent, Accepted | Error>,
): Promise<void> {
  const keyed = new Map(
    leaders.flatMap((request) => (request.idempotency ? [[nameOf(request), request]] : [])),
  );
  const records = await findRecords(
    tx,
    [...keyed.values()].map(({ accountId, environment, idempotency }) => ({
      accountId,
      environment,
      key: idempotency!.key,
    })),
  );
  const intents = await findIntents(
    tx,
    records.flatMap(({ intentNumber }) => (intentNumber === null ? [] : [intentNumber])),
  );
  const byNumber = new Map(intents.map((intent) => [intent.number, intent]));
  for (const record of records) {
    const request = keyed.get(`${record.accountId} ${record.environment} ${record.key}`)!;
    const intent = byNumber.get(record.intentNumber ?? -1n);
    // A record without an intent belongs to a request of another operation: its hash differs, as the replay finds.
    answers.set(request, replay(intent!, record.requestHash, request));
  }
}

function refuseUnpaid(leaders: NewIntent[], answers: Map<NewIntent, Accepted | Error>): void {
  for (const request of leaders) {
    if (!request.call || answers.has(request)) continue;
    const message =
      'No signer of this service can pay for gas at the moment; nothing was sent and nothing was spent';
    answers.set(request, new AppError(request.call.unpaidError, message));
  }
}

async function takeHolds(
  tx: Tx,
  hold: HoldAll,
  leaders: NewIntent[],
  answers: Map<NewIntent, Accepted | Error>,
): Promise<Map<NewIntent, Hold>> {
  const holds = new Map<NewIntent, Hold>();
  const metered = leaders.filter((request) => request.cost && !answers.has(request));
  if (metered.length === 0) return holds;
  const results = await hold(
    tx,
    metered.map(({ accountId, cost }) => ({ accountId, meter: cost!.meter, amount: cost!.amount })),
  );
  metered.forEach((request, index) => {
    const result = results[index]!;
    if (result instanceof Error) answers.set(request, result);
    else holds.set(request, result);
  });
  return holds;
}

async function insertAccepted(
  tx: Tx,
  effects: Effects,
  {
    leaders,
    holds,
    watched,
  }: { leaders: NewIntent[]; holds: Map<NewIntent, Hold>; watched: ReadonlySet<string> },
  answers: Map<NewIntent, Accepted | Error>,
): Promise<void> {
  const granted = leaders.filter((request) => !answers.has(request));
  if (granted.length === 0) return;
  const intents = await insertIntents(tx, granted);
  const pairs = granted.map((request, index) => ({ request, intent: intents[index]! }));
  await insertRecords(
    tx,
    pairs.flatMap(({ request: { accountId, environment, idempotency }, intent }) =>
      idempotency
        ? [{ accountId, environment, ...idempotency, intentNumber: intent.number, answer: null }]
        : [],
    ),
  );
  await effects.accepted(
    tx,
    pairs.map(({ request, intent }) => ({
      intent,
      hold: holds.get(request) ?? null,
      notifyAccount: intent.status === 'confirmed' && watched.has(intent.accountId),
    })),
  );
  if (granted.some(({ call }) => call)) await query(tx, `select pg_notify('mintmark_queued', '')`);
  for (const { request, intent } of pairs) answers.set(request, { intent, replayed: false });
}
