import type { Page } from '../lib/page.ts';

const MAX_BIGINT = 9_223_372_036_854_775_807n;

/** The bindings of a page: `number < cast(:before as bigint) order by number desc limit :limit`. */
export function pageBindings({ before, limit }: Page): { before: string; limit: number } {
  return { before: String(before ?? MAX_BIGINT), limit };
}
