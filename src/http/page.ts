import { AppError } from '../errors.ts';
import { MAX_POSITION } from '../lib/page.ts';
import type { Page } from '../lib/page.ts';

const NUMBER = /^\d{1,19}$/;
/** As the contract says. */
const DEFAULT_LIMIT = 20;

/** The query parameters of every list. */
interface PageQuery {
  limit?: number | undefined;
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined;
}

interface PageParts<Row, Shown> {
  /** Reads a page, newest first. */
  read(page: Page): Promise<Row[]>;
  /** What the rows are ordered by. */
  positionOf(row: Row): bigint;
  present(row: Row): Shown;
}

interface PageAnswer<Shown> {
  status: 200;
  body: { data: Shown[]; nextCursor: string | null };
}

/**
 * Returns the answer of a list. One row more than was asked for is read; it only says that there is a next page.
 * @throws AppError VALIDATION_ERROR for a cursor that no page gave.
 */
export async function answerPage<Row, Shown>(
  { limit = DEFAULT_LIMIT, cursor }: PageQuery,
  { read, positionOf, present }: PageParts<Row, Shown>,
): Promise<PageAnswer<Shown>> {
  const rows = await read({ before: decodeCursor(cursor), limit: limit + 1 });
  const shown = rows.slice(0, limit);
  return {
    status: 200,
    body: {
      data: shown.map(present),
      nextCursor: rows.length > limit ? encodeCursor(positionOf(shown.at(-1)!)) : null,
    },
  };
}

/** The end of a page, opaque to the caller, so that its meaning may change. */
function encodeCursor(position: bigint): string {
  return Buffer.from(String(position)).toString('base64url');
}

function decodeCursor(cursor: string | undefined): bigint | null {
  if (cursor === undefined) return null;
  const text = Buffer.from(cursor, 'base64url').toString();
  if (NUMBER.test(text) && BigInt(text) <= MAX_POSITION) return BigInt(text);
  throw new AppError('VALIDATION_ERROR', 'cursor is not the nextCursor of a page');
}
