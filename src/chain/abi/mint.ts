import type { Hex } from '../../lib/hex.ts';
import { MAX_GAS } from '../../lib/max-gas.ts';
import { ERC20, ERC721 } from './interfaces.ts';
import { estimateMetadataGas, toTuples } from './metadata.ts';
import type { Entry } from './metadata.ts';

const ERC20_MINT = ERC20.getFunction('mint')!.selector;
const ERC721_MINT = ERC721.getFunction('mint(address)')!.selector;

/** Returns a value as one word of the ABI, without 0x. Mints are the hot path, where the general coder is too slow. */
function word(hexDigits: string): string {
  return hexDigits.padStart(64, '0');
}

/** Returns calldata of an ERC-20 mint; `amount` in the smallest unit. */
export function encodeErc20Mint(to: Hex, amount: bigint): Hex {
  return `${ERC20_MINT}${word(to.slice(2))}${word(amount.toString(16))}` as Hex;
}

/** Returns calldata of an ERC-721 mint of the next id. */
export function encodeErc721Mint(to: Hex): Hex {
  return `${ERC721_MINT}${word(to.slice(2))}` as Hex;
}

/** Returns calldata of an ERC-721 mint of the next id together with its metadata. */
export function encodeMintWithMetadata(to: string, entries: readonly Entry[]): Hex {
  return ERC721.encodeFunctionData('mintWithMetadata', [to, toTuples(entries)]) as Hex;
}

/** One NFT of a batch; no entries for one without metadata. */
export interface BatchItem {
  to: string;
  entries: readonly Entry[];
}

/** Returns calldata of an ERC-721 mint of the next ids, all or nothing. */
export function encodeMintBatch(items: readonly BatchItem[]): Hex {
  return ERC721.encodeFunctionData('mintBatch', [
    items.map(({ to, entries }) => [to, toTuples(entries)]),
  ]) as Hex;
}

const MINT_GAS = 75_000;
const FURTHER_MINT_GAS = 50_000;

/** The most gas that a mint of these items in one call may use. */
export function maxMintGas(items: readonly BatchItem[]): number {
  const sum = items.reduce((gas, { entries }) => gas + MAX_GAS.mint + estimateMetadataGas(entries), 0);
  return Math.min(sum, MAX_GAS.batch);
}

/** Estimates the gas of a mint of these items in one call, as `estimateMetadataGas` does. */
export function estimateMintGas(items: readonly BatchItem[]): number {
  return items.reduce(
    (gas, { entries }) => gas + FURTHER_MINT_GAS + estimateMetadataGas(entries),
    MINT_GAS - FURTHER_MINT_GAS,
  );
}
