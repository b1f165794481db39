import type { components } from './api.ts';

/** A code of the service; each has one HTTP status. */
export type ServiceErrorCode = components['schemas']['ErrorCode'];

/**
 * A code of this package:
 * - `CONNECTION_FAILED`: no answer came, or one of a gateway between here and the service.
 * - `TIMEOUT`: the time of the call, or of one request, was over before there was an answer.
 * - `UNEXPECTED_ANSWER`: an answer came that the service does not give. Is `baseUrl` right?
 * - `INVALID_SIGNATURE`: a webhook message is not from the service, or too old.
 */
export type ClientErrorCode = 'CONNECTION_FAILED' | 'TIMEOUT' | 'UNEXPECTED_ANSWER' | 'INVALID_SIGNATURE';

export type ErrorCode = ServiceErrorCode | ClientErrorCode;

export interface ErrorFields {
  code: ErrorCode;
  status?: number | null;
  requestId?: string | null;
  intentId?: string | null;
  idempotencyKey?: string | null;
  retryAfterSeconds?: number | null;
  details?: unknown;
  cause?: unknown;
}

/** Everything that a call throws, except the reason of an `AbortSignal` that you aborted. */
export class MintmarkError extends Error {
  override readonly name = 'MintmarkError';
  /** What went wrong; `message` says it in words. */
  readonly code: ErrorCode;
  /** HTTP status of the answer; null when there was none. */
  readonly status: number | null;
  /** Names the request in the service's logs; null when there was no answer. */
  readonly requestId: string | null;
  /** The write that the service accepted, for `waitForIntent`; null when none is known. */
  readonly intentId: string | null;
  /**
   * Key of the write. After `CONNECTION_FAILED` and `TIMEOUT` nobody knows whether the service carried it out: call
   * again with this key, and it is done once. Null for reads, and for writes that take no key.
   */
  readonly idempotencyKey: string | null;
  /** Seconds after which the service takes the request, from `Retry-After`; null when it does not say. */
  readonly retryAfterSeconds: number | null;
  /** Body of the answer: an object when it is JSON, otherwise its text; null without one. */
  readonly details: unknown;

  constructor(message: string, fields: ErrorFields) {
    super(message, fields.cause === undefined ? undefined : { cause: fields.cause });
    this.code = fields.code;
    this.status = fields.status ?? null;
    this.requestId = fields.requestId ?? null;
    this.intentId = fields.intentId ?? null;
    this.idempotencyKey = fields.idempotencyKey ?? null;
    this.retryAfterSeconds = fields.retryAfterSeconds ?? null;
    this.details = fields.details ?? null;
  }
}
