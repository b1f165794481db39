import type { Handlers } from '../../http/operation.ts';
import type { MeteringService, Usage } from './service.ts';

/** `/stats`, `/stats/gas` and `/v1/billing/credits`. */
export function meteringHandlers({ metering }: { metering: MeteringService }) {
  return {
    getStats: async ({ principal }) => {
      const usage = await metering.usage(principal.accountId, 'mints');
      const { plan, used: mintsUsed, remaining: mintsRemaining } = usage;
      return { status: 200, body: { plan, mintsUsed, mintsRemaining, ...presentPeriod(usage) } };
    },

    getGasStats: async ({ principal }) => {
      const { used, held, remaining, ...period } = await metering.gas(principal.accountId);
      return { status: 200, body: { used, held, remaining, ...presentPeriod(period) } };
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

function presentPeriod({ periodStart, periodEnd }: Pick<Usage, 'periodStart' | 'periodEnd'>): {
  periodStart: string;
  periodEnd: string;
} {
  return { periodStart: periodStart.toISOString(), periodEnd: periodEnd.toISOString() };
}
