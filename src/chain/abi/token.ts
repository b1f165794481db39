import { AbiCoder } from 'ethers';
import type { Hex } from '../../lib/hex.ts';
import { ERC20, ERC721 } from './interfaces.ts';
import type { View } from './view.ts';

/** The state of a token on the chain; addresses in lower case. */
export interface TokenState {
  owner: Hex;
  operator: Hex;
  paused: boolean;
  transferLocked: boolean;
  permissioned: boolean;
  /** ERC-20: total supply in the smallest unit; ERC-721: minted ids. */
  supply: bigint;
  /** Bytes, like the symbol: nothing obliges a token to give UTF-8. */
  name: Hex;
  symbol: Hex;
  /** 0 for ERC-721. */
  decimals: number;
}

/** `TokenState` of IManagedToken.sol, its texts as bytes, which have the same encoding. */
const TOKEN_STATE_TYPE = `tuple(
  address owner, address operator, bool paused, bool transferLocked, bool permissioned,
  uint256 supply, bytes name, bytes symbol, uint8 decimals
)`;

/** All that a read of a token shows. */
export const TOKEN_STATE: View<TokenState> = {
  data: ERC20.encodeFunctionData('tokenState') as Hex,
  decode: (answer) => {
    const [decoded] = AbiCoder.defaultAbiCoder().decode([TOKEN_STATE_TYPE], answer);
    const state = decoded as Omit<TokenState, 'decimals'> & { decimals: bigint };
    return {
      owner: state.owner.toLowerCase() as Hex,
      operator: state.operator.toLowerCase() as Hex,
      paused: state.paused,
      transferLocked: state.transferLocked,
      permissioned: state.permissioned,
      supply: state.supply,
      name: state.name,
      symbol: state.symbol,
      decimals: Number(state.decimals),
    };
  },
};

/** How many ids of an ERC-721 exist: minted and not burned. */
export const TOTAL_SUPPLY: View<bigint> = {
  data: ERC721.encodeFunctionData('totalSupply') as Hex,
  decode: BigInt,
};

/** Returns the view of an NFT's owner. It reverts when there is no such NFT. */
export function ownerOfView(tokenId: bigint): View<Hex> {
  return { data: ERC721.encodeFunctionData('ownerOf', [tokenId]) as Hex, decode: decodeAddress };
}

/** To whom the owner has offered the contract; the zero address for nobody. */
export const PENDING_OWNER: View<Hex> = {
  data: ERC20.encodeFunctionData('pendingOwner') as Hex,
  decode: decodeAddress,
};

function decodeAddress(answer: Hex): Hex {
  return `0x${answer.slice(-40)}`;
}
