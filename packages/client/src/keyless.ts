// Generated from openapi.yaml by `npm run generate`. Do not edit.

/** Writes that take no `Idempotency-Key`. */
export const KEYLESS: ReadonlySet<string> = new Set([
  'post /v1/auth/register',
  'post /v1/auth/login',
  'post /auth/signin',
  'post /auth/token',
  'delete /auth/token',
  'post /metadata/preview',
  'delete /v1/api-keys/{id}',
  'delete /v1/webhooks/{id}',
]);
