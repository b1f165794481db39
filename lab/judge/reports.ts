import type { Answered, Asked, IntentRead, Wish } from './history.ts';

/** What the service said about an intent at one time, by whatever answer. */
export interface Report extends Asked {
  intentId: string;
  status: IntentRead['status'];
  /** Undefined where the answer does not tell. */
  hash: string | null | undefined;
  tokenId: string | null | undefined;
  error: IntentRead['error'];
}

/**
 * How a request ended, as far as its client knows. `open`: the service still says so. `refused`: each sending was
 * answered, and none accepted. `unknown`: neither, as after a broken connection.
 */
export type Verdict = 'confirmed' | 'failed' | 'cancelled' | 'open' | 'refused' | 'unknown';

interface Body {
  code?: string;
  message?: string;
  intent?: Pick<IntentRead, 'status' | 'transaction'>;
  data?: { transaction?: { hash: string } | null; tokenId?: string };
  transaction?: { hash: string } | null;
  tokenId?: string;
  tokenIds?: string[];
}

/** The `code` and `message` of an answer that is an error. */
export function errorOf({ status, body }: Answered): { code: string; message: string } | null {
  if (status < 400) return null;
  const { code = 'none', message = '' } = (body ?? {}) as Body;
  return { code, message };
}

/** Everything that the service said of a request, in the order in which it came. */
export function reportsOf(wish: Wish): Report[] {
  const read = wish.reads.map(({ askedAt, at, intent }): Report => {
    const { id, status, transaction, error, tokenId } = intent;
    return { askedAt, at, intentId: id, status, hash: transaction?.hash ?? null, tokenId, error };
  });
  const cancelled = wish.cancels.flatMap(({ askedAt, at, status, body }): Report[] => {
    if (status !== 200) return [];
    const { id, status: now, error } = body as IntentRead;
    return [{ askedAt, at, intentId: id, status: now, hash: undefined, tokenId: undefined, error }];
  });
  const answered = wish.answers.flatMap((answer) => reportIn(answer) ?? []);
  return [...read, ...cancelled, ...answered].sort((one, other) => one.at - other.at);
}

/** What an answer to the write itself tells of its intent; null when it tells nothing. */
export function reportIn(answer: Answered & Asked): Report | null {
  const { askedAt, at, status: http, intentId } = answer;
  if (intentId === null) return null;
  const body = (answer.body ?? {}) as Body;
  const error = errorOf(answer);
  const common = { askedAt, at, intentId, tokenId: undefined, error: null };
  if (http === 202 && body.intent) {
    return { ...common, status: body.intent.status, hash: body.intent.transaction?.hash ?? null };
  }
  if (error === null) {
    const transaction = body.data ? body.data.transaction : body.transaction;
    const tokenId = body.data?.tokenId ?? body.tokenId;
    return { ...common, status: 'confirmed', hash: transaction === null ? null : transaction?.hash, tokenId };
  }
  if (error.code === 'CONFLICT') {
    return /cancelled/.test(error.message) ? { ...common, status: 'cancelled', hash: null } : null;
  }
  if (error.code === 'INTERNAL_ERROR' || error.code === 'RATE_LIMITED') return null;
  return { ...common, status: 'failed', hash: undefined, error };
}

export const isSettled = ({ status }: Pick<Report, 'status'>): boolean =>
  status !== 'queued' && status !== 'submitted';

/** @param reports of the request, in order */
export function verdictOf(wish: Wish, reports: readonly Report[]): Verdict {
  const last = reports.at(-1);
  if (last) return isSettled(last) ? (last.status as Verdict) : 'open';
  const isRefused = wish.answers.length > 0 && wish.answers.length === wish.sendings;
  return isRefused && wish.answers.every(({ status }) => (status >= 400 && status < 500) || status > 500)
    ? 'refused'
    : 'unknown';
}
