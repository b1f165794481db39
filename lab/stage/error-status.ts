/**
 * HTTP status of every error code. Written down here as well, so that no test takes it from the service that it tests.
 */
export const STATUS_OF_ERROR: Readonly<Record<string, number>> = {
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
};
