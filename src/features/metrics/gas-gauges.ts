import type { Db } from '../../db/client.ts';
import type { CreateGauge, GaugeGroup } from './gauge-group.ts';
import { readGasOfDay } from './store.ts';

/** Whether one account uses most of the gas. Which one it is, no label says: there may be any number of them. */
export function gasGauges(gauge: CreateGauge, db: Db): GaugeGroup {
  const today = gauge(
    'mintmark_gas_today',
    'Gas of this day (UTC) that all accounts have used or hold beyond that of their units',
  );
  const ratio = gauge(
    'mintmark_gas_top_account_ratio',
    'Share of it that the account with most has; 0: none',
  );
  return {
    gauges: [today, ratio],
    read: async () => {
      const { total, most } = await readGasOfDay(db);
      today.set(total);
      ratio.set(total === 0 ? 0 : most / total);
    },
  };
}
