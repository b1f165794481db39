import type { Result } from './types.ts';

interface AnyPage<Entry> {
  data: Entry[];
  nextCursor: string | null;
}

interface AnyInit {
  params?: { query?: object };
}

const MAX_ENTRIES = 100;

/** Every entry of a list. @param read asks for one page */
export async function* paginate<Entry>(
  read: (init: object) => Promise<Result<AnyPage<Entry>>>,
  init: unknown,
): AsyncGenerator<Entry, void, undefined> {
  const { params = {}, ...options } = (init ?? {}) as AnyInit;
  for (let cursor: string | null = null; ;) {
    const query = { limit: MAX_ENTRIES, ...params.query, ...(cursor === null ? {} : { cursor }) };
    const { data: page } = await read({ ...options, params: { ...params, query } });
    yield* page.data;
    if (page.nextCursor === null) return;
    cursor = page.nextCursor;
  }
}
