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

/** Returns calldata that makes a factory create the clone. */
export function encodeCreation(type: 'ERC20' | 'ERC721', salt: Hex, args: CloneArguments): Hex {
  const { owner, name, symbol, decimals, baseUri, permissioned } = args;
  return (
    type === 'ERC20'
      ? TOKEN_FACTORY.encodeFunctionData('createToken', [salt, [owner, name, symbol, decimals, permissioned]])
      : COLLECTION_FACTORY.encodeFunctionData('createCollection', [
          salt,
          [owner, name, symbol, baseUri, permissioned],
        ])
  ) as Hex;
}

/** Whether a factory is paused. Both factories have this view. */
export const CREATION_PAUSED: View<boolean> = {
  data: COLLECTION_FACTORY.encodeFunctionData('creationPaused') as Hex,
  decode: (answer) => BigInt(answer) === 1n,
};
