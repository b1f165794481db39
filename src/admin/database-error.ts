/** What PostgreSQL says of an error, as its driver has it. */
interface ServerError extends Error {
  /** Five characters, https://www.postgresql.org/docs/current/errcodes-appendix.html */
  code: string;
  severity: string;
  detail?: string;
  hint?: string;
}

function isServerError(error: Error): error is ServerError {
  return 'severity' in error && 'code' in error;
}

/**
 * Returns the database's own words for an error, without the statement that Knex puts before them; null for any other
 * error.
 */
export function databaseWords(error: unknown): string | null {
  if (!(error instanceof Error) || !isServerError(error)) return null;
  const { message, code, detail, hint } = error;
  const own = message.slice(message.lastIndexOf(' - ') + 1).replace(/^- /, '');
  return [`${own} (${code})`, detail, hint].filter((part) => part !== undefined).join('; ');
}
