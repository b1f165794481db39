import { isMint } from '../../chain/abi/mint.ts';
import type { Hex } from '../../lib/hex.ts';
import type { GasMemory } from '../lane/gas-memory.ts';
import type { L1Costs } from '../lane/l1-costs.ts';
import { goesAlone } from '../retry-policy.ts';
import type { QueuedIntent } from '../store/queue.ts';
import type { Transaction } from '../store/transactions.ts';
import {
  BASE_GAS,
  CALL_BYTES,
  CALL_USE,
  MINT_USE,
  callCap,
  createGasSum,
  measureCall,
  measureLeast,
} from './gas.ts';

/** A block that has less than this part of it left counts as full: less than a few mints and what a transaction costs itself. */
const MIN_ROOM = 0.02;

/** A call as it would be sent. */
export interface PlannedCall {
  intent: QueuedIntent;
  accountId: string;
  /** Gas that it will use by experience, of the transaction and not only of itself: of a mint, among many of them. */
  gas: number;
  /** With which it is simulated, and sent. */
  gasCap: number;
}

/** The call of an intent in a transaction of at most `maxGas`; its cap comes from experience, or else from its estimate. */
export function planCall(intent: QueuedIntent, gasMemory: GasMemory, maxGas: number): PlannedCall {
  const most = gasMemory.findMost(intent) ?? intent.gasEstimate;
  return {
    intent,
    accountId: intent.accountId,
    gas: gasMemory.expect(intent) + (isMint(intent.data) ? MINT_USE : CALL_USE),
    gasCap: callCap(intent, most, maxGas),
  };
}

/** What a transaction may have. */
export interface BatchLimits {
  calls: number;
  calldataBytes: number;
  /** Gas that it should use at the most; one call may use more. */
  targetGas: number;
  /** Gas limit for which there is room. */
  room: number;
  /** Whether the first call goes even when there is no room for it. */
  always: boolean;
  /** Gas limit that can be paid for with ease; one call may need more. */
  payableGas: number;
  /** What the chain adds for the data of a transaction. */
  l1Gas: L1Costs['gas'];
}

export interface Batch {
  calls: PlannedCall[];
  /** The call that was first and found no room. */
  heldBack: bigint | null;
}

/**
 * Picks what fits in one transaction by experience. Once an intent of a contract is left out, so are the later ones of
 * that contract: within a contract the order is kept. What asked to travel alone, does.
 */
export function fillBatch(calls: readonly PlannedCall[], limits: BatchLimits): Batch {
  const batch: Batch = { calls: [], heldBack: null };
  const leftOut = new Set<Hex>();
  const sum = createGasSum(limits.l1Gas, true);
  let gas = BASE_GAS;
  let bytes = 0;
  let isAlone = false;
  for (const call of calls) {
    const { intent } = call;
    const { number, contract } = intent;
    if (leftOut.has(contract)) continue;
    const isFirst = batch.calls.length === 0;
    const least = measureLeast(call);
    const size = CALL_BYTES + least.bytes;
    const isCompany = !isAlone && !goesAlone(intent.tries) && batch.calls.length < limits.calls;
    const isWanted =
      isFirst || (isCompany && gas + call.gas <= limits.targetGas && bytes + size <= limits.calldataBytes);
    const room = isFirst ? limits.room : Math.min(limits.room, limits.payableGas);
    const isForced = isFirst && limits.always;
    // Each look goes through all that it finds: bytes are counted only where they decide.
    const mayFit = isWanted && (isForced || sum.with(least) <= room);
    const measured = mayFit ? measureCall(call) : null;
    if (!measured || (!isForced && sum.with(measured) > room)) {
      if (isFirst) batch.heldBack ??= number;
      leftOut.add(contract);
      continue;
    }
    batch.calls.push(call);
    sum.add(measured);
    gas += call.gas;
    bytes += size;
    isAlone = goesAlone(intent.tries);
  }
  return batch;
}

/**
 * Gas limit with which the next transaction still fits into the block that will take those of the lane under way; 0 when that
 * is full. A block takes a transaction when its limit, not its use, fits beside what those before it use.
 * @param open transactions of the lane without a receipt
 */
export function roomInBlock(blockGas: bigint, open: readonly Pick<Transaction, 'expectedGas'>[]): number {
  const block = Number(blockGas);
  const room = block - open.reduce((sum, { expectedGas }) => sum + expectedGas, 0);
  return room < block * MIN_ROOM ? 0 : Math.floor(room);
}
