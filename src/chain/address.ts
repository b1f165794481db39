import { getAddress } from 'ethers';
import type { Hex } from '../lib/hex.ts';
import { AppError } from '../errors.ts';
import { setBounded } from '../lib/bounded-map.ts';

const ZERO = `0x${'0'.repeat(40)}`;
const SINGLE_CASE = /^0x(?:[0-9a-f]{40}|[0-9A-F]{40})$/;

/**
 * Parses an address as a caller wrote it. One of mixed case must have its EIP-55 checksum. Returns it in lower case.
 * @throws AppError VALIDATION_ERROR that names `field`, for the zero address too
 */
export function parseAddress(text: string, field: string): Hex {
  const lower = text.toLowerCase() as Hex;
  if (lower === ZERO)
    throw new AppError('VALIDATION_ERROR', `${field} is the zero address, which nobody owns`);
  if (!SINGLE_CASE.test(text) && presentAddress(lower) !== text) {
    throw new AppError(
      'VALIDATION_ERROR',
      `${field} has a wrong checksum (EIP-55): a letter of it is mistyped, or send it in lower case`,
    );
  }
  return lower;
}

/** A checksum costs a hash, and the same addresses are presented again and again. */
const checksummed = new Map<Hex, string>();
const MAX_CHECKSUMMED = 10_000;

/** Returns the EIP-55 form of an address, in which every response has it. */
export function presentAddress(address: Hex): string {
  const known = checksummed.get(address);
  if (known) return known;
  const form = getAddress(address);
  setBounded(checksummed, address, form, MAX_CHECKSUMMED);
  return form;
}
