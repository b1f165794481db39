import { parseAddress } from '../../chain/address.ts';
import { sizeOfEntries } from '../../chain/abi/metadata.ts';
import { toEntries } from '../../chain/abi/metadata-rules.ts';
import type { MetadataInput } from '../../chain/abi/metadata-rules.ts';
import {
  encodeErc721Mint,
  encodeMintBatch,
  encodeMintRun,
  encodeMintWithMetadata,
  estimateMintGas,
  estimateRunGas,
  maxMintGas,
} from '../../chain/abi/mint.ts';
import type { BatchItem } from '../../chain/abi/mint.ts';
import type { IntentCall } from '../../engine/index.ts';
import { AppError } from '../../errors.ts';
import type { Hex } from '../../lib/hex.ts';
import { MAX_GAS } from '../../lib/max-gas.ts';
import type { Owner } from '../../lib/owner.ts';

/** One NFT to mint, as the caller wrote it. */
export interface MintRequest {
  to: string;
  metadata?: MetadataInput | undefined;
}

/** One NFT to mint, checked. */
export interface MintItem extends BatchItem {
  to: Hex;
}

/** A guess up to here is never so wrong that the call would need more than that. */
const SURELY_FITTING_GAS = 12_000_000;
/** Pools refuse transactions over 128 KiB. */
const MAX_BATCH_BYTES = 100_000;

/**
 * @param place what stands before the name of a field in the message, such as `items[3].`
 * @throws AppError VALIDATION_ERROR that names the field
 */
export function readItem({ to, metadata }: MintRequest, place: string): MintItem {
  return {
    to: parseAddress(to, `${place}to`),
    entries: metadata ? toEntries(metadata, `${place}metadata.`) : [],
  };
}

/** The call that mints the next id. */
export function mintCall(contract: Hex, item: MintItem): IntentCall {
  const { to, entries } = item;
  const data = entries.length > 0 ? encodeMintWithMetadata(to, entries) : encodeErc721Mint(to);
  return callOf(contract, data, [item]);
}

/**
 * The call that mints the same ids as a batch for a fraction of its gas, when all items are for one holder and have no
 * metadata; null for any other batch. A contract that receives them is asked for each.
 */
export function runCall(contract: Hex, items: readonly MintItem[]): IntentCall | null {
  const [first] = items;
  const isRun =
    items.length > 1 && items.every(({ to, entries }) => to === first!.to && entries.length === 0);
  if (!isRun) return null;
  const call = callOf(contract, encodeMintRun(first!.to, items.length), items);
  return { ...call, gasEstimate: estimateRunGas(items.length) };
}

/** Calldata that mints the next ids. @throws AppError VALIDATION_ERROR when it is too large for one transaction */
export function encodeBatch(items: readonly MintItem[]): Hex {
  // Encoding costs many times what summing does, and the calldata has more bytes than its texts.
  const textBytes = items.reduce((sum, { entries }) => sum + sizeOfEntries(entries), 0);
  if (textBytes > MAX_BATCH_BYTES) throw batchTooLarge(items);
  const data = encodeMintBatch(items);
  if (!hasRoom(data)) throw batchTooLarge(items);
  return data;
}

const hasRoom = (data: Hex): boolean => (data.length - 2) / 2 <= MAX_BATCH_BYTES;

/**
 * The call of a batch. Asks the chain for its gas only where the guess leaves a doubt; the sandbox has no contract to
 * ask and takes the guess.
 * @param measure asks for it; null while nobody can tell
 * @throws AppError VALIDATION_ERROR when it is too large for one transaction
 */
export async function batchCall(
  measure: () => Promise<number | null>,
  { environment }: Owner,
  { contract, data, items }: { contract: Hex; data: Hex; items: readonly MintItem[] },
): Promise<IntentCall> {
  const estimate = estimateMintGas(items);
  if (estimate > SURELY_FITTING_GAS) {
    const gas = environment === 'live' ? await measure() : estimate;
    if (gas !== null && gas > MAX_GAS.batch) throw batchTooLarge(items);
  }
  return callOf(contract, data, items);
}

function callOf(target: Hex, data: Hex, items: readonly MintItem[]): IntentCall {
  return {
    target,
    data,
    gasEstimate: Math.min(estimateMintGas(items), MAX_GAS.batch),
    gasMax: maxMintGas(items),
    isControl: false,
  };
}

function batchTooLarge(items: readonly MintItem[]): AppError {
  const fitting = countFitting(items);
  return new AppError(
    'VALIDATION_ERROR',
    `The batch is too large for one transaction: of its ${items.length} items the first ${fitting} fit surely`,
  );
}

/**
 * How many of the first items fit into a transaction whatever they need: one at least, since that has a limit of its
 * own.
 */
function countFitting(items: readonly MintItem[]): number {
  let [fitting, tooMany] = [1, items.length];
  while (tooMany - fitting > 1) {
    const count = Math.floor((fitting + tooMany) / 2);
    const first = items.slice(0, count);
    if (estimateMintGas(first) <= SURELY_FITTING_GAS && hasRoom(encodeMintBatch(first))) fitting = count;
    else tooMany = count;
  }
  return fitting;
}
