import { query } from '../api/query.ts';
import { toProblem } from '../api/problem.ts';
import { Meter } from './meter.tsx';

/** Mints and deployments of the token API, by month. */
export function QuotaMeter() {
  const { data, error } = query.useQuery('get', '/stats');
  const metered = data && { used: data.mintsUsed, remaining: data.mintsRemaining, periodEnd: data.periodEnd };
  return <Meter title="Mint quota" unit="mints" metered={metered} problem={toProblem(error)} />;
}

/** Credits of the collection API, by month. */
export function CreditsMeter() {
  const { data, error } = query.useQuery('get', '/v1/billing/credits');
  const metered = data && {
    used: data.creditsUsed,
    remaining: data.creditsRemaining,
    periodEnd: data.periodEnd,
  };
  return <Meter title="Credits" unit="credits" metered={metered} problem={toProblem(error)} />;
}

/** Gas beyond what each unit brings along, by day. */
export function GasMeter() {
  const { data, error } = query.useQuery('get', '/stats/gas');
  return <Meter title="Gas of the day" unit="gas" metered={data} problem={toProblem(error)} />;
}
