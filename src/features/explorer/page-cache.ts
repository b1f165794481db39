/** A page as it is sent. */
export interface RenderedPage {
  status: number;
  body: Buffer;
  /** Whether nothing of it will change any more. */
  isFinal: boolean;
  /** Milliseconds for which it may be shown again; 0: not at all. */
  keepMs: number;
}

interface PageCache {
  /** Returns the page of this key: a kept one, the one that is being made, or a new one. */
  open(key: string, make: () => Promise<RenderedPage>): Promise<RenderedPage>;
}

interface KeptPage {
  page: RenderedPage;
  /** Of the monotonic clock, in milliseconds. */
  until: number;
}

/**
 * Creates a cache of so many pages, and so many bytes of them, at most. The one that nobody opened for longest goes
 * first.
 */
export function createPageCache({ maxPages, maxBytes }: { maxPages: number; maxBytes: number }): PageCache {
  /** In the order in which they were last opened. */
  const kept = new Map<string, KeptPage>();
  const underWay = new Map<string, Promise<RenderedPage>>();
  let bytes = 0;

  const drop = (key: string, { page }: KeptPage): void => {
    kept.delete(key);
    bytes -= page.body.length;
  };
  const keep = (key: string, one: KeptPage): void => {
    kept.set(key, one);
    bytes += one.page.body.length;
    for (const [oldest, other] of kept) {
      if (kept.size <= maxPages && bytes <= maxBytes) return;
      drop(oldest, other);
    }
  };
  const find = (key: string): RenderedPage | undefined => {
    const found = kept.get(key);
    if (!found) return undefined;
    drop(key, found);
    if (found.until <= performance.now()) return undefined;
    keep(key, found);
    return found.page;
  };
  const makeAndKeep = async (key: string, make: () => Promise<RenderedPage>): Promise<RenderedPage> => {
    const page = await make();
    if (page.keepMs > 0 && page.body.length <= maxBytes)
      keep(key, { page, until: performance.now() + page.keepMs });
    return page;
  };

  return {
    open: async (key, make) => {
      const found = find(key) ?? underWay.get(key);
      if (found) return found;
      const making = makeAndKeep(key, make).finally(() => underWay.delete(key));
      underWay.set(key, making);
      return making;
    },
  };
}
