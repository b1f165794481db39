import type { ChainProfile } from '../../chain/profile.ts';
import type { Reach } from '../../lib/crash-points.ts';
import type { Hex } from '../../lib/hex.ts';
import type { Operators } from '../../lib/operators.ts';
import type { Observe } from '../../telemetry/observe.ts';
import type { LaneTimings } from './timings.ts';

/** What lanes and the reader of the chain know to be committed. */
export interface CommitObserver {
  /** The lane of this signer uses this nonce next, or a later one. */
  noteNextNonce(signer: Hex, nonce: bigint): void;
  /** The reader of this term has settled everything up to the final block of this number. */
  noteCursor(cursor: { term: bigint; final: bigint }): void;
}

export interface LaneConfig extends Operators {
  chainId: bigint;
  profile: ChainProfile;
  /** Callees without which a deployment is impossible. */
  factories: readonly Hex[];
  /** Most transactions of a signer without a receipt at a time; geth keeps 16 an account for sure. */
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
  timings: LaneTimings;
}
