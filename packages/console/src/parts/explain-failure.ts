/** The name of a contract's error, as messages have it: `The call reverted: TokenPaused()`. */
const REVERT = /^The call reverted: (\w+)\(/;

/** What lets a call succeed that a contract refused with this error. */
const ADVICE: Record<string, string> = {
  TokenPaused: 'Unpause the token, then send the request again.',
  TransfersLocked: 'Unlock the transfers of the token, then send the request again.',
  AccountFrozen: 'Unfreeze the account, or name another one.',
  AccountNotApproved: 'Approve the account first: the token is not permissionless.',
  ERC7943CannotReceive: 'The receiver is frozen: unfreeze it, or name another one.',
  SupplyCapExceeded: 'The token has a maximum supply, which cannot be raised: mint less.',
  ERC20ExceededSafeSupply: 'The supply is as large as a token can have: mint less.',
  MintLimitExceeded:
    'Mint less, or wait: what was minted of the limit of a day refills evenly over 24 hours.',
  ReceiverRefused: 'The recipient is a contract, which refused the token: name another recipient.',
  MintClosed: 'Minting is closed: open it again as long as that can be done, or deploy another token.',
  MetadataFrozen: 'The metadata are frozen: take that back as long as it can be done.',
  ControlsRenounced: 'The controls over holders are given up: take that back as long as it can be done.',
  Irrevocable: 'The time to take it back is over: it is for good.',
  NotRecoverable: 'The token was deployed without recovery: its holders alone can move it.',
  NotOwnerOrOperator:
    'The owner on the chain has taken this right from the service: only the owner can do it.',
  NotOwner: 'Only the owner on the chain can do it.',
};

const ELSE = 'Correct what the message says, then send the request again, with a new Idempotency-Key.';

/** What lets a write succeed that a contract refused, where that is known. @param message of its error */
export function adviseOn(message: string): string | undefined {
  const [, name = ''] = REVERT.exec(message) ?? [];
  return ADVICE[name];
}

/** What to do about an intent that failed, whatever it was. @param message of its error */
export const explainFailure = (message: string): string => adviseOn(message) ?? ELSE;
