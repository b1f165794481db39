import type { Decoded } from '../../chain/abi/decode.ts';
import type { Log } from '../../chain/abi/operator.ts';
import type { Hex } from '../../lib/hex.ts';
import type { Contents, KnownToken } from './store.ts';

/** A transaction as a node returns it, as far as it is shown. */
export interface ChainTransaction {
  hash: Hex;
  from: Hex;
  to: Hex | null;
  nonce: Hex;
  value: Hex;
  gas: Hex;
  input: Hex;
}

/** Its receipt, likewise. */
export interface ChainReceipt {
  status: Hex;
  gasUsed: Hex;
  effectiveGasPrice: Hex;
  blockNumber: Hex;
  contractAddress: Hex | null;
  logs: Log[];
}

/** A log of a contract; not decoded when the contract is none of ours. */
interface ShownEvent {
  address: Hex;
  event: Decoded | null;
  topic: Hex | undefined;
}

/** Events, as many as are shown, and how many there were. */
export interface ShownEvents {
  shown: ShownEvent[];
  count: number;
}

/** Why something reverted. */
export interface Revert {
  data: Hex;
  error: Decoded | null;
}

/** A call of one of our contracts; null where its function is none of theirs. */
export interface ShownCall {
  target: Hex;
  selector: Hex;
  call: Decoded | null;
}

/** One call of `Operator.execute`, with what became of it as far as it was mined. */
export interface ShownExecution extends ShownCall {
  epoch: bigint;
  /** Its number in that epoch. */
  intent: bigint;
  gasCap: bigint;
  outcome: { events: ShownEvents; failure: Revert | null } | null;
}

export interface ShownTransaction {
  transaction: ChainTransaction;
  mined: {
    succeeded: boolean;
    block: bigint;
    /** Blocks that say so, its own among them. */
    confirmations: bigint;
    /** Whether the service has settled everything up to its block for good. */
    isFinal: boolean;
    /** How many it has, shown or not. */
    logs: number;
    /** Null when the node has lost the block in between. */
    at: Date | null;
    gasUsed: bigint;
    gasPrice: bigint;
    contractAddress: Hex | null;
    /** Of a reverted one; null when its replay gives no reason. */
    revert: Revert | null;
  } | null;
  /** The calls of `Operator.execute`, as many as are shown, and how many there are. */
  executions: { shown: ShownExecution[]; count: number };
  /** Any other call, and the one inside `Operator.adminExecute`. */
  calls: ShownCall[];
  /** What belongs to no execution. */
  events: ShownEvents;
  tokens: ReadonlyMap<Hex, KnownToken>;
  /** What this service knows of its calls; null when it is somebody else's. */
  contents: Contents | null;
}
