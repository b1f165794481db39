/** Divides a list into pages of at most `size`, in its order. */
export function* pagesOf<Item>(items: readonly Item[], size: number): Generator<Item[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
}
