import { defaultTimings, ethereumLimits } from '../../src/engine/index.ts';
import type { LaneConfig } from '../../src/engine/lane/config.ts';
import { noopObserver } from '../../src/telemetry/observe.ts';

/** For lanes without a service around them. */
export const LANE_CONFIG: LaneConfig = {
  chainId: 31_337n,
  operator: `0x${'0a'.repeat(20)}`,
  factories: [],
  confirmations: 1,
  maxInFlight: 4,
  maxBatch: 10,
  ...ethereumLimits,
  reach: () => undefined,
  observe: noopObserver,
  timings: defaultTimings,
};
