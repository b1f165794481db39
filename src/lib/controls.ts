/** Kinds of intents that stop or bound a token: they pass every quota and budget, and what else of their contract waits. */
export const BRAKES = ['pause', 'lock_transfers', 'freeze', 'close_mint', 'set_mint_limit'] as const;

/** Kinds whose outcome depends on the deployment of their contract and on each other, and on nothing else that is asked of it. */
export const CONTROLS = [
  ...BRAKES,
  'unpause',
  'unlock_transfers',
  'unfreeze',
  'approve_account',
  'unapprove_account',
  'reopen_mint',
  'renounce_controls',
  'restore_controls',
] as const;

export const isBrake = (kind: string): boolean => BRAKES.some((brake) => brake === kind);
