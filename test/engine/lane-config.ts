import { PROFILES } from '../../src/chain/profile.ts';
import { defaultTimings } from '../../src/engine/index.ts';
import type { LaneConfig } from '../../src/engine/lane/config.ts';
import { noopObserver } from '../../src/telemetry/observe.ts';

/** For lanes without a service around them. */
export const LANE_CONFIG: LaneConfig = {
  chainId: 31_337n,
  profile: PROFILES['anvil']!,
  operator: `0x${'0a'.repeat(20)}`,
  formerOperators: [],
  factories: [],
  maxInFlight: 4,
  maxBatch: 10,
  maxFeesPerDay: null,
  reach: () => undefined,
  observe: noopObserver,
  checkDatabase: async () => undefined,
  commits: { noteNextNonce: () => undefined, noteCursor: () => undefined },
  timings: defaultTimings,
};
