/** HTTP status of every error code of the contract; a code has one status, always. */
export const ERROR_STATUS = {
  BAD_REQUEST: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  QUOTA_EXCEEDED: 403,
  NOT_FOUND: 404,
  CONFLICT: 409,
  VALIDATION_ERROR: 422,
  BASE_URI_TOO_LONG: 422,
  RATE_LIMITED: 429,
  INTERNAL_ERROR: 500,
  CHAIN_ERROR: 502,
  DEPLOY_UNAVAILABLE: 503,
  NOT_READY: 503,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

interface AppErrorOptions {
  /** The intent that failed; the client can look it up under `/intents/{id}`. */
  intentId?: string;
  /** Whole seconds after which a retry makes sense. */
  retryAfterSeconds?: number;
  /** The contract refused what was asked for: no fault of the service, whatever the status. */
  isRevert?: boolean;
  /** What went wrong underneath. Logged, never answered. */
  cause?: unknown;
}

/**
 * A failure that is reported to the caller of the API: `message` is answered word for word, so it must be safe to show.
 */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly intentId: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly isRevert: boolean;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.intentId = options.intentId;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.isRevert = options.isRevert ?? false;
  }

  get status(): number {
    return ERROR_STATUS[this.code];
  }
}

/** The operator has suspended the account. Said only to who has a credential or the password of it. */
export function accountSuspended(): AppError {
  return new AppError('FORBIDDEN', 'This account is suspended. Ask the operator of this service.');
}
