import type { Db } from '../../db/client.ts';
import { AppError } from '../../errors.ts';
import { CREDIT_PRICES, PLAN_LIMITS } from '../../lib/plans.ts';
import type { GasPerDay, LedgerMeter, Meter, Network, Plan, Prices } from '../../lib/plans.ts';
import { quotaExceeded } from './quota-exceeded.ts';
import { readRunning } from './store.ts';
import type { Running } from './store.ts';

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
interface GasUsage {
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
  const read = async (accountId: string, meter: LedgerMeter): Promise<Running> => {
    const running = await readRunning(db, accountId, meter);
    if (!running) throw new AppError('NOT_FOUND', 'This account does not exist any more');
    return running;
  };
  const usageOf = async (accountId: string, meter: Meter): Promise<Usage> => {
    const { plan, held, committed, periodStart, periodEnd } = await read(accountId, meter);
    const [limit, used] = [PLAN_LIMITS[plan], held + committed];
    return { plan, limit, used, remaining: Math.max(0, limit - used), periodStart, periodEnd };
  };
  return {
    prices: CREDIT_PRICES[network],
    usage: usageOf,
    require: async (accountId, meter, amount) => {
      const { plan, remaining } = await usageOf(accountId, meter);
      if (remaining < amount) throw quotaExceeded(meter, plan);
    },
    gas: async (accountId) => {
      const {
        plan,
        gasPerDay: own,
        held,
        committed: used,
        periodStart,
        periodEnd,
      } = await read(accountId, 'gas');
      const remaining = Math.max(0, (own ?? gasPerDay[plan]) - used - held);
      return { used, held, remaining, periodStart, periodEnd };
    },
  };
}
