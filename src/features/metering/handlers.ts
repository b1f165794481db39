import type { Handlers } from '../../http/operation.ts';
import type { MeteringService, Usage } from './service.ts';

/** `/stats` and `/v1/billing/credits`. */
export function meteringHandlers({ metering }: { metering: MeteringService }) {
  return {
    getStats: async ({ principal }) => {
      const usage = await metering.usage(principal.accountId, 'mints');
      const { plan, used: mintsUsed, remaining: mintsRemaining } = usage;
      return { status: 200, body: { plan, mintsUsed, mintsRemaining, ...presentPeriod(usage) } };
    },

    getCredits: async ({ principal }) => {
      const usage = await metering.usage(principal.accountId, 'credits');
      return {
        status: 200,
        body: {
          plan: usage.plan,
          monthlyCredits: usage.limit,
          creditsUsed: usage.used,
          creditsRemaining: usage.remaining,
          ...presentPeriod(usage),
          prices: metering.prices,
        },
      };
    },
  } satisfies Partial<Handlers>;
}

function presentPeriod({ periodStart, periodEnd }: Usage): { periodStart: string; periodEnd: string } {
  return { periodStart: periodStart.toISOString(), periodEnd: periodEnd.toISOString() };
}
