import { isErc20Mint, isMint } from '../../chain/abi/mint.ts';
import { MAX_OFFSET } from '../../chain/abi/mint-list.ts';
import type { L1Costs } from '../lane/market.ts';
import { goesAlone } from '../retry-policy.ts';
import type { QueuedIntent } from '../store/queue.ts';

/**
 * The most gas of a transaction, on a chain with so much in a block: a little less, as blocks may shrink while it
 * waits.
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
/**
 * What `executeMints` really spends, as receipts show it (`npm run bench -- --only blocks` depends on it): on the
 * transaction, on each of its tokens, and on each mint besides the call.
 */
const MINTS_BASE_USE = 30_000;
const TOKEN_USE = 1_400;
export const MINT_USE = 2_450;
/**
 * What `executeMints` may spend on a mint besides the call: a token that is accessed for the first time (EIP-2929) and
 * an event of its own among it, and for an ERC-721 the event of its failure with 1,024 bytes, which its receiver can
 * write. No receiver's code runs in a mint of an ERC-20.
 */
const ERC20_MINT_GAS = 8_000;
const ERC721_MINT_GAS = 14_500;
/**
 * Bytes of its calldata at the most: index of its token, number, the client's key, recipient, an amount of 32 bytes,
 * and the token itself.
 */
const MINT_BYTES = 1 + 2 + 8 + 20 + 32 + 25;
/** Bytes before them: selector, arguments, how many tokens, and zeros at the end. */
const MINTS_HEAD_BYTES = 4 + 5 * 32 + 1 + 31;
/** Gas for the first bit in a word of the bitmap (EIP-2929 and EIP-2200: 22,100). */
const WORD_GAS = 22_100;
/** Which word of the bitmap has the bit of an intent. */
const wordOf = (number: bigint): bigint => number >> 8n;
/** Bytes of calldata that a call needs besides its own. */
export const CALL_BYTES = 224;
/** Tokens (EIP-7623) of these bytes at the most: 35 of them are not zero. */
const CALL_TOKENS = CALL_BYTES + 3 * 35;
/** What one call may get at the most and still be forwarded by EIP-150's 63/64 inside the largest transaction. */
const MAX_CALL_GAS_CAP = 15_500_000;
/** Gas that a call is given besides what such calls use. */
const MIN_MARGIN = 10_000;
/** Besides that a part of what they use, for a first holder or a new slot. */
const MARGIN = 0.25;
/**
 * But at most what a mint for 100 holders may need: 250,000 more when no earlier call of the transaction has touched
 * them (EIP-2929), a 64th of its gas that a clone keeps back (EIP-150), and a few new slots. So three of them fit into
 * a transaction of EIP-7825.
 */
const MAX_MARGIN = 400_000;
/** Gas that the Operator wants to have left for itself when it makes a call. */
const LEFT_GAS = 45_000;

/** A call, and the gas that it will use by itself. */
interface ExpectedCall {
  intent: Pick<QueuedIntent, 'number' | 'contract'>;
  gasUsed: number;
}

/** Gas that a transaction with these calls will use by experience. */
export const expectedGas = (calls: readonly Pick<ExpectedCall, 'gasUsed'>[]): number =>
  calls.reduce((sum, { gasUsed }) => sum + gasUsed + CALL_USE, BASE_GAS);

/**
 * The same where they go by `executeMints`, and hardly less than it will use: a transaction whose limit finds no room
 * in a block, because those before it used more, holds up all that come after it.
 */
export function expectedMintsGas(calls: readonly ExpectedCall[]): number {
  const tokens = new Set(calls.map(({ intent }) => intent.contract)).size;
  const words = new Set(calls.map(({ intent }) => wordOf(intent.number))).size;
  return calls.reduce(
    (sum, { gasUsed }) => sum + gasUsed + MINT_USE,
    MINTS_BASE_USE + tokens * TOKEN_USE + words * WORD_GAS,
  );
}

/** Gas that a call uses alone in a transaction, by its estimate. */
export const loneGas = ({ data, gasEstimate }: { data: string; gasEstimate: number }): number =>
  BASE_GAS + gasEstimate + CALL_USE + countTokens(data) * 4 + memoryGas(countBytes(data));

/**
 * The largest cap that a call can be given inside a transaction of `maxGas` gas: its calldata has to be paid for as
 * well.
 */
export const maxCallGasCap = (data: string, maxGas: number): number =>
  maxCapBeside({ bytes: countBytes(data), tokens: countTokens(data) }, maxGas);

function maxCapBeside({ bytes, tokens }: Pick<SizedCall, 'bytes' | 'tokens'>, maxGas: number): number {
  const left = maxGas - BASE_GAS - CALL_GAS - WORD_GAS - tokens * 4 - memoryGas(bytes) - LEFT_GAS;
  // EIP-150: to give a call its cap, the Operator must still have 64/63 of it.
  return Math.min(MAX_CALL_GAS_CAP, Math.floor((left * 63) / 64));
}

/**
 * Returns the cap of a call that uses this much by experience, or by its estimate: room for another path (a first
 * holder, a new slot). It is simulated with this cap, and sent with it. One that used up its cap in the simulation is
 * simulated again, alone, with all that it may use, as far as a transaction can give it that.
 */
