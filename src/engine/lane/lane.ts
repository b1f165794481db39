import type { Rpc } from '../../chain/rpc/rpc.ts';
import type { Signer } from '../../chain/signing/signer.ts';
import type { Db } from '../../db/client.ts';
import type { Cursor } from '../../lib/block-id.ts';
import { createInTurn } from '../../lib/one-at-a-time.ts';
import type { InTurn } from '../../lib/one-at-a-time.ts';
import type { Hex } from '../../lib/hex.ts';
import type { OperatorEpoch } from '../../lib/operator-epoch.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { FollowUps } from '../ports.ts';
import type { LaneKey, PauseReason, OperatorPauseReason } from '../store/lanes.ts';
import type { EngineConfig } from '../config.ts';
import { createGasMemory } from './gas-memory.ts';
import type { GasMemory } from './gas-memory.ts';
import { createLatestReader, createL1Costs, createTipReader } from './market.ts';
import type { LatestReader, L1Costs, TipReader } from './market.ts';
import type { NonceUse, Transaction } from '../store/transactions.ts';

/** What every lane of a process is made of. */
export interface LaneParts {
  db: Db;
  rpc: Pick<Rpc, 'call' | 'callEach'>;
  log: Logger;
  config: EngineConfig;
  followUps: Pick<FollowUps, 'settled'>;
  chain: CanonicalChain;
  suspicion: Suspicion;
  signer: Signer;
}

