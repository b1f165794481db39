import { MintmarkError } from './errors.ts';
import { pause } from './pause.ts';
import type { Caller, Schemas } from './types.ts';

export interface WaitOptions {
  /** Milliseconds to wait; the client's `timeoutMs` by default. */
  timeoutMs?: number | undefined;
  /** Ends the waiting, which then rejects with the signal's reason. The write goes on. */
  signal?: AbortSignal | undefined;
}

const FIRST_POLL_MS = 500;
const MAX_POLL_MS = 5_000;

/** @throws MintmarkError what the write failed with, CONFLICT when it was cancelled, TIMEOUT while it is under way */
export async function waitForIntent(
  get: Caller<'get'>,
  id: string,
  { timeoutMs, signal }: WaitOptions & { timeoutMs: number },
): Promise<Schemas['Intent']> {
  const deadline = performance.now() + timeoutMs;
  for (let pollMs = FIRST_POLL_MS; ; pollMs = Math.min(MAX_POLL_MS, pollMs * 1.5)) {
    const timeLeftMs = Math.max(0, deadline - performance.now());
    const asked = get('/intents/{id}', { params: { path: { id } }, timeoutMs: timeLeftMs, signal });
    const { data: intent, response } = await asked.catch((error: unknown) => rethrowNaming(id, error));
    if (intent.status === 'confirmed') return intent;
    const fields = { intentId: id, requestId: response.headers.get('X-Request-Id'), details: intent };
    if (intent.error) throw new MintmarkError(intent.error.message, { ...fields, code: intent.error.code });
    if (intent.status === 'cancelled') {
      throw new MintmarkError('The write was cancelled before it was sent, so it had no effect', {
        ...fields,
        code: 'CONFLICT',
      });
    }
    if (performance.now() + pollMs >= deadline) {
      throw new MintmarkError(`The write is still ${intent.status}; it goes on`, {
        ...fields,
        code: 'TIMEOUT',
      });
    }
    await pause(pollMs, signal);
  }
}

/** A question that got no answer leaves the write where it is: the error says which one to ask for again. */
function rethrowNaming(intentId: string, error: unknown): never {
  if (!(error instanceof MintmarkError)) throw error;
  const { message, cause, ...fields } = error;
  throw new MintmarkError(message, { ...fields, cause, intentId });
}
