import type { AppError } from '../../errors.ts';
import type { Intent, NewIntent } from '../intent.ts';
import type { Tx } from '../../db/client.ts';
import { findRecords, keyReused } from '../../db/idempotency.ts';
import type { IdempotencyRecord } from '../../db/idempotency.ts';
import type { Hex } from '../../lib/hex.ts';
import { findIntents } from '../store/intents.ts';

/** An accepted intent; `replayed` when an earlier request under the same key had made it. */
export interface Accepted {
  intent: Intent;
  replayed: boolean;
}

/** What became of requests so far; those without an entry go on. */
export type Outcomes = Map<NewIntent, Accepted | AppError>;

/** What tells two requests of one account apart, or null for a request without a key. */
const nameOf = ({ accountId, environment, idempotency }: NewIntent): string | null =>
  idempotency && `${accountId} ${environment} ${idempotency.key}`;

/** The requests without a key, and the first one of each key. */
export function firstOfEachKey(requests: readonly NewIntent[]): NewIntent[] {
  const names = new Set<string>();
  return requests.filter((request) => {
    const name = nameOf(request);
    if (name === null) return true;
    if (names.has(name)) return false;
    names.add(name);
    return true;
  });
}

/** What became of requests whose keys were used before: each is compared with what its key was used for. */
export async function findReplays(tx: Tx, requests: readonly NewIntent[]): Promise<Outcomes> {
  const keyed = firstOfEachKey(requests.filter(({ idempotency }) => idempotency));
  const records = await findRecords(
    tx,
    keyed.map(({ accountId, environment, idempotency }) => ({
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
  const byName = new Map<string | null, IdempotencyRecord>(
    records.map((record) => [`${record.accountId} ${record.environment} ${record.key}`, record]),
  );
  return new Map(
    requests.flatMap((request) => {
      const record = byName.get(nameOf(request));
      if (!record) return [];
      const intent = byNumber.get(record.intentNumber ?? -1n);
      // A record without an intent belongs to a request of another operation: its hash differs, as the replay finds.
      return [[request, replay(intent!, record.requestHash, request)]];
    }),
  );
}

/**
 * The outcome of each request, in their order: a repeated one has that of the first request of its key. Null for
 * another request than a first one that was refused: its key is free, and its own outcome is not known yet.
 */
export function answerRepeated(
  requests: readonly NewIntent[],
  outcomes: Outcomes,
): (Accepted | AppError | null)[] {
  const firstByName = new Map([...outcomes.keys()].map((request) => [nameOf(request), request]));
  return requests.map((request) => {
    const own = outcomes.get(request);
    if (own) return own;
    const first = firstByName.get(nameOf(request))!;
    const outcome = outcomes.get(first)!;
    const { requestHash } = first.idempotency!;
    if (!(outcome instanceof Error)) return replay(outcome.intent, requestHash, request);
    return requestHash === request.idempotency!.requestHash ? outcome : null;
  });
}

function replay(intent: Intent, recordedHash: Hex, request: NewIntent): Accepted | AppError {
  return recordedHash === request.idempotency!.requestHash ? { intent, replayed: true } : keyReused();
}
