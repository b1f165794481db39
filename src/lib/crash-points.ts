/**
 * Moments at which a crash would hurt most. `reach` is called at each; a service that is told so by `CRASH_AT` kills
 * itself there, as a test of what the next start makes of it. Production refuses the variable.
 */
export const CRASH_POINTS = [
  'lane-taken',
  'recovered',
  'accept-before-commit',
  'accept-after-commit',
  'simulated',
  'signed',
  'persisted',
  'broadcast',
  'event-found',
  'settle-before-commit',
  'settled',
] as const;

export type CrashPoint = (typeof CRASH_POINTS)[number];

export type Reach = (point: CrashPoint) => void;

/** Kills this process with SIGKILL when `point` is reached for the `pass`th time. */
export function createCrash(point: CrashPoint, pass: number): Reach {
  let passes = 0;
  return (reached) => {
    if (reached !== point) return;
    passes += 1;
    if (passes === pass) process.kill(process.pid, 'SIGKILL');
  };
}
