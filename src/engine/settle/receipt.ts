import type { BlockLog } from '../../chain/follower/follower.ts';
import { RpcRefused } from '../../chain/rpc/rpc.ts';
import type { Rpc } from '../../chain/rpc/rpc.ts';
import type { BlockId } from '../../lib/block-id.ts';
import type { Hex } from '../../lib/hex.ts';

/** A receipt, as far as it is read. */
export interface Receipt {
  transactionHash: Hex;
  /** 0 when it was reverted as a whole. */
  status: Hex;
  gasUsed: Hex;
  block: BlockId;
  logs: BlockLog[];
}

interface RpcReceipt extends Omit<Receipt, 'block'> {
  blockNumber: Hex;
  /** Null while nothing but the pool has the transaction. */
  blockHash: Hex | null;
}

/** The receipts of those of these transactions that are in a block, of whatever fork: an endpoint may be on another one. */
export async function readReceipts(rpc: Pick<Rpc, 'call'>, hashes: readonly Hex[]): Promise<Receipt[]> {
  const answers = await Promise.all(
    hashes.map((hash) => rpc.call<RpcReceipt | null>('eth_getTransactionReceipt', [hash])),
  );
  return answers.flatMap((answer) => {
    if (!answer?.blockHash) return [];
    const { transactionHash, status, gasUsed, blockNumber, blockHash: hash, logs } = answer;
    return [{ transactionHash, status, gasUsed, logs, block: { number: BigInt(blockNumber), hash } }];
  });
}

/**
 * As `readReceipts`, without those that endpoints refuse, and whether they refuse any: of old blocks, or until an index is
 * ready. `limited` says nothing of a receipt, and is an error.
 */
export async function readShownReceipts(
  rpc: Pick<Rpc, 'call'>,
  hashes: readonly Hex[],
): Promise<{ receipts: Receipt[]; isRefused: boolean }> {
  let isRefused = false;
  const shown = await Promise.all(
    hashes.map(async (hash) => {
      try {
        return await readReceipts(rpc, [hash]);
      } catch (error) {
        if (!(error instanceof RpcRefused) || error.kind === 'limited') throw error;
        isRefused = true;
        return [];
      }
    }),
  );
  return { receipts: shown.flat(), isRefused };
}