/** A signer's money as it was when its balance was read the last time; `checkFunds` reads it. */
interface Funds {
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
  reason: PauseReason;
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

/** What keeps a lane from its work; pause.ts writes it. */
interface LaneHealth {
  /** Set while it sends nothing at all. */
  pause: Pause | null;
  /** By their addresses, the Operators of which it sends nothing. */
  pausedOperators: Map<Hex, OperatorPause>;
  /** Blocks go by without its first transaction. */
  isStuck: boolean;
  // By `performance.now()`.
  /** When the lane may leave it to another one to be the sender the next time; sender.ts writes it. */
  yieldAt: number;
  /** When open transactions of lanes that nobody holds are sent again the next time; broadcast.ts writes it. */
  resendAt: number;
  /** When an epoch that is to be raised is looked at the next time; raise-epoch.ts writes it. */
  raiseAt: number;
}

/** A signer's lane while this process holds it. What is done with it stands in functions that take it. */
export interface Lane extends Readonly<LaneParts> {
  readonly key: LaneKey;
  readonly latest: LatestReader;
  readonly tip: TipReader;
  readonly l1: L1Costs;
  readonly inFlight: InFlight;
  readonly blocked: BlockedContracts;
  readonly gasMemory: GasMemory;
  /** Written by `dispatch` alone. */
  readonly turns: Turns;
  readonly funds: Funds;
  readonly health: LaneHealth;
  readonly search: DoneSearch;
  /** The last intent that was settled before its turn, or looked for; send/leave-overtaken.ts goes on behind it. */
  readonly laterDone: { last: bigint };
  /**
   * What stores transactions of new nonces, or no-ops for others, and takes note of them: when it is one's turn, all
   * that is stored is in `inFlight`, whichever loop did it. After one that failed there is no turn: nobody knows what
   * it stored.
   */
  readonly storeInOrder: InTurn;
  /**
   * When something was sent, mined, taken back or settled, by `performance.now()`; null: not while this process has it.
   */
  readonly progress: { at: number | null };
  /** How often in a row the database stored nothing of what was signed, though no intent had left; lease.ts counts. */
  readonly unstored: { inARow: number };
}

/** A lane that was just taken: nothing of it is known but this. */
export function openLane(parts: LaneParts, { term, nextNonce }: { term: bigint; nextNonce: bigint }): Lane {
  const { db, rpc, log, config, followUps, chain, suspicion, signer } = parts;
  const inFlight = createInFlight(nextNonce);
  const { profile, timings } = config;
  return {
    ...{ db, rpc, log, config, followUps, chain, suspicion, signer },
    key: { signer: signer.address, term },
    latest: createLatestReader(rpc),
    tip: createTipReader(rpc, profile.feeModel, timings.tipFreshMs),
    l1: createL1Costs(rpc, profile.l1Fee, timings.tipFreshMs),
    inFlight,
    blocked: createBlockedContracts(inFlight, timings.cooldownMs),
    gasMemory: createGasMemory(),
    turns: createTurns(),
    funds: { areEnough: true, unpromised: 0n, shortUntil: 0, isGasTooDear: false },
    health: { pause: null, pausedOperators: new Map(), isStuck: false, yieldAt: 0, resendAt: 0, raiseAt: 0 },
    search: { notBefore: 0, askedAt: new Map(), ruledOut: new Set() },
    laterDone: { last: 0n },
    storeInOrder: createInTurn({ goesOn: false }),
    progress: { at: null },
    unstored: { inARow: 0 },
  };
}

/** A transaction in flight, and where it was mined when that was looked at. */
export interface Snapshot {
  readonly transaction: Transaction;
  readonly used: NonceUse | null;
}

/** A lane's transactions that are not finished, and the nonce of the next one. */
interface InFlight {
  readonly nextNonce: bigint;
  /** By nonce: open ones, and mined ones that are not final yet. */
  readonly unfinished: readonly Transaction[];
  /** Those that are not mined. */
  open(): Transaction[];
  /** Whether an open transaction has a call of this contract. */
  hasOpen(contract: Hex): boolean;
  /** Contracts with a call that is to go again, and is not in the queue yet: what is behind it there waits for that. */
  returning(): Hex[];
  /** All of them as they are now. */
  snapshot(): Snapshot[];
  /** Whether the transaction has been neither mined, taken back nor finished since. */
  isUnchanged(snapshot: Snapshot): boolean;
  add(transaction: Transaction): void;
  remove(transaction: Transaction): void;
}

function createInFlight(firstNonce: bigint): InFlight {
  const unfinished: Transaction[] = [];
  let nextNonce = firstNonce;
  const open = (): Transaction[] => unfinished.filter(({ used }) => !used);
  return {
    get nextNonce() {
      return nextNonce;
    },
    unfinished,
    open,
    hasOpen: (contract) => open().some((transaction) => hasCallOf(transaction, contract)),
    returning: () =>
      unfinished.filter(givesBack).flatMap(({ members }) => members.map(({ contract }) => contract)),
    snapshot: () => unfinished.map((transaction) => ({ transaction, used: transaction.used })),
    isUnchanged: ({ transaction, used }) => transaction.used === used && unfinished.includes(transaction),
    add: (transaction) => {
      const later = unfinished.findIndex(({ nonce }) => nonce > transaction.nonce);
      unfinished.splice(later < 0 ? unfinished.length : later, 0, transaction);
      if (transaction.nonce >= nextNonce) nextNonce = transaction.nonce + 1n;
    },
    remove: (transaction) => {
      unfinished.splice(unfinished.indexOf(transaction), 1);
    },
  };
}

/**
 * Whether it is to do nothing for its calls, or nobody knows what it did. Once one of its attempts is mined its calls
 * are back in the queue, or done.
 */
const givesBack = ({ isNoop, used }: Transaction): boolean => (used ? used.hash === null : isNoop);

/** Whether a call of this contract is in the transaction. */
export const hasCallOf = ({ members }: Transaction, contract: Hex): boolean =>
  members.some((member) => member.contract === contract);

/** Contracts whose next call cannot be sent or decided yet: the lane leaves them out of the queue. */
interface BlockedContracts {
  /** Until one of these transactions is mined, taken back or finished; without any, until the next look. */
  blockUntil(contract: Hex, changes: readonly Snapshot[]): void;
  /** For the cooldown: what would decide its next call cannot be seen yet. */
  coolDown(contract: Hex): void;
  /** All of them, and those with a call in flight that is to go again. */
  find(): Hex[];
}

function createBlockedContracts(
  inFlight: Pick<InFlight, 'isUnchanged' | 'returning'>,
  cooldownMs: number,
): BlockedContracts {
  const blocked = new Map<Hex, readonly Snapshot[]>();
  const cooling = new Map<Hex, number>();
  return {
    blockUntil: (contract, changes) => {
      blocked.set(contract, changes);
    },
    coolDown: (contract) => {
      cooling.set(contract, performance.now() + cooldownMs);
    },
    find: () => {
      for (const [contract, snapshots] of blocked)
        if (snapshots.length === 0 || !snapshots.every(inFlight.isUnchanged)) blocked.delete(contract);
      for (const [contract, until] of cooling) if (performance.now() >= until) cooling.delete(contract);
      return [...new Set([...blocked.keys(), ...cooling.keys(), ...inFlight.returning()])];
    },
  };
}

/** Whose turn it is: what a lane keeps from one look at the queue to the next. It is lost with the lane, at no cost. */
export interface Turns {
  /** See send/fair-order.ts. */
  spent: ReadonlyMap<string, number>;
  /** The account whose turn was the last one; null before the first. */
  lastAccount: string | null;
  /** The same for the contracts of accounts that have several. */
  lastContracts: Map<string, Hex>;
  /** The first intent that found no room in a block, and the number of the block when that was. */
  didNotFit: { number: bigint; block: bigint } | null;
}

export const createTurns = (): Turns => ({
  spent: new Map(),
  lastAccount: null,
  lastContracts: new Map(),
  didNotFit: null,
});

/** What was found out about effects so far; send/already-done.ts and send/move-stale.ts write it. */
interface DoneSearch {
  /** Until then no events are searched for, by `performance.now()`. */
  notBefore: number;
  /** When intents of an earlier epoch were asked about, by `performance.now()`. */
  askedAt: Map<bigint, number>;
  /** Effects under the key of an intent that were found to be other calls. */
  ruledOut: Set<string>;
}

/** The chain as its one reader holds it, in whatever process that is. */
export interface CanonicalChain {
  /**
   * Returns the final block and the head that a look at the chain found which began after this call; null when nobody
   * looked in time, or blocks beyond that head are to be read yet. What decides something is asked at the head by its
   * hash.
   */
  fresh(): Promise<Cursor | null>;
  /** Something was broadcast: the reader looks for it now, and until it is final. */
  expectBlock(): void;
}

/**
 * What tells whether the database may lack transactions that were signed before this process began, or before the
 * sender vouched for another server; send/suspect.ts has it.
 */
export interface Suspicion {
  /**
   * Looks whether the lane may send new calls, and returns it. Not before the reader has read a block that was made
   * since: a repeated request is known by its effect then. And not while an endpoint counts transactions of a signer
   * that the database does not know: when they are not mined within the stuck time, a new epoch begins, in which they
   * have no effect.
   * @param suspected as `SenderLook` says
   * @throws LaneLost
   */
  clear(lane: Lane, suspected: string | null): Promise<boolean>;
}
