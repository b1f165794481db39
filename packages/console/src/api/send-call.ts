import { takesKey } from './call.ts';
import type { Call } from './call.ts';
import { requestAny } from './client.ts';

/** What a request came to. */
export interface Sent<Answer> {
  data: Answer;
  /** 202 when the write is still under way after the service has waited. */
  status: number;
  /** Of a write to the chain: follow it under `/intents/{id}`. */
  intentId: string | null;
  transactionHash: string | null;
}

/**
 * Sends a described request.
 * @param key of a write: the same again for a retry of the same submission
 * @param isAsync whether the answer comes as soon as the write is accepted, as 202
 * @throws ApiProblem for everything but success
 */
export async function sendCall<Answer>(
  call: Call<Answer>,
  key?: string,
  { isAsync = false } = {},
): Promise<Sent<Answer>> {
  const { data, response } = await requestAny(call.method, call.path, {
    params: { path: { ...call.pathValues }, query: { ...call.query } },
    ...(call.body === undefined ? {} : { body: call.body }),
    headers: {
      ...(key !== undefined && takesKey(call) ? { 'Idempotency-Key': key } : {}),
      ...(isAsync ? { Prefer: 'respond-async' } : {}),
    },
  });
  return {
    data: data as Answer,
    status: response.status,
    intentId: response.headers.get('Intent-Id'),
    transactionHash: response.headers.get('Transaction-Hash'),
  };
}

/** A new Idempotency-Key. `crypto.randomUUID` is only there over HTTPS. */
export function createIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `console-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
