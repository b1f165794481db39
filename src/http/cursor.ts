import { AppError } from '../errors.ts';

/** Eighteen digits: any number of a row, and never more than a bigint of the database holds. */
const NUMBER = /^\d{1,18}$/;

/** A page's end as the caller carries it; opaque, so that what it means may change. */
export const encodeCursor = (position: bigint): string => Buffer.from(String(position)).toString('base64url');

/** @throws AppError VALIDATION_ERROR for a cursor that no page gave. */
export function decodeCursor(cursor: string | undefined): bigint | null {
  if (cursor === undefined) return null;
  const text = Buffer.from(cursor, 'base64url').toString();
  if (NUMBER.test(text)) return BigInt(text);
  throw new AppError('VALIDATION_ERROR', 'cursor is not the nextCursor of a page');
}

/** Makes a page of one row more than was asked for; the surplus row only tells that there is a next page. */
export function toPage<Row>(
  rows: readonly Row[],
  limit: number,
  positionOf: (row: Row) => bigint,
): { rows: Row[]; nextCursor: string | null } {
  const page = rows.slice(0, limit);
  return { rows: page, nextCursor: rows.length > limit ? encodeCursor(positionOf(page.at(-1)!)) : null };
}
