import type { components } from '../../../../generated/api.ts';

type ServiceCode = components['schemas']['ErrorCode'];

/** A code of the contract, or `UNREACHABLE`: no answer came, or one of a gateway in between. */
export type ProblemCode = ServiceCode | 'UNREACHABLE';

/** Why a request had no success. Every request of the console that fails throws one. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  readonly code: ProblemCode;
  /** Of HTTP; 0 when no answer came. */
  readonly status: number;
  /** From `Retry-After`; null when the service does not say. */
  readonly retryAfterSeconds: number | null;
  readonly requestId: string | null;
  /** Of a write that was accepted and then failed. */
  readonly intentId: string | null;

  constructor(code: ProblemCode, message: string, response: Response | null) {
    super(message);
    this.code = code;
    this.status = response?.status ?? 0;
    const after = Number(response?.headers.get('Retry-After') ?? Number.NaN);
    this.retryAfterSeconds = Number.isFinite(after) ? after : null;
    this.requestId = response?.headers.get('X-Request-Id') ?? null;
    this.intentId = response?.headers.get('Intent-Id') ?? null;
  }

  /**
   * Whether the service may have carried the request out all the same: a retry has to have the same Idempotency-Key.
   */
  get isUncertain(): boolean {
    if (this.intentId !== null) return false;
    return this.code === 'UNREACHABLE' || this.code === 'CONFLICT' || this.status >= 500;
  }
}

const UNREACHABLE = 'The service cannot be reached.';

export function unreachable(response: Response | null = null): ApiProblem {
  return new ApiProblem('UNREACHABLE', UNREACHABLE, response);
}

/** Reads an answer that is no success. A 5xx without the contract's body comes from a gateway in between. */
export async function readProblem(response: Response): Promise<ApiProblem> {
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => null);
  if (isErrorBody(body)) return new ApiProblem(body.code, body.message, response);
  if (response.status >= 500) return unreachable(response);
  return new ApiProblem('INTERNAL_ERROR', `The service answered ${response.status}.`, response);
}

function isErrorBody(body: unknown): body is components['schemas']['ErrorBody'] {
  return typeof body === 'object' && body !== null && 'code' in body && 'message' in body;
}

/** What was thrown, as a problem: for `error` of TanStack Query. */
export function toProblem(error: unknown): ApiProblem | null {
  if (error === null || error === undefined) return null;
  if (error instanceof ApiProblem) return error;
  return new ApiProblem('INTERNAL_ERROR', error instanceof Error ? error.message : 'Unknown error', null);
}
