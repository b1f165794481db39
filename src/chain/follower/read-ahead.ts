import type { Hex } from '../../lib/hex.ts';
import type { BlockLog, Header } from './block.ts';

/**
 * What was read of blocks that are not held yet, by block hash: no chain gives another answer for the same hash, so what a
 * look has read before it fails is not asked for by the next one.
 */
export interface ReadAhead {
  header(hash: Hex): Header | undefined;
  logs(hash: Hex): readonly BlockLog[] | undefined;
  addHeader(header: Header): void;
  addLogs(hash: Hex, logs: readonly BlockLog[]): void;
  clear(): void;
}

/** @param onRead called for whatever is added that was not known */
export function createReadAhead(onRead: () => void = () => undefined): ReadAhead {
  const headers = new Map<Hex, Header>();
  const logsOf = new Map<Hex, readonly BlockLog[]>();
  return {
    header: (hash) => headers.get(hash),
    logs: (hash) => logsOf.get(hash),
    addHeader: (header) => {
      if (!headers.has(header.hash)) onRead();
      headers.set(header.hash, header);
    },
    addLogs: (hash, logs) => {
      if (!logsOf.has(hash)) onRead();
      logsOf.set(hash, logs);
    },
    clear: () => {
      headers.clear();
      logsOf.clear();
    },
  };
}
