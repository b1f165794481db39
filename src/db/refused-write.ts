/**
 * Classes and codes of SQLSTATE with which PostgreSQL refuses what is to be stored, however often it is asked: a value
 * that a type cannot hold (22), a constraint (23), a limit such as the size of a row (54), an exception of a trigger.
 */
const REFUSALS = ['22', '23', '54'];
const RAISED = 'P0001';

/** What the database says when it refuses a value for good; null for any other error. */
export function readRefusedWrite(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const { code } = error as NodeJS.ErrnoException;
  // The codes of Node's own errors are words.
  if (code === undefined || !/^[0-9A-Z]{5}$/.test(code)) return null;
  return code === RAISED || REFUSALS.includes(code.slice(0, 2)) ? withoutStatement(error.message) : null;
}

/** Knex puts the statement in front of what the database said. */
const withoutStatement = (message: string): string => message.split(' - ').at(-1)!;
