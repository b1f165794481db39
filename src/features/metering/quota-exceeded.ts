import { AppError } from '../../errors.ts';
import type { Meter, Plan } from '../../lib/plans.ts';

/** The refusal of what costs more than the running month has left. */
export function quotaExceeded(meter: Meter, plan: Plan): AppError {
  return new AppError(
    'QUOTA_EXCEEDED',
    meter === 'mints'
      ? `The mint quota of plan ${plan} is used up for this month (UTC); GET /stats tells when the next one starts`
      : `The credits of plan ${plan} do not suffice until the next month (UTC); GET /v1/billing/credits tells more`,
  );
}
