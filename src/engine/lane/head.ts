import type { Rpc } from '../../chain/rpc/rpc.ts';
import type { Hex } from '../../lib/hex.ts';

/** A block. Base fee in wei per gas; 0 on a chain that has none. */
export interface Head {
  number: bigint;
  hash: Hex;
  baseFee: bigint;
  gasLimit: bigint;
}

export interface HeadReader {
  /** The newest block seen; all zeros before the first `refresh`. */
  readonly newest: Head;
  /** Reads the newest block, unless that was done within the last `freshMs` milliseconds. */
  refresh(freshMs?: number): Promise<void>;
}

/** Both loops of a lane read the head; those who ask at the same time share one call. */
export function createHeadReader(rpc: Pick<Rpc, 'call'>): HeadReader {
  let newest: Head = { number: 0n, hash: '0x', baseFee: 0n, gasLimit: 0n };
  let readAt = -Infinity;
  let reading: Promise<void> | null = null;
  const read = async (): Promise<void> => {
    const block = await rpc.call<{ number: Hex; hash: Hex; baseFeePerGas?: Hex; gasLimit: Hex }>(
      'eth_getBlockByNumber',
      ['latest', false],
    );
    readAt = performance.now();
    newest = {
      number: BigInt(block.number),
      hash: block.hash,
      baseFee: BigInt(block.baseFeePerGas ?? 0),
      gasLimit: BigInt(block.gasLimit),
    };
  };
  return {
    get newest() {
      return newest;
    },
    refresh: async (freshMs = 0) => {
      if (performance.now() - readAt < freshMs) return;
      reading ??= read().finally(() => (reading = null));
      await reading;
    },
  };
}
