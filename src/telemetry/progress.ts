import type { Logger } from './logger.ts';

/** How often work of several steps says how far it is, in milliseconds. */
const SAY_EVERY_MS = 10_000;

/**
 * Returns a function that tells of a step before it is done: of the first one, and then now and then. On a terminal the
 * line is rewritten by what is said next. Whoever does the work says at its end what was done.
 */
export function createProgress(log: Pick<Logger, 'info'>): (details: object, message: string) => void {
  let saidAt = -Infinity;
  return (details, message) => {
    const now = performance.now();
    if (now - saidAt < SAY_EVERY_MS) return;
    saidAt = now;
    log.info({ ...details, progress: true }, message);
  };
}
