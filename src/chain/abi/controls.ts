import { Interface } from 'ethers';
import { managedErc20Abi } from '../../../generated/contracts.ts';
import type { Hex } from '../../lib/hex.ts';

/** What both kinds of token have; the ERC-721 has the same functions. */
const token = new Interface(managedErc20Abi);

/** Function that applies the control, view that tells the state, and what the view tells once it is applied. */
const TOKEN_CONTROLS = {
  pause: { call: 'pause', view: 'paused', target: true },
  unpause: { call: 'unpause', view: 'paused', target: false },
  lock_transfers: { call: 'lockTransfers', view: 'transfersLocked', target: true },
  unlock_transfers: { call: 'unlockTransfers', view: 'transfersLocked', target: false },
} as const;

const ACCOUNT_CONTROLS = {
  freeze: { call: 'freeze', view: 'isFrozen', target: true },
  unfreeze: { call: 'unfreeze', view: 'isFrozen', target: false },
  approve_account: { call: 'approveAccount', view: 'isApprovedAccount', target: true },
  unapprove_account: { call: 'unapproveAccount', view: 'isApprovedAccount', target: false },
} as const;

/** A control of the whole token. */
export type TokenControl = keyof typeof TOKEN_CONTROLS;
/** A control of one account at a token. */
export type AccountControl = keyof typeof ACCOUNT_CONTROLS;

export interface EncodedControl {
  /** Calldata that applies the control. Applying it twice changes nothing. */
  data: Hex;
  /** Calldata of the view that tells the state. */
  view: Hex;
  /** Whether the answer of that view says that the control is applied already. @throws Error for what is no answer. */
  isMade(answer: Hex): boolean;
}

/** Encodes a control as calls of the token; `account` goes with the controls of an account only. */
export function encodeControl(kind: TokenControl | AccountControl, account: Hex | null): EncodedControl {
  const { call, view, target } = { ...TOKEN_CONTROLS, ...ACCOUNT_CONTROLS }[kind];
  const given = account === null ? [] : [account];
  return {
    data: token.encodeFunctionData(call, given) as Hex,
    view: token.encodeFunctionData(view, given) as Hex,
    isMade: (answer) => token.decodeFunctionResult(view, answer)[0] === target,
  };
}
