/**
 * SQL: whether `intents i` waits in the queue. Indexes know the phase alone, in which what waits and what is submitted are one:
 * without it a statement reads all intents.
 */
export const IS_QUEUED = `i.phase = 'open' and i.status = 'queued'`;

/** SQL: whether the next call of `intents i` has all the gas that it may use: it reverted with less, simulated or mined. */
export const HAS_FULL_GAS = '(i.full_gas or i.used_up_cap)';
