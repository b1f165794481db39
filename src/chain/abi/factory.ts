import type { Hex } from '../../lib/hex.ts';
import { COLLECTION_FACTORY, TOKEN_FACTORY } from './interfaces.ts';
import type { View } from './view.ts';

/** Bounds of a token for ever, and royalties: none of them. */
const UNBOUNDED = { maxSupply: 0n, mintLimitPerDay: 0n, recoverable: false };
const NO_ROYALTY = { receiver: '0x0000000000000000000000000000000000000000', basisPoints: 0n };

/** Arguments of a clone, which its factory appends to the code of the proxy. */
export interface CloneArguments {
  owner: string;
  permissioned: boolean;
  /** 0 for ERC-721. */
  decimals: number;
  name: string;
  symbol: string;
  /** Empty for ERC-20. */
  baseUri: string;
  /** In the smallest unit, or tokens ever minted; 0 for no cap. */
  maxSupply?: bigint;
  /** What the operator may mint in a UTC day; 0 for no limit. */
  mintLimitPerDay?: bigint;
  /** Whether owner and operator may move or burn what others hold. */
  recoverable?: boolean;
  /** ERC-721: ERC-2981, in hundredths of a percent. */
  royalty?: { receiver: string; basisPoints: bigint };
}

/** Returns calldata that makes the factory of ERC-20 tokens create one. */
export function encodeTokenCreation(salt: Hex, args: CloneArguments): Hex {
  const { owner, name, symbol, decimals, permissioned } = args;
  const { maxSupply, mintLimitPerDay, recoverable } = { ...UNBOUNDED, ...args };
  const fields = [owner, name, symbol, decimals, permissioned, maxSupply, mintLimitPerDay, recoverable];
  return TOKEN_FACTORY.encodeFunctionData('createToken', [salt, fields]) as Hex;
}

/** Returns calldata that makes the factory of ERC-721 collections create one. */
export function encodeCollectionCreation(salt: Hex, args: CloneArguments): Hex {
  const { owner, name, symbol, baseUri, permissioned } = args;
  const { maxSupply, mintLimitPerDay, recoverable } = { ...UNBOUNDED, ...args };
  const { receiver, basisPoints } = args.royalty ?? NO_ROYALTY;
  const bounds = [maxSupply, mintLimitPerDay, recoverable, receiver, basisPoints];
  const fields = [owner, name, symbol, baseUri, permissioned, ...bounds];
  return COLLECTION_FACTORY.encodeFunctionData('createCollection', [salt, fields]) as Hex;
}

/** Whether a factory is paused. Both factories have this view. */
export const CREATION_PAUSED: View<boolean> = {
  data: COLLECTION_FACTORY.encodeFunctionData('creationPaused') as Hex,
  decode: (answer) => BigInt(answer) === 1n,
};
