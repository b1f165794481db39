import type { Hex } from '../../lib/hex.ts';
import type { Royalty } from './bounds.ts';
import { COLLECTION_FACTORY, TOKEN_FACTORY } from './interfaces.ts';
import type { View } from './view.ts';

const NOBODY = `0x${'0'.repeat(40)}`;

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
  /** In the smallest unit, or tokens ever minted; null for no cap. */
  maxSupply: bigint | null;
  /** What the operator may mint in a day (UTC); null for no limit. */
  mintLimitPerDay: bigint | null;
  /** Whether owner and operator may move or burn what others hold. */
  recoverable: boolean;
  /** Null for none, and for ERC-20. */
  royalty: Royalty | null;
}

/** Returns calldata that makes the factory of ERC-20 tokens create one. */
export function encodeTokenCreation(salt: Hex, args: CloneArguments): Hex {
  const { owner, name, symbol, decimals, permissioned } = args;
  const fields = [owner, name, symbol, decimals, permissioned, ...boundsOf(args)];
  return TOKEN_FACTORY.encodeFunctionData('createToken', [salt, fields]) as Hex;
}

/** Returns calldata that makes the factory of ERC-721 collections create one. */
export function encodeCollectionCreation(salt: Hex, args: CloneArguments): Hex {
  const { owner, name, symbol, baseUri, permissioned, royalty } = args;
  const paid = [royalty?.receiver ?? NOBODY, royalty?.basisPoints ?? 0];
  const fields = [owner, name, symbol, baseUri, permissioned, ...boundsOf(args), ...paid];
  return COLLECTION_FACTORY.encodeFunctionData('createCollection', [salt, fields]) as Hex;
}

function boundsOf({ maxSupply, mintLimitPerDay, recoverable }: CloneArguments): unknown[] {
  return [maxSupply ?? 0n, mintLimitPerDay ?? 0n, recoverable];
}

/** Whether a factory is paused. Both factories have this view. */
export const CREATION_PAUSED: View<boolean> = {
  data: COLLECTION_FACTORY.encodeFunctionData('creationPaused') as Hex,
  decode: (answer) => BigInt(answer) === 1n,
};
