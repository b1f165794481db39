import type { Db } from '../../db/client.ts';
import { AppError } from '../../errors.ts';
import { CREDIT_PRICES, PLAN_LIMITS } from '../../lib/plans.ts';
import type { GasPerDay, Meter, Network, Plan, Prices } from '../../lib/plans.ts';
import { quotaExceeded } from './quota-exceeded.ts';
import { readGas, readUsage } from './store.ts';

/** The running month of one meter. */
export interface Usage {
  plan: Plan;
  limit: number;
  used: number;
  /** Never below 0, also after a downgrade. */
  remaining: number;
  periodStart: Date;
  periodEnd: Date;
}

/** The gas of the running day. */
export interface GasUsage {
  used: number;
  /** By what is under way. */
  held: number;
  /** Never below 0. */
  remaining: number;
  periodStart: Date;
  periodEnd: Date;
}

export interface MeteringService {
  /** Credits that things cost on this network. */
  prices: Prices;
  /** The running month of one meter. */
  usage(accountId: string, meter: Meter): Promise<Usage>;
  /**
   * Whether a claim could be held now: what costs something before it is accepted asks this first. The hold decides.
   * @throws AppError QUOTA_EXCEEDED
   */
  require(accountId: string, meter: Meter, amount: number): Promise<void>;
  /** The gas of the running day. */
  gas(accountId: string): Promise<GasUsage>;
}

export function createMeteringService(
  db: Db,
  { network, gasPerDay }: { network: Network; gasPerDay: GasPerDay },
): MeteringService {
  const usageOf = async (accountId: string, meter: Meter): Promise<Usage> => {
    const usage = await readUsage(db, accountId, meter);
    if (!usage) throw goneAccount();
    const limit = PLAN_LIMITS[usage.plan];
    return { ...usage, limit, remaining: Math.max(0, limit - usage.used) };
  };
  return {
    prices: CREDIT_PRICES[network],
    usage: usageOf,
    require: async (accountId, meter, amount) => {
      const { plan, remaining } = await usageOf(accountId, meter);
      if (remaining < amount) throw quotaExceeded(meter, plan);
    },
    gas: async (accountId) => {
      const gas = await readGas(db, accountId);
      if (!gas) throw goneAccount();
      const { plan, gasPerDay: own, used, held, ...period } = gas;
      return { used, held, remaining: Math.max(0, (own ?? gasPerDay[plan]) - used - held), ...period };
    },
  };
}

function goneAccount(): AppError {
  return new AppError('NOT_FOUND', 'This account does not exist any more');
}
