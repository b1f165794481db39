import type { RequestHandler } from 'express';

/** What the contract says of an operation that is to go. */
export interface Deprecated {
  operationId: string;
  deprecated?: boolean;
  /** Day since when it is deprecated, as `2026-12-01`: a date of OpenAPI's own does not exist. */
  'x-deprecated-at'?: string;
}

/**
 * The header `Deprecation` of an operation as RFC 9745 has it, seconds since 1970 behind an `@`; null for one that
 * stays.
 * @throws Error for a deprecated operation without a day, and for a day without `deprecated: true`
 */
export function readDeprecation({
  operationId,
  deprecated,
  'x-deprecated-at': day,
}: Deprecated): string | null {
  if (deprecated !== true && day === undefined) return null;
  const milliseconds = Date.parse(`${day}T00:00:00Z`);
  if (deprecated !== true || Number.isNaN(milliseconds))
    throw new Error(
      `${operationId} needs both \`deprecated: true\` and a day like 2026-12-01 as \`x-deprecated-at\`.`,
    );
  return `@${milliseconds / 1_000}`;
}

/** Adds the header to every answer of an operation, errors included. */
export function announceDeprecation(deprecation: string): RequestHandler {
  return (_request, response, next) => {
    response.setHeader('Deprecation', deprecation);
    next();
  };
}
