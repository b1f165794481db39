import { Interface } from 'ethers';
import { managedErc20Abi } from '../../../generated/contracts.ts';
import type { Hex } from '../../lib/hex.ts';

/** What both kinds of token have; the ERC-721 has the same functions. */
const token = new Interface(managedErc20Abi);

/** Function that makes the move, view that tells the state, and what the view tells once the move is made. */
const TOKEN_MOVES = {
  pause: { call: 'pause', view: 'paused', target: true },
  unpause: { call: 'unpause', view: 'paused', target: false },
  lock_transfers: { call: 'lockTransfers', view: 'transfersLocked', target: true },
  unlock_transfers: { call: 'unlockTransfers', view: 'transfersLocked', target: false },
} as const;

const ACCOUNT_MOVES = {
  freeze: { call: 'freeze', view: 'isFrozen', target: true },
  unfreeze: { call: 'unfreeze', view: 'isFrozen', target: false },
  approve_account: { call: 'approveAccount', view: 'isApprovedAccount', target: true },
  unapprove_account: { call: 'unapproveAccount', view: 'isApprovedAccount', target: false },
} as const;

/** A move of the whole token from one state to the other. */
export type TokenMove = keyof typeof TOKEN_MOVES;
/** A move of one account at a token. */
export type AccountMove = keyof typeof ACCOUNT_MOVES;

export interface EncodedMove {
  /** Calldata that makes the move. Making it twice changes nothing. */
  data: Hex;
  /** Calldata of the view that tells the state. */
  view: Hex;
  /** Whether the answer of that view says that the move is made already. @throws Error for what is no answer. */
  isMade(answer: Hex): boolean;
}

/** Puts a move into calls of the token; `account` goes with the moves of an account only. */
export function encodeMove(kind: TokenMove | AccountMove, account: Hex | null): EncodedMove {
  const { call, view, target } = { ...TOKEN_MOVES, ...ACCOUNT_MOVES }[kind];
  const given = account === null ? [] : [account];
  return {
    data: token.encodeFunctionData(call, given) as Hex,
    view: token.encodeFunctionData(view, given) as Hex,
    isMade: (answer) => token.decodeFunctionResult(view, answer)[0] === target,
  };
}
