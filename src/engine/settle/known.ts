import type { Cursor } from '../store/follower.ts';
import { createDoneBits } from './done-bits.ts';
import type { DoneBits } from './done-bits.ts';
import { createGasShares } from './gas-shares.ts';
import type { GasShares, SharesParts } from './gas-shares.ts';
import { createLostNonces } from './lost-nonces.ts';
import type { LostNonces } from './lost-nonces.ts';
import { writeAsking } from './write-asking.ts';

/** What verdicts depend on besides the blocks that are read, and is asked of the chain when it is needed. */
export interface Known {
  bits: DoneBits;
  shares: GasShares;
  lostNonces: LostNonces;
}

/** Runs `write`, as `writeAsking` does, with what verdicts depend on; `createDoneBits` says at which block, and how. */
export function withKnown<Result>(
  parts: SharesParts,
  findCursor: () => Promise<Cursor>,
  write: (known: Known) => Promise<Result>,
  options: { isOld?: boolean } = {},
): Promise<Result> {
  const findHead = async () => (await findCursor()).head;
  const known = {
    bits: createDoneBits(parts.rpc, findHead, options),
    shares: createGasShares(parts),
    lostNonces: createLostNonces(parts, findCursor),
  };
  return writeAsking(() => write(known));
}
