import type { Rpc } from '../../chain/rpc/rpc.ts';
import type { Signer } from '../../chain/signing/signer.ts';
import type { Db } from '../../db/client.ts';
import type { OperatorEpoch } from '../../lib/operator-epoch.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { Effects } from '../ports.ts';
import type { LaneKey } from '../store/lanes.ts';
import { createBlockedContracts } from './blocked.ts';
import type { BlockedContracts } from './blocked.ts';
import type { LaneConfig } from './config.ts';
import { createGasMemory } from './gas-memory.ts';
import type { GasMemory } from './gas-memory.ts';
import { createHeadReader } from './head.ts';
import type { HeadReader } from './head.ts';
import { createInFlight } from './in-flight.ts';
import type { InFlight } from './in-flight.ts';
import { createTipReader } from './tip.ts';
import type { TipReader } from './tip.ts';

/** What every lane of a process is made of. */
export interface LaneParts {
  db: Db;
  rpc: Pick<Rpc, 'call'>;
  log: Logger;
  config: LaneConfig;
  effects: Pick<Effects, 'settled'>;
  signer: Signer;
}

/** A lane that the Operator executes nothing of: it sends nothing, and looks again after a pause. */
interface Rest {
  /** What it was refused. */
  at: OperatorEpoch;
  /** The next look, by `performance.now()`. */
  lookAt: number;
}

/** A signer's lane while this process holds it. What is done with it stands in functions that take it. */
export interface Lane extends Readonly<LaneParts> {
  readonly key: LaneKey;
  readonly head: HeadReader;
  readonly tip: TipReader;
  readonly inFlight: InFlight;
  readonly blocked: BlockedContracts;
  readonly gasMemory: GasMemory;
  /** Whether the signer could pay when that was looked at the last time; `checkFunds` writes it. */
  readonly funds: { areEnough: boolean };
  /** Set while the Operator executes nothing of this lane; rest.ts writes it. */
  readonly rest: { current: Rest | null };
}

/** A lane that was just taken: nothing of it is known but its next nonce. */
export function openLane(parts: LaneParts, epoch: bigint, nextNonce: bigint): Lane {
  const { db, rpc, log, config, effects, signer } = parts;
  const inFlight = createInFlight(nextNonce);
  return {
    ...{ db, rpc, log, config, effects, signer },
    key: { signer: signer.address, epoch },
    head: createHeadReader(rpc),
    tip: createTipReader(rpc, config.timings.tipFreshMs),
    inFlight,
    blocked: createBlockedContracts(inFlight, config.timings.cooldownMs),
    gasMemory: createGasMemory(),
    funds: { areEnough: true },
    rest: { current: null },
  };
}
