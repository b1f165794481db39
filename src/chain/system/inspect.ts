import { AbiCoder, Interface } from 'ethers';
import { collectionFactoryAbi, managedErc20Abi, managedErc721Abi } from '../../../generated/contracts.ts';
import type { Hex } from '../../lib/hex.ts';
import type { System } from './system-contracts.ts';

const factory = new Interface(collectionFactoryAbi);
const erc20 = new Interface(managedErc20Abi);
const erc721 = new Interface(managedErc721Abi);
const coder = AbiCoder.defaultAbiCoder();

/** A token contract told by its code alone. */
export interface Clone {
  type: 'ERC20' | 'ERC721';
  /** Whether the system's own descriptor renders it; a clone that somebody made by hand may name any other. */
  hasOwnDescriptor: boolean;
}

/** Tells a clone of this system's tokens (ERC-1167) by its code; null for any other contract. */
export function recogniseClone(system: System, code: Hex): Clone | null {
  const [, implementation] = /^0x363d3d373d3d3d363d73(.{40})5af43d82803e903d91602b57fd5bf3/.exec(code) ?? [];
  const type =
    `0x${implementation}` === system.managedErc20
      ? 'ERC20'
      : `0x${implementation}` === system.managedErc721
        ? 'ERC721'
        : null;
  // Behind the 45 bytes of the proxy: owner, operator, descriptor.
  const descriptor = `0x${code.slice(2 + 2 * (0x2d + 40), 2 + 2 * (0x2d + 60))}`;
  return type && { type, hasOwnDescriptor: descriptor === system.descriptor };
}

/** All that a token tells of itself at once. Name and symbol are bytes: nothing obliges them to be UTF-8. */
export interface TokenDetails {
  owner: Hex;
  operator: Hex;
  paused: boolean;
  transferLocked: boolean;
  permissioned: boolean;
  /** ERC-20: total supply in the smallest unit; ERC-721: minted ids. */
  supply: bigint;
  name: Hex;
  symbol: Hex;
  decimals: number;
}

/** Decodes the answer to `TOKEN_STATE`. @throws Error when it is none */
export function decodeTokenDetails(answer: Hex): TokenDetails {
  const [state] = coder.decode(
    ['tuple(address,address,bool,bool,bool,uint256,bytes,bytes,uint8)'],
    answer,
  ) as unknown as [[string, string, boolean, boolean, boolean, bigint, Hex, Hex, bigint]];
  const [owner, operator, paused, transferLocked, permissioned, supply, name, symbol, decimals] = state;
  return {
    owner: owner.toLowerCase() as Hex,
    operator: operator.toLowerCase() as Hex,
    paused,
    transferLocked,
    permissioned,
    supply,
    name,
    symbol,
    decimals: Number(decimals),
  };
}

/** Calldata of the view that answers how many ids of an ERC-721 exist: minted and not burned. */
export const TOTAL_SUPPLY_CALL = erc20.encodeFunctionData('totalSupply') as Hex;

/** Calldata of the view that answers whether a factory is paused. */
export const CREATION_PAUSED_CALL = factory.encodeFunctionData('creationPaused') as Hex;

/** Calldata of the view that answers who owns an NFT. It reverts for one that does not exist. */
export const encodeOwnerOf = (tokenId: bigint): Hex => erc721.encodeFunctionData('ownerOf', [tokenId]) as Hex;

/** An answer of one word as an address. */
export const decodeAddress = (answer: Hex): Hex => `0x${answer.slice(-40)}`;
