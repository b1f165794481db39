import type { BlockId } from '../../lib/block-id.ts';
import type { Hex } from '../../lib/hex.ts';
import type { BlockLog, Header } from './block.ts';

/**
 * What was read of blocks that are not canonical yet, by block hash: no chain gives another answer for the same hash,
 * so what a look has read before it fails is not asked for by the next one.
 */
export interface ReadAhead {
  header(hash: Hex): Header | undefined;
  logs(hash: Hex): readonly BlockLog[] | undefined;
  addHeader(header: Header): void;
  addLogs(block: BlockId, logs: readonly BlockLog[]): void;
  clear(): void;
}

/** @param onRead called with the number of the block of whatever is added that was not known */
export function createReadAhead(onRead: (number: bigint) => void = () => undefined): ReadAhead {
  const headers = new Map<Hex, Header>();
  const logsOf = new Map<Hex, readonly BlockLog[]>();
  return {
    header: (hash) => headers.get(hash),
    logs: (hash) => logsOf.get(hash),
    addHeader: (header) => {
      if (!headers.has(header.hash)) onRead(header.number);
      headers.set(header.hash, header);
    },
    addLogs: ({ number, hash }, logs) => {
      if (!logsOf.has(hash)) onRead(number);
      logsOf.set(hash, logs);
    },
    clear: () => {
      headers.clear();
      logsOf.clear();
    },
  };
}
