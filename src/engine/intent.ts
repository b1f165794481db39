import type { Hex } from '../lib/hex.ts';
import type { ErrorCode } from '../errors.ts';
import type { Owner } from '../lib/owner.ts';
import type { Meter } from '../lib/plans.ts';
import type { Idempotency, Origin } from '../lib/write-options.ts';

/**
 * `confirmed`, `failed` and `cancelled` are verdicts. A reorg takes a `confirmed` back to `submitted`, or to `queued`
 * when no unfinished transaction has it; one that is deeper than final confirms what had failed, or was cancelled, and
 * has an effect.
 */
export type IntentStatus = 'queued' | 'submitted' | 'confirmed' | 'failed' | 'cancelled';

/** The client's key of an intent, as the chain has it: the first 8 bytes of its id. */
export const keyOf = (id: string): bigint => BigInt(`0x${id.replaceAll('-', '').slice(0, 16)}`);

/** What was asked, once: one mint, one deployment. */
export interface Intent extends Owner {
  /** Its bit in the Operator's bitmap. */
  number: bigint;
  /** UUID, the public name. */
  id: string;
  kind: string;
  /** The contract within which the order of intents is kept. */
  contract: Hex;
  /** What was asked, frozen at acceptance; the feature that made it knows its shape. */
  arguments: Record<string, unknown>;
  status: IntentStatus;
  /** Return data of its call, once confirmed. */
  result: Hex | null;
  error: { code: ErrorCode; message: string } | null;
  /** The token at `contract`, with its decimals when it has amounts; null when there is no record of it. */
  token: { symbol: string; decimals: number | null } | null;
  /**
   * Id of the first NFT that it minted, where its result does not tell: in the sandbox, and when the result is lost.
   */
  firstTokenId: bigint | null;
  /** The function and the first two values of its calldata, 68 bytes; null when it called nothing. */
  callHead: Hex | null;
  /** The transaction that its call is in; null before it is sent, or when nothing had to be sent. */
  transactionHash: Hex | null;
  /**
   * Gas of transactions in which its call used up its cap, or was alone when all was reverted, and from which it was
   * sent again.
   */
  burntGas: number;
  /** What it took of a quota: its verdict is the end of that. Null when it took none. */
  held: Held | null;
  /** Gas of its day that it holds until its verdict is final; null when it holds none. */
  heldGas: number | null;
  /** Gas of its day that its last final verdict was charged; null for none. It counts as long as that is final. */
  chargedGas: number | null;
  /** How often its verdict changed: of two messages about it the one with the higher sequence is the later one. */
  sequence: number;
  createdAt: Date;
  updatedAt: Date;
}

/** Units of a quota that an intent took of the month (UTC) in which it was accepted. */
interface Held {
  meter: Meter;
  amount: number;
  /** What was left of the month then. */
  remaining: number;
}

/** One call of the Operator, frozen at acceptance. */
export interface IntentCall {
  target: Hex;
  data: Hex;
  /** A guess in gas that fills a batch before its simulation. */
  gasEstimate: number;
  /** The most gas that it may use; more is a revert. */
  gasMax: number;
  /** Whether it would undo what was asked after it if it came later. A mint would not. */
  isControl: boolean;
}

/** Whether a call deploys its contract: every other one calls that itself. */
export const isDeployment = ({ contract, target }: { contract: Hex; target: Hex }): boolean =>
  target !== contract;

/** What a request is known by, as `createFindId` says. */
export interface RequestId {
  /** Of its intent: a UUID. */
  id: string;
  /** What `id` would have been, had the request come on a day beside; none without a key. */
  otherDayIds: readonly string[];
}

/** A request that asks to be accepted. */
export interface NewIntent extends Owner, RequestId {
  kind: string;
  contract: Hex;
  /** Null when there is nothing to send (the sandbox, a control already in its target state): confirmed at once. */
  call: IntentCall | null;
  arguments: Record<string, unknown>;
  cost: { meter: Meter; amount: number } | null;
  idempotency: Idempotency | null;
  origin: Origin;
}

/** The same before it has an id, unless its call needed that. */
export type AskedIntent = Omit<NewIntent, keyof RequestId> & { requestId?: RequestId };

/** Gas that the call of an intent used on the chain, with its share of what its transaction used besides its calls. */
export interface GasUse {
  /** Rather too much, and free. */
  guess: number;
  /** May cost a question to the chain. */
  exact(): number;
}

/** A change of what an intent came to; the features' follow-ups get it in the same database transaction. */
export interface VerdictChange {
  intent: Intent;
  /**
   * `confirmed`: one confirmation, may yet be retracted by a reorg; `final`: confirmed at depth, the hold is spent;
   * `failed`, `cancelled`: no effect, now and for ever, the hold is given back; `retracted`: a reorg took a
   * confirmation back, and the intent is under way again; `reopened`: a verdict that was final is not any more, since a
   * reorg was deeper than that, and what it had held is held again. What became of it follows.
   */
  outcome: 'confirmed' | 'final' | 'failed' | 'cancelled' | 'retracted' | 'reopened';
  /** Of `reopened`: whether what was final was a success. */
  wasSuccess?: boolean;
  /** Its account has webhooks, and was not notified of this verdict before. */
  notifyAccount: boolean;
  /** Of a verdict that is final, from what a block or a receipt tells; null for any other. */
  gas: GasUse | null;
}

export const hasVerdict = (status: IntentStatus): boolean => status !== 'queued' && status !== 'submitted';
