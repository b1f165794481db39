import { InvalidArgumentError } from 'commander';
import { parseAddress } from '../chain/address.ts';
import { AppError } from '../errors.ts';
import type { Hex } from '../lib/hex.ts';
import { MAX_GAS_PER_DAY } from '../lib/plans.ts';

export const ADDRESS = /^0x[0-9a-f]{40}$/i;
export const TRANSACTION_HASH = /^0x[0-9a-f]{64}$/i;

// Parsers of arguments of the command line. Each throws InvalidArgumentError with one sentence.

export function wholeNumber(min: number, max: number) {
  return (text: string): number => {
    const number = Number(text);
    if (/^\d+$/.test(text) && number >= min && number <= max) return number;
    throw new InvalidArgumentError(`Give a whole number from ${min} to ${max}.`);
  };
}

/** Null for `plan`. */
export function gasPerDay(text: string): number | null {
  if (text === 'plan') return null;
  if (/^\d+$/.test(text) && Number(text) <= MAX_GAS_PER_DAY) return Number(text);
  throw new InvalidArgumentError(`Give a whole number up to ${MAX_GAS_PER_DAY}, or "plan".`);
}

export function address(text: string): Hex {
  if (!ADDRESS.test(text)) throw new InvalidArgumentError('An address is 0x and 40 hexadecimal digits.');
  try {
    return parseAddress(text, 'It');
  } catch (error) {
    throw new InvalidArgumentError(
      error instanceof AppError ? `${error.message}.` : 'Its checksum is wrong.',
    );
  }
}

export function transactionHash(text: string): Hex {
  if (TRANSACTION_HASH.test(text)) return text.toLowerCase() as Hex;
  throw new InvalidArgumentError('The hash of a transaction is 0x and 64 hexadecimal digits.');
}

/** The end of the audit log's chain: the number of its entry, and its hash. */
export function auditHead(text: string): { number: bigint; hash: string } {
  const [, number, hash] = /^(\d{1,18}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (number && hash) return { number: BigInt(number), hash };
  throw new InvalidArgumentError('The end of the chain is a number, a colon and 64 hexadecimal digits.');
}

export function uuid(text: string): string {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) return text;
  throw new InvalidArgumentError('An id looks like 4e07997a-d7f5-4bf1-a44a-dd900a17589b.');
}

/** The beginning of a day, in UTC. */
export function day(text: string): Date {
  const date = new Date(`${text}T00:00:00Z`);
  if (
    /^\d{4}-\d{2}-\d{2}$/.test(text) &&
    !Number.isNaN(date.valueOf()) &&
    date.toISOString().startsWith(text)
  )
    return date;
  throw new InvalidArgumentError('A day looks like 2026-08-31.');
}
