import type { Rpc } from '../../chain/rpc/rpc.ts';
import type { Signer } from '../../chain/signing/signer.ts';
import type { Db } from '../../db/client.ts';
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
import { createTurns } from './turns.ts';
import type { Turns } from './turns.ts';

/** What every lane of a process is made of. */
export interface LaneParts {
  db: Db;
  rpc: Pick<Rpc, 'call'>;
  log: Logger;
  config: LaneConfig;
  effects: Pick<Effects, 'settled'>;
  signer: Signer;
}

/** A signer's lane while this process holds it. What is done with it stands in functions that take it. */
export interface Lane extends Readonly<LaneParts> {
  readonly key: LaneKey;
  readonly head: HeadReader;
  readonly tip: TipReader;
  readonly inFlight: InFlight;
  readonly blocked: BlockedContracts;
  readonly gasMemory: GasMemory;
  /** Written by `dispatch` alone. */
  readonly turns: Turns;
  /** Whether the signer could pay when that was looked at the last time; `checkFunds` writes it. */
  readonly funds: { areEnough: boolean };
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
    turns: createTurns(),
    funds: { areEnough: true },
  };
}
