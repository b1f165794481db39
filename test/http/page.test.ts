import { describe, expect, test } from '@jest/globals';
import { answerPage } from '../../src/http/page.ts';
import type { Page } from '../../src/lib/page.ts';

/** Rows 1 to 5, newest first. */
const ROWS = [5n, 4n, 3n, 2n, 1n];

async function list(query: { limit?: number; cursor?: string }) {
  const asked: Page[] = [];
  const { body } = await answerPage(query, {
    read: async (page) => {
      asked.push(page);
      return ROWS.filter((row) => page.before === null || row < page.before).slice(0, page.limit);
    },
    positionOf: (row) => row,
    present: (row): string => row.toString(),
  });
  return { ...body, asked };
}

const cursorOf = (text: string): string => Buffer.from(text).toString('base64url');

describe('a list', () => {
  test('goes from page to page, and ends', async () => {
    const first = await list({ limit: 2 });
    expect(first).toMatchObject({ data: ['5', '4'], nextCursor: expect.any(String) });
    const second = await list({ limit: 2, cursor: first.nextCursor! });
    expect(second).toMatchObject({ data: ['3', '2'], nextCursor: expect.any(String) });
    const third = await list({ limit: 2, cursor: second.nextCursor! });
    expect(third).toMatchObject({ data: ['1'], nextCursor: null });
  });

  test('goes on behind the largest number of a row', async () => {
    const largest = '9223372036854775807';
    expect((await list({ cursor: cursorOf(largest) })).asked).toEqual([
      { before: BigInt(largest), limit: 21 },
    ]);
  });

  test('has no next page when the last one is full', async () => {
    expect(await list({ limit: 5 })).toMatchObject({ data: ['5', '4', '3', '2', '1'], nextCursor: null });
  });

  test('reads twenty rows, and one to see whether there are more, when nobody says how many', async () => {
    expect((await list({})).asked).toEqual([{ before: null, limit: 21 }]);
  });

  test.each(['', '-1', '1.5', '0x1', 'one', '9223372036854775808', '9'.repeat(40), ' 1', '1\n2'])(
    'refuses the cursor of %j, which no page gave: the number of a row is a bigint of PostgreSQL',
    async (text) => {
      await expect(list({ cursor: cursorOf(text) })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    },
  );
});
