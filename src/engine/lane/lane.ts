import type { Rpc } from '../../chain/rpc/rpc.ts';
import type { Signer } from '../../chain/signing/signer.ts';
import type { Db } from '../../db/client.ts';
import { createInTurn } from '../../lib/one-at-a-time.ts';
import type { InTurn } from '../../lib/one-at-a-time.ts';
import type { Hex } from '../../lib/hex.ts';
import type { OperatorEpoch } from '../../lib/operator-epoch.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { Effects } from '../ports.ts';
import type { CanonicalChain } from './canonical-chain.ts';
import type { LaneKey, PauseReason, OperatorPauseReason } from '../store/lanes.ts';
import { createBlockedContracts } from './blocked.ts';
import type { BlockedContracts } from './blocked.ts';
import type { LaneConfig } from './config.ts';
import { createGasMemory } from './gas-memory.ts';
import type { GasMemory } from './gas-memory.ts';
import { createHeadReader } from './head.ts';
import type { HeadReader } from './head.ts';
import { createInFlight } from './in-flight.ts';
import type { InFlight } from './in-flight.ts';
import { createL1Costs } from './l1-costs.ts';
import type { L1Costs } from './l1-costs.ts';
import { createTipReader } from './tip.ts';
import type { TipReader } from './tip.ts';
import { createTurns } from './turns.ts';
import type { Turns } from './turns.ts';

/** What every lane of a process is made of. */
export interface LaneParts {
  db: Db;
  rpc: Pick<Rpc, 'call' | 'callEach'>;
  log: Logger;
  config: LaneConfig;
  effects: Pick<Effects, 'settled'>;
  chain: CanonicalChain;
  signer: Signer;
}

/** A signer's money as it was when its balance was read the last time; `checkFunds` reads it. */
export interface Funds {
  /** Whether it could pay for all that is open, or for a transaction when nothing is. */
  areEnough: boolean;
  /**
   * Wei that nothing open can take: the balance less the highest bids for all open transactions. It only shrinks until
   * the balance is read again, so that what is mined meanwhile is counted rather twice than never.
   */
  unpromised: bigint;
  /** Until then it counts as unable to pay for more than what is open, by `performance.now()`. */
  shortUntil: number;
  /** Whether gas cost more than the profile of the chain lets us bid, when something was to be sent the last time. */
  isGasTooDear: boolean;
}

/** A lane that sends nothing, and looks again after a pause. */
export interface Pause {
  reason: Exclude<PauseReason, 'stuck'>;
  /** The next look, by `performance.now()`. */
  lookAt: number;
}

/** An Operator that executes nothing of the signer, and is asked again after a pause. */
export interface OperatorPause {
  reason: OperatorPauseReason;
  /** Of the batch that it refused. */
  at: OperatorEpoch;
  /** The next look, by `performance.now()`. */
  lookAt: number;
}

/** What keeps a lane from its work; pause.ts and pause-operator.ts write it. */
export interface LaneHealth {
  /** Set while it sends nothing at all. */
  pause: Pause | null;
  /** By their addresses, the Operators of which it sends nothing. */
  pausedOperators: Map<Hex, OperatorPause>;
  /** Blocks go by without its first transaction. */
  isStuck: boolean;
  // By `performance.now()`.
  /** When the lane may leave it to another one to be the sender the next time; sender.ts writes it. */
  yieldAt: number;
  /** When open transactions of lanes that nobody holds are sent again the next time; abandoned.ts writes it. */
  resendAt: number;
  /** When an epoch that is to be raised is looked at the next time; raise-epoch.ts writes it. */
  raiseAt: number;
}

/** A signer's lane while this process holds it. What is done with it stands in functions that take it. */
export interface Lane extends Readonly<LaneParts> {
  readonly key: LaneKey;
  readonly head: HeadReader;
  readonly tip: TipReader;
  readonly l1: L1Costs;
  readonly inFlight: InFlight;
  readonly blocked: BlockedContracts;
  readonly gasMemory: GasMemory;
  /** Written by `dispatch` alone. */
  readonly turns: Turns;
  readonly funds: Funds;
  readonly health: LaneHealth;
  /** Until then no events are searched for, by `performance.now()`; recover/already-done.ts counts. */
  readonly search: { notBefore: number };
  /** The last intent that was settled before its turn, or looked for; send/leave-overtaken.ts goes on behind it. */
  readonly late: { last: bigint };
  /**
   * What stores transactions of new nonces, or no-ops for others, and takes note of them: when it is one's turn, all that is
   * stored is in `inFlight`, whichever loop did it. After one that failed there is no turn: nobody knows what it stored.
   */
  readonly storeInTurn: InTurn;
  /** When something was sent, mined, taken back or settled, by `performance.now()`; null: not while this process has it. */
  readonly progress: { at: number | null };
  /** How often in a row the database stored nothing of what was signed, though no intent had left; lease.ts counts. */
  readonly unstored: { inARow: number };
}

/** A lane that was just taken: nothing of it is known but this. */
export function openLane(parts: LaneParts, { term, nextNonce }: { term: bigint; nextNonce: bigint }): Lane {
  const { db, rpc, log, config, effects, chain, signer } = parts;
  const inFlight = createInFlight(nextNonce);
  const { profile, timings } = config;
  return {
    ...{ db, rpc, log, config, effects, chain, signer },
    key: { signer: signer.address, term },
    head: createHeadReader(rpc),
    tip: createTipReader(rpc, profile.feeModel, timings.tipFreshMs),
    l1: createL1Costs(rpc, profile.l1Fee, timings.tipFreshMs),
    inFlight,
    blocked: createBlockedContracts(inFlight, timings.cooldownMs),
    gasMemory: createGasMemory(),
    turns: createTurns(),
    funds: { areEnough: true, unpromised: 0n, shortUntil: 0, isGasTooDear: false },
    health: { pause: null, pausedOperators: new Map(), isStuck: false, yieldAt: 0, resendAt: 0, raiseAt: 0 },
    search: { notBefore: 0 },
    late: { last: 0n },
    storeInTurn: createInTurn({ goesOn: false }),
    progress: { at: null },
    unstored: { inARow: 0 },
  };
}
