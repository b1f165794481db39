import type { Hex } from '../../lib/hex.ts';
import { ERC20 } from './interfaces.ts';

/** The functions that stop or bound a token, by the kind of the intent that calls them. The ERC-721 has the same. */
const FUNCTIONS = {
  pause: 'pause',
  lock_transfers: 'lockTransfers',
  freeze: 'freeze',
  close_mint: 'closeMint',
  set_mint_limit: 'lowerMintLimit',
} as const;

/** A kind of intent that stops or bounds a token: its issuer can do it past every quota and budget. */
export type Brake = keyof typeof FUNCTIONS;

export const BRAKES = Object.keys(FUNCTIONS) as readonly Brake[];

/** Selectors of their calls. */
export const BRAKE_SELECTORS: readonly Hex[] = Object.values(FUNCTIONS).map(
  (name) => ERC20.getFunction(name)!.selector as Hex,
);

/** Whether calldata is of a brake. */
export const isBrake = (data: Hex): boolean => BRAKE_SELECTORS.includes(data.slice(0, 10) as Hex);
