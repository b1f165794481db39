import { ERC20, ERC721 } from './interfaces.ts';
import type { Hex } from '../../lib/hex.ts';
import type { View } from './view.ts';

/*
 * What bounds a token. The ERC-721 has the same functions as the ERC-20, but for royalties, and for
 * the metadata of one token.
 */

/** By which the contracts say that there is no cap or no limit. */
const NONE = 2n ** 256n - 1n;
/** A cap is below 2^208, as the balance of an account is. */
export const MAX_SUPPLY = 2n ** 208n - 1n;
/** A limit is below 2^198, so that what is missing in its bucket fits in a word (Bucket.sol). */
export const MAX_MINT_LIMIT = 2n ** 198n - 1n;

/** What marketplaces are asked to pay for a sale (ERC-2981). */
export interface Royalty {
  receiver: Hex;
  /** Hundredths of a percent of the price. */
  basisPoints: number;
}

/** `TokenLimits` of IManagedToken.sol. Amounts in the smallest unit of an ERC-20; numbers of tokens for ERC-721. */
export interface TokenLimits {
  totalSupply: bigint;
  /** Null for no cap. */
  maxSupply: bigint | null;
  /** What the operator may mint in a day; null for no limit. */
  mintLimit: bigint | null;
  /** What the operator may mint at once now; null for no limit. */
  mintableNow: bigint | null;
  /** When the whole limit can be minted at once if nothing is until then; null without a limit. */
  fullAt: Date | null;
  recoverable: boolean;
  mintClosed: boolean;
  /** From when on that cannot be taken back; null when it is not so. Likewise the others. */
  mintClosedForGoodAt: Date | null;
  metadataFrozen: boolean;
  metadataFrozenForGoodAt: Date | null;
  /** Nobody pauses, locks, freezes or moves holdings by force any more. */
  controlsRenounced: boolean;
  controlsRenouncedForGoodAt: Date | null;
  /** Null for none, and for ERC-20. */
  royalty: Royalty | null;
}

/** All bounds of a token, and where it is within them. */
export const TOKEN_LIMITS: View<TokenLimits> = {
  data: ERC20.encodeFunctionData('tokenLimits') as Hex,
  decode: (answer) => {
    const limits = ERC20.decodeFunctionResult('tokenLimits', answer)[0] as RawLimits;
    const { recoverable, mintClosed, metadataFrozen, controlsRenounced } = limits;
    return {
      totalSupply: limits.totalSupply,
      maxSupply: orNone(limits.maxSupply),
      mintLimit: orNone(limits.mintLimit),
      mintableNow: orNone(limits.mintableNow),
      fullAt: toDate(limits.fullAt),
      ...{ recoverable, mintClosed, metadataFrozen, controlsRenounced },
      mintClosedForGoodAt: toDate(limits.mintClosedForGoodAt),
      metadataFrozenForGoodAt: toDate(limits.metadataFrozenForGoodAt),
      controlsRenouncedForGoodAt: toDate(limits.controlsRenouncedForGoodAt),
      royalty: toRoyalty(limits.royaltyReceiver, limits.royaltyBasisPoints),
    };
  },
};

type RawLimits = Record<
  'totalSupply' | 'maxSupply' | 'mintLimit' | 'mintableNow' | 'fullAt' | 'royaltyBasisPoints',
  bigint
> &
  Record<'mintClosedForGoodAt' | 'metadataFrozenForGoodAt' | 'controlsRenouncedForGoodAt', bigint> &
  Record<'mintClosed' | 'recoverable' | 'metadataFrozen' | 'controlsRenounced', boolean> & {
    royaltyReceiver: string;
  };

/** @param seconds since 1970; 0 for none */
function toDate(seconds: bigint): Date | null {
  return seconds === 0n ? null : new Date(Number(seconds) * 1_000);
}

function orNone(value: bigint): bigint | null {
  return value === NONE ? null : value;
}

function toRoyalty(receiver: string, basisPoints: bigint): Royalty | null {
  return BigInt(receiver) === 0n
    ? null
    : { receiver: receiver.toLowerCase() as Hex, basisPoints: Number(basisPoints) };
}

/** Returns calldata that lowers the limit of a day. The contract refuses a higher one. */
export function encodeLowerMintLimit(limit: bigint): Hex {
  return ERC20.encodeFunctionData('lowerMintLimit', [limit]) as Hex;
}

/** Returns calldata that sets the royalty of a collection. */
export function encodeSetRoyalty({ receiver, basisPoints }: Royalty): Hex {
  return ERC721.encodeFunctionData('setRoyalty', [receiver, basisPoints]) as Hex;
}

/**
 * Returns calldata that freezes the metadata of one NFT, or, without a token id, all metadata of a contract; or takes
 * that back.
 */
export function encodeFreezeMetadata(tokenId: bigint | null, frozen: boolean): Hex {
  const name = frozen ? 'freezeMetadata' : 'unfreezeMetadata';
  return (
    tokenId === null
      ? ERC721.encodeFunctionData(`${name}()`)
      : ERC721.encodeFunctionData(`${name}(uint256)`, [tokenId])
  ) as Hex;
}

/** Returns the view of whether that metadata is frozen. It reverts when there is no such NFT. */
export function metadataFrozenView(tokenId: bigint | null): View<boolean> {
  const data =
    tokenId === null
      ? ERC721.encodeFunctionData('metadataFrozen')
      : ERC721.encodeFunctionData('isMetadataFrozen', [tokenId]);
  return { data: data as Hex, decode: decodeFlag };
}

/**
 * Returns calldata that moves a holding without the consent of its holder, or burns it.
 * @param to null burns it
 * @param holding an amount of an ERC-20 in the smallest unit, or the id of an NFT
 */
export function encodeForcedTransfer(from: Hex, to: Hex | null, holding: bigint): Hex {
  return (
    to === null
      ? ERC20.encodeFunctionData('forcedBurn', [from, holding])
      : ERC20.encodeFunctionData('forcedTransfer', [from, to, holding])
  ) as Hex;
}

/** Returns the view of whether an account is frozen at a token. */
export function frozenView(account: Hex): View<boolean> {
  return { data: ERC20.encodeFunctionData('isFrozen', [account]) as Hex, decode: decodeFlag };
}

/** Returns the view of whether an account may receive mints of a permissioned token. */
export function approvedView(account: Hex): View<boolean> {
  return { data: ERC20.encodeFunctionData('isApprovedAccount', [account]) as Hex, decode: decodeFlag };
}

/** Returns the view of what an account holds: in the smallest unit, or the number of NFTs. */
export function balanceView(account: Hex): View<bigint> {
  return { data: ERC20.encodeFunctionData('balanceOf', [account]) as Hex, decode: BigInt };
}

/** @throws RangeError for what is no flag, such as the answer of an address without code */
function decodeFlag(answer: Hex): boolean {
  const value = BigInt(answer);
  if (answer.length !== 66 || value > 1n) throw new RangeError('the answer is no flag');
  return value === 1n;
}
