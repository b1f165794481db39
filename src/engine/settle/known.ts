import type { BlockId } from '../../lib/block-id.ts';
import { createDoneBits } from './done-bits.ts';
import type { DoneBits } from './done-bits.ts';
import { createGasShares } from './gas-shares.ts';
import type { GasShares, SharesParts } from './gas-shares.ts';
import { writeAsking } from './write-asking.ts';

/** What verdicts depend on besides the blocks that are read, and is asked of the chain when it is needed. */
export interface Known {
  bits: DoneBits;
  shares: GasShares;
}

/** Runs `write`, as `writeAsking` does, with what verdicts depend on; `createDoneBits` says at which block, and how. */
export function withKnown<Result>(
  parts: SharesParts,
  findBlock: () => Promise<BlockId>,
  write: (known: Known) => Promise<Result>,
  options: { isOld?: boolean } = {},
): Promise<Result> {
  const known = { bits: createDoneBits(parts.rpc, findBlock, options), shares: createGasShares(parts) };
  return writeAsking(() => write(known));
}
