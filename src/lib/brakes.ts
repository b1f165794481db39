/**
 * Kinds of intents that stop or bound a token: they go before what else of their contract waits, and some beyond the
 * gas of a day.
 */
export const BRAKES = ['pause', 'lock_transfers', 'freeze', 'close_mint', 'set_mint_limit'] as const;

/**
 * Brakes, and what undoes or forbids them: what becomes of one depends on the deployment of its contract and on the
 * others, and on nothing else that is asked of it.
 */
export const SWITCHES = [
  ...BRAKES,
  'unpause',
  'unlock_transfers',
  'unfreeze',
  'reopen_mint',
  'renounce_controls',
  'restore_controls',
] as const;

export const isBrake = (kind: string): boolean => BRAKES.some((brake) => brake === kind);
