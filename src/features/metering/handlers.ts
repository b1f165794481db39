import type { Handlers } from '../../http/operation.ts';
import type { MeteringService } from './service.ts';

export const meteringHandlers = ({ metering }: { metering: MeteringService }) =>
  ({
    getStats: async ({ principal }) => {
      const usage = await metering.usage(principal.accountId, 'mints');
      return {
        status: 200,
        body: {
          plan: usage.plan,
          mintsUsed: usage.used,
          mintsRemaining: usage.remaining,
          periodStart: usage.periodStart.toISOString(),
          periodEnd: usage.periodEnd.toISOString(),
        },
      };
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
          periodStart: usage.periodStart.toISOString(),
          periodEnd: usage.periodEnd.toISOString(),
          prices: metering.prices,
        },
      };
    },
  }) satisfies Partial<Handlers>;
