import type { QueuedIntent } from '../store/queue.ts';

/**
 * The most gas of a transaction, on a chain with so much in a block: a little less, as blocks may shrink while it waits.
 * @param limit of the chain's profile
 */
export const maxTransactionGas = (blockGas: bigint, limit: number): number =>
  Math.min(limit, Number((blockGas * 15n) / 16n));
/** Gas of a transaction that is no call's own: 21,000, the Operator's entry, its return. Calldata is added apart. */
export const BASE_GAS = 60_000;
/** Gas that the Operator spends on a call besides the call: event, copying, the bit in a word that has one already. */
const CALL_GAS = 12_000;
/** What of that it really spends, as a rule. */
export const CALL_USE = 5_000;
/** Gas for the first bit in a word of the bitmap (EIP-2929 and EIP-2200: 22,100). */
const WORD_GAS = 22_100;
/** Bytes of calldata that a call needs besides its own. */
export const CALL_BYTES = 224;
/** Tokens (EIP-7623) of these bytes at the most: 35 of them are not zero. */
const CALL_TOKENS = CALL_BYTES + 3 * 35;
/** What one call may get at the most and still be forwarded by EIP-150's 63/64 inside the largest transaction. */
const MAX_CALL_GAS_CAP = 15_500_000;
/** Gas that the Operator wants to have left for itself when it makes a call. */
const LEFT_GAS = 45_000;
/** In a simulation each call may burn this many times its estimate, so that one hostile receiver cannot starve the rest. */
const SIMULATION_FACTOR = 8;

/** Gas that a transaction with these calls will use by experience. */
export const expectedGas = (calls: readonly number[]): number =>
  calls.reduce((sum, gasUsed) => sum + gasUsed + CALL_USE, BASE_GAS);

/** The largest cap that a call can be given inside a transaction of `maxGas` gas: its calldata has to be paid for as well. */
export function maxCallGasCap(data: string, maxGas: number): number {
  const left =
    maxGas -
    BASE_GAS -
    CALL_GAS -
    WORD_GAS -
    countTokens(data) * 4 -
    memoryGas((data.length - 2) / 2) -
    LEFT_GAS;
  // EIP-150: to give a call its cap, the Operator must still have 64/63 of it.
  return Math.min(MAX_CALL_GAS_CAP, Math.floor((left * 63) / 64));
}

/** The cap of a call in the simulation, of which a transaction has `maxGas` gas. */
export const simulationCap = (intent: QueuedIntent, maxGas: number): number =>
  Math.min(
    maxCallGasCap(intent.data, maxGas),
    intent.fullGas ? MAX_CALL_GAS_CAP : intent.gasEstimate * SIMULATION_FACTOR,
  );

/** The cap of a call on the chain: room for another path than the simulated one (a first holder, a new slot). */
export const callCap = (intent: QueuedIntent, simulatedGas: number, maxGas: number): number =>
  Math.min(
    maxCallGasCap(intent.data, maxGas),
    intent.fullGas ? MAX_CALL_GAS_CAP : Math.ceil(simulatedGas * 1.25) + 10_000,
  );

/** Gas limit of a transaction with these calls: every one of them can be given its whole cap. */
export function transactionGas(calls: readonly { number: bigint; gasCap: number; data: string }[]): number {
  const words = new Set(calls.map(({ number }) => number >> 8n)).size;
  const caps = calls.reduce((sum, { gasCap }) => sum + gasCap, 0);
  const bytes = calls.reduce((sum, { data }) => sum + CALL_BYTES + (data.length - 2) / 2, 0);
  const tokens = calls.reduce((sum, { data }) => sum + CALL_TOKENS + countTokens(data), 0);
  // EIP-150: to give a call its cap, the Operator must still have 64/63 of it.
  const reserve = Math.ceil(Math.max(...calls.map(({ gasCap }) => gasCap)) / 32);
  const execution = caps + calls.length * CALL_GAS + words * WORD_GAS + reserve + memoryGas(bytes);
  return BASE_GAS + Math.max(execution + tokens * 4, tokens * 10);
}

/** EIP-7623: a token is a zero byte, a nonzero byte is four tokens; 4 gas a token, and 10 as a floor. */
function countTokens(data: string): number {
  let tokens = 0;
  for (let index = 2; index < data.length; index += 2) {
    tokens += data[index] === '0' && data[index + 1] === '0' ? 1 : 4;
  }
  return tokens;
}

/** The Operator copies a call's data to memory: 3 gas a word, 3 more to make room, and the square of the words in 512ths. */
function memoryGas(bytes: number): number {
  const words = Math.ceil(bytes / 32);
  return 6 * words + Math.ceil(words ** 2 / 512);
}
