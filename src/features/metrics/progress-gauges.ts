import type { Engine } from '../../engine/index.ts';
import type { CreateGauge, GaugeGroup } from './gauge-group.ts';

/** Whether lanes get on, and the reader of the chain does. */
export function progressGauges(gauge: CreateGauge, engine: Pick<Engine, 'backlog'>): GaugeGroup {
  const paused = gauge(
    'mintmark_lane_paused',
    '1 while the signer sends nothing for this reason, or nothing of this Operator if there is one',
    ['signer', 'operator', 'reason'],
  );
  const unread = gauge(
    'mintmark_chain_unread_seconds',
    'Since when nobody has read the chain though transactions wait for it; 0 when none does',
  );
  const headAge = gauge(
    'mintmark_head_age_seconds',
    'Since when no endpoint has shown a new block though transactions wait for one; 0 when none does',
  );
  const stalled = gauge(
    'mintmark_lane_stalled_seconds',
    'Since when nothing of some lane was sent, mined or settled though it has work; 0: none has',
  );
  return {
    gauges: [paused, unread, headAge, stalled],
    read: async () => {
      const backlog = await engine.backlog();
      for (const { signer, operator, reason } of backlog.paused)
        paused.set({ signer, operator: operator ?? '', reason }, 1);
      unread.set(backlog.unreadMs / 1_000);
      headAge.set(backlog.headAgeMs / 1_000);
      stalled.set(backlog.stalledMs / 1_000);
    },
  };
}
