import type { Hex } from '../../lib/hex.ts';
import { COLLECTION_FACTORY, TOKEN_FACTORY } from './interfaces.ts';
import type { View } from './view.ts';

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
}

/** Returns calldata that makes the factory of ERC-20 tokens create one. */
export function encodeTokenCreation(salt: Hex, args: CloneArguments): Hex {
  const { owner, name, symbol, decimals, permissioned } = args;
  const fields = [owner, name, symbol, decimals, permissioned];
  return TOKEN_FACTORY.encodeFunctionData('createToken', [salt, fields]) as Hex;
}

/** Returns calldata that makes the factory of ERC-721 collections create one. */
export function encodeCollectionCreation(salt: Hex, args: CloneArguments): Hex {
  const { owner, name, symbol, baseUri, permissioned } = args;
  const fields = [owner, name, symbol, baseUri, permissioned];
  return COLLECTION_FACTORY.encodeFunctionData('createCollection', [salt, fields]) as Hex;
}

/** Whether a factory is paused. Both factories have this view. */
export const CREATION_PAUSED: View<boolean> = {
  data: COLLECTION_FACTORY.encodeFunctionData('creationPaused') as Hex,
  decode: (answer) => BigInt(answer) === 1n,
};
