import { defaultTimings } from '../../src/engine/index.ts';
import type { LaneConfig } from '../../src/engine/lane/config.ts';
import { noopObserver } from '../../src/telemetry/observe.ts';

/** For lanes without a service around them. */
export const LANE_CONFIG: LaneConfig = {
  chainId: 31_337n,
  factories: [],
  confirmations: 1,
  maxInFlight: 4,
  maxBatch: 10,
  reach: () => undefined,
  observe: noopObserver,
  timings: defaultTimings,
};