export function callCap(
  { data, retryStage, gasMax }: Pick<QueuedIntent, 'data' | 'retryStage' | 'gasMax'>,
  gasUsed: number,
  maxGas: number,
): number {
  const expected = Math.ceil(gasUsed + Math.min(gasUsed * MARGIN, MAX_MARGIN)) + MIN_MARGIN;
  const wanted = goesAlone(retryStage) ? gasMax : Math.min(gasMax, expected);
  const bytes = countBytes(data);
  // Each look plans all that it finds: bytes are counted only where it matters how many of them are zero.
  return wanted <= maxCapBeside({ bytes, tokens: 4 * bytes }, maxGas)
    ? wanted
    : Math.min(wanted, maxCallGasCap(data, maxGas));
}

/** What the gas of a transaction depends on, of each call. */
interface SizedCall {
  number: bigint;
  gasCap: number;
  /** Of its calldata. */
  bytes: number;
  tokens: number;
  /** Gas that `executeMints` may spend on it besides the call; null for what is no mint. */
  mintGas: number | null;
}

/** Measures a call: its calldata is counted byte by byte, so that this is done once for each sum. */
export const measureCall = (call: CappedCall): SizedCall => ({
  ...measureLeast(call),
  tokens: countTokens(call.intent.data),
});

/** The same as if all its bytes were zero, without a look at them: no call of its length takes less. */
export function measureLeast({ intent: { number, data }, gasCap }: CappedCall): SizedCall {
  const bytes = countBytes(data);
  return { number, gasCap, bytes, tokens: bytes, mintGas: findMintGas(data) };
}

const findMintGas = (data: QueuedIntent['data']): number | null =>
  isErc20Mint(data) ? ERC20_MINT_GAS : isMint(data) ? ERC721_MINT_GAS : null;

/** Sums up the gas limit of a transaction, call by call. */
interface GasSum {
  /** The gas limit with this call in addition. */
  with(call: SizedCall): number;
  add(call: SizedCall): void;
  /** The gas limit of all that was added, one call at least. */
  limit(): number;
}

/**
 * Every call can be given its whole cap.
 * @param l1Gas what the chain adds for the data of a transaction of so many bytes
 * @param hasMints whether several mints and nothing else go by `executeMints`, which takes less for them
 */
export function createGasSum(l1Gas: L1Costs['gas'], hasMints: boolean): GasSum {
  const words = new Set<bigint>();
  let sum = { calls: 0, mints: 0, mintGas: 0, first: 0n, last: 0n, caps: 0, largest: 0, bytes: 0, tokens: 0 };
  const extend = ({ number, gasCap, bytes, tokens, mintGas }: SizedCall): typeof sum => ({
    calls: sum.calls + 1,
    first: sum.calls > 0 && sum.first < number ? sum.first : number,
    last: sum.last > number ? sum.last : number,
    mints: mintGas === null ? sum.mints : sum.mints + 1,
    mintGas: sum.mintGas + (mintGas ?? 0),
    caps: sum.caps + gasCap,
    largest: Math.max(sum.largest, gasCap),
    bytes: sum.bytes + CALL_BYTES + bytes,
    tokens: sum.tokens + CALL_TOKENS + tokens,
  });
  const limitOf = (
    { calls, mints, mintGas, first, last, caps, largest, ...data }: typeof sum,
    wordCount: number,
  ): number => {
    const areMints = hasMints && mints === calls && calls > 1 && last - first <= MAX_OFFSET;
    const bytes = areMints ? MINTS_HEAD_BYTES + calls * MINT_BYTES : data.bytes;
    const tokens = areMints ? 4 * bytes : data.tokens;
    // EIP-150: to give a call its cap, the Operator must still have 64/63 of it.
    const reserve = Math.ceil(largest / 32);
    const spent = areMints ? mintGas : calls * CALL_GAS;
    const execution = caps + spent + wordCount * WORD_GAS + reserve + memoryGas(bytes);
    return BASE_GAS + Math.max(execution + tokens * 4, tokens * 10) + l1Gas(bytes);
  };
  return {
    with: (call) => limitOf(extend(call), words.has(wordOf(call.number)) ? words.size : words.size + 1),
    add: (call) => {
      sum = extend(call);
      words.add(wordOf(call.number));
    },
    limit: () => limitOf(sum, words.size),
  };
}

/** A call of an intent, with the gas cap that it is simulated and sent with. */
interface CappedCall {
  intent: Pick<QueuedIntent, 'number' | 'data'>;
  gasCap: number;
}

/** Gas limit of a transaction with these calls, one at least; `hasMints` as `createGasSum` says. */
export function gasLimitOf(
  l1: Pick<L1Costs, 'gas'>,
  calls: readonly CappedCall[],
  hasMints: boolean,
): number {
  const sum = createGasSum(l1.gas, hasMints);
  for (const call of calls) sum.add(measureCall(call));
  return sum.limit();
}

const countBytes = (data: string): number => (data.length - 2) / 2;

const ZERO = '0'.charCodeAt(0);

/** EIP-7623: a token is a zero byte, a nonzero byte is four tokens; 4 gas a token, and 10 as a floor. */
function countTokens(data: string): number {
  let tokens = 0;
  for (let index = 2; index < data.length; index += 2) {
    tokens += data.charCodeAt(index) === ZERO && data.charCodeAt(index + 1) === ZERO ? 1 : 4;
  }
  return tokens;
}

/**
 * The Operator copies a call's data to memory: 3 gas a word, 3 more to make room, and the square of the words in
 * 512ths.
 */
function memoryGas(bytes: number): number {
  const words = Math.ceil(bytes / 32);
  return 6 * words + Math.ceil(words ** 2 / 512);
}
