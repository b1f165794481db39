import { MAX_POSITION } from '../lib/page.ts';
import type { Page } from '../lib/page.ts';

/** The bindings of a page: `number < cast(:before as bigint) order by number desc limit :limit`. */
export function pageBindings({ before, limit }: Page): { before: string; limit: number } {
  return { before: String(before ?? MAX_POSITION), limit };
}
