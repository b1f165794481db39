import type { Hex } from '../../lib/hex.ts';
import { MAX_GAS } from '../../lib/max-gas.ts';
import { encodeEntries, encodeList, numberWord, word } from './entries.ts';
import { ERC20, ERC721 } from './interfaces.ts';
import { estimateMetadataGas } from './metadata.ts';
import type { Entry } from './metadata.ts';

const ERC20_MINT = ERC20.getFunction('mint')!.selector;
/** Does what `mint(address)` does, for 450 gas less: its selector is the lowest one. */
const ERC721_MINT = ERC721.getFunction('mintNext')!.selector;
const MINT_WITH_METADATA = ERC721.getFunction('mintWithMetadata')!.selector;
const MINT_BATCH = ERC721.getFunction('mintBatch')!.selector;

/** Returns calldata of an ERC-20 mint; `amount` in the smallest unit. */
export function encodeErc20Mint(to: Hex, amount: bigint): Hex {
  return `${ERC20_MINT}${word(to.slice(2))}${numberWord(amount)}` as Hex;
}

/** Returns calldata of an ERC-721 mint of the next id. */
export function encodeErc721Mint(to: Hex): Hex {
  return `${ERC721_MINT}${word(to.slice(2))}` as Hex;
}

/** What a mint without metadata does; no amount for an ERC-721, which takes the next id. */
export interface Mint {
  to: Hex;
  amount: bigint | null;
}

/** An address in a word of the ABI, behind a selector. */
const RECIPIENT = /^0x.{8}0{24}(.{40})/;
const ERC721_MINT_LENGTH = 2 + 8 + 64;
const ERC20_MINT_LENGTH = ERC721_MINT_LENGTH + 64;

const isErc721Mint = (data: Hex): boolean =>
  data.length === ERC721_MINT_LENGTH && data.startsWith(ERC721_MINT);
/** Whether calldata is of a mint of an ERC-20, by its selector and length. */
export const isErc20Mint = (data: Hex): boolean =>
  data.length === ERC20_MINT_LENGTH && data.startsWith(ERC20_MINT);

/** Whether calldata is of a mint without metadata, by its selector and length. */
export const isMint = (data: Hex): boolean => isErc20Mint(data) || isErc721Mint(data);

/** Reads what `encodeErc20Mint` or `encodeErc721Mint` returned; null for any other calldata. */
export function readMint(data: Hex): Mint | null {
  const to = RECIPIENT.exec(data)?.[1];
  if (to === undefined) return null;
  if (isErc721Mint(data)) return { to: `0x${to}`, amount: null };
  if (!isErc20Mint(data)) return null;
  return { to: `0x${to}`, amount: BigInt(`0x${data.slice(ERC721_MINT_LENGTH)}`) };
}

/** Returns calldata of an ERC-721 mint of the next id together with its metadata. */
export function encodeMintWithMetadata(to: Hex, entries: readonly Entry[]): Hex {
  return `${MINT_WITH_METADATA}${word(to.slice(2))}${numberWord(64)}${encodeEntries(entries)}` as Hex;
}

/** One NFT of a batch; no entries for one without metadata. */
export interface BatchItem {
  to: Hex;
  entries: readonly Entry[];
}

/** Returns calldata of an ERC-721 mint of the next ids to one holder. */
export function encodeMintRun(to: Hex, count: number): Hex {
  return ERC721.encodeFunctionData('mintRun', [to, count]) as Hex;
}

/** Returns calldata of an ERC-721 mint of the next ids, all or nothing. */
export function encodeMintBatch(items: readonly BatchItem[]): Hex {
  const mints = items.map(({ to, entries }) => word(to.slice(2)) + numberWord(64) + encodeEntries(entries));
  return `${MINT_BATCH}${numberWord(32)}${encodeList(mints)}` as Hex;
}

const MINT_GAS = 75_000;
const FURTHER_MINT_GAS = 50_000;
/** In a run, whose tokens share one record of their owner. */
const FURTHER_RUN_GAS = 4_000;

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

/** Estimates the gas of a mint of so many items to one holder, likewise. */
export function estimateRunGas(count: number): number {
  return MINT_GAS + (count - 1) * FURTHER_RUN_GAS;
}
