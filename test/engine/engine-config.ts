import { PROFILES } from '../../src/chain/profile.ts';
import { defaultTimings } from '../../src/engine/index.ts';
import type { EngineConfig } from '../../src/engine/config.ts';
import type { GasShares } from '../../src/engine/verdict/receipts.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { noopObserver } from '../../src/telemetry/observe.ts';

/** For lanes without a service around them, which have one Operator. */
export const engineConfigOf = (operator: Hex): EngineConfig => ({
  chainId: 31_337n,
  profile: PROFILES['anvil']!,
  operator,
  formerOperators: [],
  maxInFlight: 4,
  maxBatch: 10,
  maxFeesPerDay: null,
  reach: () => undefined,
  observe: noopObserver,
  checkDatabase: async () => undefined,
  commits: { noteNextNonce: () => undefined, noteCursor: () => undefined },
  timings: defaultTimings,
});

export const ENGINE_CONFIG: EngineConfig = engineConfigOf(`0x${'0a'.repeat(20)}`);

/** Of transactions whose receipts nobody asks for. */
export const SHARES: GasShares = {
  shareOf: () => 30_000,
  usedBy: () => 70_000,
  check: () => undefined,
};
