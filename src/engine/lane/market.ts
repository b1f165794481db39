import type { Rpc } from '../../chain/rpc/rpc.ts';
import type { Hex } from '../../lib/hex.ts';
import { readSuggestedFee } from '../../chain/fees.ts';
import type { FeeModel } from '../../chain/fees.ts';
import { readL1Prices } from '../../chain/l1-costs.ts';
import type { L1Prices } from '../../chain/l1-costs.ts';
import type { ChainProfile } from '../../chain/profile.ts';

/** The newest block that an endpoint shows. Base fee in wei per gas; 0 on a chain that has none. */
interface LatestBlock {
  number: bigint;
  hash: Hex;
  baseFee: bigint;
  gasLimit: bigint;
}

export interface LatestReader {
  /** The newest one seen; all zeros before the first `refresh`. */
  readonly block: LatestBlock;
  /** Reads it, unless that was done within the last `freshMs` milliseconds. */
  refresh(freshMs?: number): Promise<void>;
}

/** Both loops of a lane read it; those that ask at the same time share one call. */
export function createLatestReader(rpc: Pick<Rpc, 'call'>): LatestReader {
  let latest: LatestBlock = { number: 0n, hash: '0x', baseFee: 0n, gasLimit: 0n };
  let readAt = -Infinity;
  let reading: Promise<void> | null = null;
  const read = async (): Promise<void> => {
    const block = await rpc.call<{ number: Hex; hash: Hex; baseFeePerGas?: Hex; gasLimit: Hex }>(
      'eth_getBlockByNumber',
      ['latest', false],
    );
    readAt = performance.now();
    latest = {
      number: BigInt(block.number),
      hash: block.hash,
      baseFee: BigInt(block.baseFeePerGas ?? 0),
      gasLimit: BigInt(block.gasLimit),
    };
  };
  return {
    get block() {
      return latest;
    },
    refresh: async (freshMs = 0) => {
      if (performance.now() - readAt < freshMs) return;
      reading ??= read().finally(() => (reading = null));
      await reading;
    },
  };
}

/** What the node suggests to bid besides the base fee, wei per gas: a tip, or the price of a legacy transaction. */
export interface TipReader {
  /** What was read last; 0 before. */
  readonly last: bigint;
  /** Reads it, unless that was done a moment ago. */
  read(): Promise<bigint>;
}

export function createTipReader(rpc: Pick<Rpc, 'call'>, feeModel: FeeModel, freshMs: number): TipReader {
  let last = 0n;
  let readAt = -Infinity;
  return {
    get last() {
      return last;
    },
    read: async () => {
      if (performance.now() - readAt > freshMs) {
        last = await readSuggestedFee(rpc, feeModel);
        readAt = performance.now();
      }
      return last;
    },
  };
}

/** What the data of a transaction costs on L1, besides its own gas. All zero on a chain that has no L1. */
export interface L1Costs {
  /** Reads the prices, unless that was done a moment ago. */
  refresh(): Promise<void>;
  /** Wei that a transaction of this many bytes may cost besides its gas. */
  fee(bytes: number): bigint;
  /** Gas that a transaction of this many bytes needs besides that of its execution. */
  gas(bytes: number): number;
}

/** The prices may rise so much until the transaction is mined. */
const MARGIN = 2;
/** Bytes of a transaction besides its calldata, signature and all. */
const ENVELOPE_BYTES = 200;

export function createL1Costs(
  rpc: Pick<Rpc, 'call'>,
  source: ChainProfile['l1Fee'],
  freshMs: number,
): L1Costs {
  let prices: L1Prices = { weiPerByte: 0n, gasPerByte: 0 };
  let readAt = -Infinity;
  const size = (bytes: number): number => (bytes + ENVELOPE_BYTES) * MARGIN;
  return {
    refresh: async () => {
      if (source === 'none' || performance.now() - readAt <= freshMs) return;
      prices = await readL1Prices(rpc, source);
      readAt = performance.now();
    },
    fee: (bytes) => BigInt(size(bytes)) * prices.weiPerByte,
    gas: (bytes) => Math.ceil(size(bytes) * prices.gasPerByte),
  };
}
