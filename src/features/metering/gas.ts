import type { Claiming, VerdictChange } from '../../engine/index.ts';
import { AppError } from '../../errors.ts';
import { isBrake } from '../../lib/brakes.ts';
import { GAS_PER_UNIT } from '../../lib/max-gas.ts';
import { unitsOf } from '../intent-kinds.ts';
import type { Balance } from './store.ts';

/*
 * What free writes use draws on the gas of the day, and so does metadata that is minted, beyond the gas that each
 * metered unit brings along. An accepted write holds its estimate. Its verdict releases that, and charges what was used
 * on the chain; of a mint that succeeded no more than it held, for what its receivers use is in the gas of its units.
 */

/** What a request holds of the day's gas; 0 for what its units bring along, null for what calls nothing. */
export function estimateDraw(request: Claiming): number | null {
  return request.gas === null ? null : Math.max(0, request.gas - unitsOf(request) * GAS_PER_UNIT);
}

/**
 * The error of a write that the day's gas does not suffice for. A write that holds none is refused as well once more
 * was used than the day has: what failed on the chain gave its unit back, and not its gas.
 */
export function gasExceeded({ dayEnd, secondsLeft, used }: Balance, draw: number, limit: number): AppError {
  const retryAfterSeconds = Math.max(1, secondsLeft);
  return new AppError(
    'RATE_LIMITED',
    `The gas of this day (UTC) does not suffice: ${used} of ${limit} are used or held, and this write may need ${draw} of ` +
      `it. The next day begins at ${dayEnd.toISOString()}; GET /stats/gas tells more. ` +
      `Try again in ${retryAfterSeconds} seconds.`,
    { retryAfterSeconds },
  );
}

/**
 * What an intent with a final verdict has used of the gas of the day on which it was accepted; 0 for nothing. The units
 * of a failure are given back, so they bring nothing along.
 */
export function chargeOf({ intent, outcome, gas }: VerdictChange): number {
  // It passed beyond the gas of its day, and draws on nothing.
  if (intent.heldGas === null && isBrake(intent.kind)) return 0;
  // A cap that was too low for a success is the service's mistake.
  if (outcome !== 'final') return intent.burntGas + (gas?.exact() ?? 0);
  const own = unitsOf(intent) * GAS_PER_UNIT;
  const held = intent.heldGas ?? 0;
  // It had its effect, and nobody can tell its gas; or it brought all of its gas along.
  if (gas === null || (own > 0 && held === 0)) return held;
  if (gas.guess <= own) return 0;
  const beyond = Math.max(0, gas.exact() - own);
  return own > 0 ? Math.min(held, beyond) : beyond;
}
