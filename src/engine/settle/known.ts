import type { BlockId } from '../../lib/block-id.ts';
import { withDoneBits } from './done-bits.ts';
import type { DoneBits } from './done-bits.ts';
import { withGasShares } from './gas-shares.ts';
import type { GasShares, SharesParts } from './gas-shares.ts';

/** What verdicts depend on besides the blocks that are read, and is asked of the chain when it is needed. */
export interface Known {
  bits: DoneBits;
  shares: GasShares;
}

/** Runs `write`, which writes verdicts in a database transaction of its own, as `withDoneBits` and `withGasShares` do. */
export function withKnown<Result>(
  parts: SharesParts,
  findBlock: () => Promise<BlockId>,
  write: (known: Known) => Promise<Result>,
  options: { isOld?: boolean } = {},
): Promise<Result> {
  return withGasShares(parts, (shares) =>
    withDoneBits(parts.rpc, findBlock, (bits) => write({ bits, shares }), options),
  );
}
