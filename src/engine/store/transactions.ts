import type { BlockId } from '../../lib/block-id.ts';
import type { Fees } from '../../lib/fees.ts';
import type { Hex } from '../../lib/hex.ts';
import type { OperatorEpoch } from '../../lib/operator-epoch.ts';

/** Signed bytes for one nonce. */
export interface Attempt extends Fees {
  hash: Hex;
  raw: Hex;
}

/** One call of a transaction: which intent, and the gas that it may use. */
export interface Member {
  number: bigint;
  contract: Hex;
  gasCap: number;
}

/** Where the nonce of a transaction was used, and by which of its attempts; null when by none that is known. */
export interface MinedIn {
  hash: Hex | null;
  block: BlockId;
  /** Reverted as a whole since the Operator executed nothing. */
  wasRefused: boolean;
}

/** A transaction that has no final verdict yet. All of its calls are of one Operator and epoch. */
export interface Transaction extends OperatorEpoch {
  id: bigint;
  nonce: bigint;
  /** It only frees its nonce from now on: its next attempts call nothing. Its calls may have been mined before. */
  isNoop: boolean;
  /** Of its next attempt. */
  gasLimit: bigint;
  /** Gas that it will use by experience. */
  expectedGas: number;
  calldata: Hex;
  /** Those that are sent, the one with the highest fees last. */
  attempts: Attempt[];
  members: Member[];
  /** Set while its nonce is used in a block that is canonical and not yet final. */
  mined: MinedIn | null;
  /** The node did not take it because an earlier nonce is open: it is sent again when that one is used. */
  isAhead?: boolean;
}

/** SQL that opens a transaction again: whatever was found where its nonce was used is found anew. */
export const OPEN_AGAIN = `status = 'open', mined_hash = null, was_refused = false, block_number = null, block_hash = null`;

/** SQL: whether the epoch of `transactions t` is over for good, so that its bytes have no effect any more. */
export const IS_VOID = `exists (
             select 1 from operators p where p.address = t.operator and p.epoch > t.epoch and p.raised_in is not null)`;

/**
 * SQL: whether bytes that were signed for `intents i` may still have an effect, in its transaction or in an earlier one: a
 * nonce that was given up as used elsewhere may be open again.
 */
export const IS_IN_FLIGHT = `exists (
          select 1 from transactions t where t.id = any(i.sent_in) and t.status in ('open', 'mined') and not ${IS_VOID})`;

/**
 * SQL: whether `intents i` was in a transaction whose nonce another program has used as it seems. A count may have been wrong,
 * and then bytes of it are mined yet; those of a buried signer, or of an epoch that is over, have no effect any more.
 */
export const HAS_LOST_NONCE = `exists (
          select 1 from transactions t join lanes l on l.signer = t.signer
           where t.id = any(i.sent_in) and t.status = 'displaced' and not l.buried and not ${IS_VOID})`;
