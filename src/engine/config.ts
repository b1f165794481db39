import type { ChainProfile } from '../chain/profile.ts';
import type { Reach } from '../lib/crash-points.ts';
import type { Hex } from '../lib/hex.ts';
import type { Operators } from '../lib/operators.ts';
import type { Observe } from '../telemetry/observe.ts';

/** What lanes and the reader of the chain know to be committed. */
export interface CommitObserver {
  /** It is committed that the lane of this signer uses this nonce next, or a later one. */
  noteNextNonce(signer: Hex, nonce: bigint): void;
  /** It is committed that the reader of this term has settled everything up to the final block of this number. */
  noteCursor(cursor: { term: bigint; final: bigint }): void;
}

export interface EngineConfig extends Operators {
  chainId: bigint;
  profile: ChainProfile;
  /** Most open transactions of a signer at a time; geth keeps 16 an account for sure. */
  maxInFlight: number;
  /** Most calls in one transaction, whatever their size. */
  maxBatch: number;
  /** Wei that all signers together may spend on a day; null: without a limit. */
  maxFeesPerDay: bigint | null;
  /** Called at the named moments of crash-points.ts. */
  reach: Reach;
  observe: Observe;
  /** Called before a lane is taken. @throws ServerRefused when the database lacks what was committed */
  checkDatabase(): Promise<void>;
  /** Takes note of what was committed, so that a database which lacks it is noticed. */
  commits: CommitObserver;
  timings: EngineTimings;
}

/** The clocks of the engine that differ in tests, in milliseconds. Those of a chain are in its profile. */
export interface EngineTimings {
  /** A lane that was not renewed for so long may be taken by another process. It is renewed three times as often. */
  leaseMs: number;
  /** A lane of which a loop gets nowhere for so long is given up: an endpoint's call may take a third of it. */
  stallMs: number;
  /** While anything is unfinished, a new block is asked for at most this often; when idle, only for who asks. */
  blockLookMs: number;
  /** After a longer idle time the blocks between are not read: nothing that is waited for can be in them. */
  longIdleMs: number;
  /** The queue is looked at this often even without a notice, and so is a lane that another process holds. */
  queueLookMs: number;
  /** When all is sent, what arrives within this time shares the next transaction: one each would cost its gas. */
  gatherMs: number;
  /** How often the signer's balance is looked at. */
  fundsLookMs: number;
  /** Pause after an error, so that one that lasts does not become a busy loop. */
  backoffMs: number;
  /**
   * No endpoint has answered this process for so long: it gives its leases up to another one, which may reach the
   * chain.
   */
  silentMs: number;
  /** Nobody has reached the chain for so long: all that was never signed fails, and costs nothing. */
  outOfReachMs: number;
  /** A batch is made from a head that is not older. */
  latestFreshMs: number;
  /** A suggested tip is used for so long. */
  tipFreshMs: number;
  /** A contract whose next call cannot be decided yet is left out of the queue for so long. */
  cooldownMs: number;
  /** One turn asks the chain for so long what may be done already; the next one goes on. */
  askMs: number;
  /** While the Operator executes nothing (stopped, another epoch, no role), it is asked again this often. */
  pauseMs: number;
  /** A node that takes longer over a transaction is left alone with it: blocks show it anyway. */
  broadcastMs: number;
  /** Nonces are counted, and receipts asked for, at most this often: endpoints have those later than blocks. */
  receiptLookMs: number;
  /** Everything open is sent again this often: it may have been lost, or dropped by a pool. */
  resendMs: number;
  /** Requests that wait look for their verdicts this often, should a notice be lost. */
  verdictLookMs: number;
  /** The lanes get so long to end what they are doing when the service stops. */
  stopMs: number;
}

export const defaultTimings: Readonly<EngineTimings> = {
  // Outlives a garbage collection or a slow disk, and is short enough that a dead holder is soon followed.
  leaseMs: 5_000,
  stallMs: 60_000,
  blockLookMs: 100,
  longIdleMs: 60_000,
  queueLookMs: 1_000,
  gatherMs: 10,
  fundsLookMs: 10_000,
  backoffMs: 500,
  silentMs: 5_000,
  outOfReachMs: 10_000,
  latestFreshMs: 1_000,
  tipFreshMs: 5_000,
  cooldownMs: 5_000,
  askMs: 1_000,
  pauseMs: 2_000,
  broadcastMs: 2_000,
  receiptLookMs: 1_000,
  resendMs: 5_000,
  verdictLookMs: 1_000,
  stopMs: 15_000,
};
