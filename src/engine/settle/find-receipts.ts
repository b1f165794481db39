import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../chain/abi/operator.ts';
import type { Hex } from '../../lib/hex.ts';
import type { Lane } from '../lane/lane.ts';
import type { Transaction } from '../store/transactions.ts';

/** A receipt, as far as the engine reads it. */
export interface Receipt {
  transactionHash: Hex;
  blockNumber: Hex;
  blockHash: Hex;
  status: Hex;
  gasUsed: Hex;
  logs: Log[];
}

/**
 * The receipts of these transactions in their order: null for one that has none, undefined when no answer came, which
 * says nothing of its transaction.
 * @throws what the first call threw when all did
 */
export async function findReceipts(
  lane: Lane,
  transactions: readonly Transaction[],
): Promise<(Receipt | null | undefined)[]> {
  const receipts: (Receipt | null | undefined)[] = transactions.map(() => undefined);
  const calls = transactions.map(async (transaction, index) => {
    receipts[index] = await findReceipt(lane, transaction);
  });
  await Promise.any(calls).catch((error: unknown) => {
    throw (error as AggregateError).errors[0];
  });
  const stragglers = sleep(lane.config.timings.stragglerMs, undefined, { ref: false });
  await Promise.race([Promise.allSettled(calls), stragglers]);
  // What comes later must not be taken for an answer from before the head was looked at.
  return [...receipts];
}

/** The receipt of any attempt. */
async function findReceipt({ rpc }: Lane, { attempts }: Transaction): Promise<Receipt | null> {
  const receipts = await Promise.all(
    attempts.map(({ hash }) => rpc.call<Receipt | null>('eth_getTransactionReceipt', [hash])),
  );
  return receipts.find((receipt) => receipt?.blockHash) ?? null;
}
