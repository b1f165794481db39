/**
 * SQL: whether `intents i` waits in the queue. Indexes know the phase alone, in which what waits and what is submitted are one:
 * without it a statement reads all intents.
 */
export const IS_QUEUED = `i.phase = 'open' and i.status = 'queued'`;
