import type { Hex } from '../../lib/hex.ts';
import { ERC20 } from './interfaces.ts';
import type { View } from './view.ts';

/** For each control: the function that applies it, the view of the state, and the answer of the view once applied. */
const TOKEN_CONTROLS = {
  pause: { call: 'pause', view: 'paused', target: true },
  unpause: { call: 'unpause', view: 'paused', target: false },
  lock_transfers: { call: 'lockTransfers', view: 'transfersLocked', target: true },
  unlock_transfers: { call: 'unlockTransfers', view: 'transfersLocked', target: false },
  close_mint: { call: 'closeMint', view: 'mintClosed', target: true },
  reopen_mint: { call: 'reopenMint', view: 'mintClosed', target: false },
  renounce_controls: { call: 'renounceControls', view: 'controlsRenounced', target: true },
  restore_controls: { call: 'restoreControls', view: 'controlsRenounced', target: false },
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

interface EncodedControl {
  /** Calldata that applies the control. Applying it twice changes nothing. */
  data: Hex;
  /** Whether it is applied already. */
  applied: View<boolean>;
}

/** Encodes a control as calls of the token. The ERC-721 has the same functions as the ERC-20. */
export function encodeControl(kind: TokenControl | AccountControl, account: Hex | null): EncodedControl {
  const { call, view, target } = { ...TOKEN_CONTROLS, ...ACCOUNT_CONTROLS }[kind];
  const values = account === null ? [] : [account];
  return {
    data: ERC20.encodeFunctionData(call, values) as Hex,
    applied: {
      data: ERC20.encodeFunctionData(view, values) as Hex,
      decode: (answer) => ERC20.decodeFunctionResult(view, answer)[0] === target,
    },
  };
}
