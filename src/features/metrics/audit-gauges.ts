import type { Db } from '../../db/client.ts';
import type { CreateGauge, GaugeGroup } from './gauge-group.ts';
import { ageOfUnsealed, countAudited } from './store.ts';

/** What may be an attack; alerts count these. */
const WATCHED_ACTIONS = ['sign_in_failed', 'password_change_failed', 'key_created', 'wallet_changed'];

/** What the audit log tells to alerts. */
export function auditGauges(gauge: CreateGauge, db: Db): GaugeGroup {
  const audited = gauge(
    'mintmark_audited_recently',
    'Entries of the audit log in the last ten minutes, by action, writes left out',
    ['action'],
  );
  const unsealed = gauge(
    'mintmark_audit_unsealed_seconds',
    'Age of the oldest entry of the audit log that waits for its seal; 0: none',
  );
  return {
    gauges: [audited, unsealed],
    read: async () => {
      const rows = await countAudited(db);
      for (const action of WATCHED_ACTIONS) audited.set({ action }, 0);
      for (const { action, count } of rows) audited.set({ action }, count);
      unsealed.set(await ageOfUnsealed(db));
    },
  };
}
