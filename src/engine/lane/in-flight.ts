import type { Hex } from '../../lib/hex.ts';
import type { MinedIn, Transaction } from '../store/transactions.ts';

/** A transaction in flight, and where it was mined when that was looked at. */
export interface Snapshot {
  readonly transaction: Transaction;
  readonly mined: MinedIn | null;
}

/** A lane's transactions that have no final verdict yet, and the nonce of the next one. */
export interface InFlight {
  readonly nextNonce: bigint;
  /** By nonce: open ones, and mined ones that are not final yet. */
  readonly unfinished: readonly Transaction[];
  /** Those without a receipt. */
  open(): Transaction[];
  /** Whether a transaction without a receipt has a call of this contract. */
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

export function createInFlight(firstNonce: bigint): InFlight {
  const unfinished: Transaction[] = [];
  let nextNonce = firstNonce;
  const open = (): Transaction[] => unfinished.filter(({ mined }) => !mined);
  return {
    get nextNonce() {
      return nextNonce;
    },
    unfinished,
    open,
    hasOpen: (contract) => open().some((transaction) => hasCallOf(transaction, contract)),
    returning: () =>
      unfinished.filter(givesBack).flatMap(({ members }) => members.map(({ contract }) => contract)),
    snapshot: () => unfinished.map((transaction) => ({ transaction, mined: transaction.mined })),
    isUnchanged: ({ transaction, mined }) => transaction.mined === mined && unfinished.includes(transaction),
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
 * Whether it is to do nothing for its calls, or nobody knows what it did. Once one of its attempts is mined its calls are
 * back in the queue, or done.
 */
const givesBack = ({ isNoop, mined }: Transaction): boolean => (mined ? mined.hash === null : isNoop);

/** Whether a call of this contract is in the transaction. */
export const hasCallOf = ({ members }: Transaction, contract: Hex): boolean =>
  members.some((member) => member.contract === contract);
