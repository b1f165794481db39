import type { GasMemory } from '../lane/gas-memory.ts';
import type { QueuedIntent } from '../store/queue.ts';
import type { Transaction } from '../store/transactions.ts';
import { BASE_GAS, CALL_BYTES, CALL_USE } from './gas.ts';

/** A block that has less than this part of it left counts as full. */
const MIN_ROOM = 0.05;

/** What one transaction can hold. */
export interface BatchLimits {
  targetGas: number;
  maxBatch: number;
  /** Calldata that pools take. */
  maxBytes: number;
  gasMemory: GasMemory;
}

/**
 * Picks what fits in one transaction by experience. Once an intent of a contract is left out, so are the later ones of
 * that contract: within a contract the order stands. What asked to travel alone, does.
 */
export function fillBatch(
  queued: readonly QueuedIntent[],
  { targetGas, maxBatch, maxBytes, gasMemory }: BatchLimits,
): QueuedIntent[] {
  const batch: QueuedIntent[] = [];
  const leftOut = new Set<string>();
  let gas = BASE_GAS;
  let bytes = 0;
  let maxCalls = maxBatch;
  for (const intent of queued) {
    const size = CALL_BYTES + (intent.data.length - 2) / 2;
    const need = gasMemory.expect(intent) + CALL_USE;
    const limit = intent.fullGas ? 1 : intent.batchLimit;
    const fits =
      !leftOut.has(intent.contract) &&
      batch.length < Math.min(maxCalls, limit) &&
      (batch.length === 0 || (gas + need <= targetGas && bytes + size <= maxBytes));
    if (!fits) {
      leftOut.add(intent.contract);
      continue;
    }
    batch.push(intent);
    gas += need;
    bytes += size;
    maxCalls = Math.min(maxCalls, limit);
  }
  return batch;
}

/**
 * Gas limit with which the next transaction still fits into the block that will take those under way. A block has no
 * room for a transaction whose limit, not whose use, is too large: smaller ones fill its end.
 */
export function roomInBlock(blockGas: bigint, open: readonly Pick<Transaction, 'expectedGas'>[]): number {
  const block = Number(blockGas);
  const ahead = open.reduce((sum, { expectedGas }) => sum + expectedGas, 0);
  const room = block - (ahead % block);
  return room < block * MIN_ROOM ? block : room;
}

/** The longest run of calls whose gas limit stays under `maxGas`; one always goes, alone if it needs more. */
export function fitGas<Call>(
  calls: readonly Call[],
  maxGas: number,
  gasLimitOf: (calls: readonly Call[]) => number,
): Call[] {
  let count = calls.length;
  while (count > 1 && gasLimitOf(calls.slice(0, count)) > maxGas)
    count = Math.max(1, Math.floor(count * 0.9));
  return calls.slice(0, count);
}
