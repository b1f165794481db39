import type { BlockLog, Block } from '../../chain/follower/follower.ts';
import { RpcRefused } from '../../chain/rpc/rpc.ts';
import type { Rpc } from '../../chain/rpc/rpc.ts';
import type { BlockId } from '../../lib/block-id.ts';
import type { Hex } from '../../lib/hex.ts';
import { decodeExecutedCalls } from '../../chain/abi/operator.ts';
import type { ExecutedCall } from '../../chain/abi/operator.ts';
import type { UnknownEffect } from '../store/unknown-effects.ts';
import type { Db } from '../../db/client.ts';
import { operatorsOf } from '../../lib/operators.ts';
import type { GasUse, VerdictChange } from '../intent.ts';
import type { EngineConfig } from '../config.ts';
import { findCallSizes } from '../store/transactions.ts';
import { NotAsked } from './asking.ts';

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

/**
 * The receipts of those of these transactions that are in a block, of whatever fork: an endpoint may be on another one.
 */
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
 * As `readReceipts`, without those that endpoints refuse, and whether they refuse any: of old blocks, or until an index
 * is ready. `limited` says nothing of a receipt, and is an error.
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

/** What the Operator said of one call, in a block. */
export interface Execution extends ExecutedCall {
  transactionHash: Hex;
}

/** The results of these Operators in these blocks, in their order. */
export function readExecutions(
  blocks: readonly Pick<Block, 'logs'>[],
  operators: readonly Hex[],
): Execution[] {
  return blocks.flatMap(({ logs }) =>
    logs.flatMap((log) =>
      decodeExecutedCalls(log, operators).map((call) => ({ ...call, transactionHash: log.transactionHash })),
    ),
  );
}

/** Of an intent that is sent: a thief of a signer may write anything below 2^64. */
const MAX_NUMBER = 2n ** 62n - 1n;

/** What transactions that are not known here did in these blocks. */
export function unknownEffectsIn(
  blocks: readonly Pick<Block, 'number' | 'unknown'>[],
  operators: readonly Hex[],
): UnknownEffect[] {
  return blocks.flatMap(({ number: blockNumber, unknown: logs = [] }) =>
    readExecutions([{ logs }], operators)
      .filter(({ result, number }) => result.ok && number <= MAX_NUMBER)
      .map((execution) => ({ ...execution, blockNumber })),
  );
}

/** The successes among them, as `confirmIntents` takes them. */
export function successesOf(
  executions: readonly Execution[],
): { operator: Hex; number: bigint; result: Hex; transactionHash: Hex }[] {
  return executions
    .filter(({ result }) => result.ok)
    .map(({ result, operator, number, transactionHash }) => ({
      ...{ operator, number, transactionHash },
      result: result.returnData,
    }));
}

/*
 * A receipt says what its transaction used, and the Operator's events what each call used. The rest is shared by the
 * calls: by their calldata, and by what each needs beside it. It is asked for only where somebody has to pay it, which
 * nobody has for a mint or a deployment that stays within the gas of its own.
 */

/** What a call needs of its transaction beside its calldata (its event, its mark), in bytes of calldata. */
const CALL_WEIGHT = 640;
/** Where no endpoint shows the receipt: gas of a byte of calldata, and of a transaction that has no call yet. */
const GAS_PER_BYTE = 14;
const TRANSACTION_GAS = 25_000;
/** Gas beside its own of a call without calldata that is alone, where no endpoint shows the receipt. */
const LONE_SHARE = estimateShare(1, 0);
/** More than a call has to pay of its transaction, as a rule, when it is alone in it. */
const MAX_USUAL_SHARE = 100_000;

/**
 * What calls have to pay of what their transactions used, in gas; anything where it was not asked for yet, which
 * `check` tells then.
 */
export interface GasShares {
  /** Besides the calls. */
  shareOf(transaction: Hex, number: bigint): number;
  /** In all, of a transaction that was reverted as a whole. */
  usedBy(transaction: Hex): number;
  /** @throws NotAsked */
  check(): void;
}

/** What shares are found out with. */
export interface SharesParts {
  db: Db;
  rpc: Pick<Rpc, 'call'>;
  config: Pick<EngineConfig, 'operator' | 'formerOperators'>;
  /** Receipts that were read already: a backend that lags may not show them again. */
  receipts?: readonly Receipt[];
}

/** Shares in gas by intent number, of one transaction. */
type Shares = ReadonlyMap<bigint, number>;

/**
 * Creates the shares that verdicts depend on. A receipt that no endpoint has, or shows any more, holds up no verdict:
 * then the share is an estimate. Endpoints that do not answer, or take no more calls for a time, are asked again.
 */
export function createGasShares(parts: SharesParts): GasShares {
  const known = new Map<Hex, Shares>();
  const used = new Map(
    (parts.receipts ?? []).map((receipt) => [receipt.transactionHash, Number(receipt.gasUsed)]),
  );
  const unasked = new Set<Hex>();
  const ask = async (): Promise<void> => {
    for (const { transaction, shares, gasUsed } of await readShares(parts, [...unasked])) {
      known.set(transaction, shares);
      used.set(transaction, gasUsed);
    }
    unasked.clear();
  };
  return {
    shareOf: (transaction, number) => {
      const shares = known.get(transaction);
      if (!shares) unasked.add(transaction);
      return shares?.get(number) ?? LONE_SHARE;
    },
    usedBy: (transaction) => {
      const gas = used.get(transaction);
      if (gas === undefined) unasked.add(transaction);
      return gas ?? LONE_SHARE;
    },
    check: () => {
      if (unasked.size > 0) throw new NotAsked(ask);
    },
  };
}

async function readShares(
  { db, rpc, config }: SharesParts,
  transactions: readonly Hex[],
): Promise<{ transaction: Hex; shares: Shares; gasUsed: number }[]> {
  const [sizes, receipts] = await Promise.all([
    findCallSizes(db, transactions),
    Promise.all(transactions.map((hash) => readShownReceipts(rpc, [hash]))),
  ]);
  return transactions.map((transaction, index) => {
    const [receipt] = receipts[index]!.receipts;
    const bytes = sizes.get(transaction) ?? new Map<bigint, number>();
    const shared = receipt && divideReceipt(receipt, operatorsOf(config), bytes);
    const gasUsed = receipt ? Number(receipt.gasUsed) : LONE_SHARE;
    return { transaction, shares: shared ?? estimateShares(bytes), gasUsed };
  });
}

/** Null for a receipt without a call, which is of another fork. */
function divideReceipt(
  { gasUsed, logs }: Pick<Receipt, 'gasUsed' | 'logs'>,
  operators: readonly Hex[],
  bytes: ReadonlyMap<bigint, number>,
): Shares | null {
  const calls = readExecutions([{ logs }], operators);
  if (calls.length === 0) return null;
  const used = calls.reduce((sum, { result }) => sum + Number(result.gasUsed), 0);
  const weights = new Map(calls.map(({ number }) => [number, CALL_WEIGHT + (bytes.get(number) ?? 0)]));
  const weight = [...weights.values()].reduce((sum, each) => sum + each, 0);
  const rest = Math.max(0, Number(gasUsed) - used);
  return new Map([...weights].map(([number, each]) => [number, Math.floor((rest * each) / weight)]));
}

function estimateShares(bytes: ReadonlyMap<bigint, number>): Shares {
  return new Map([...bytes].map(([number, size]) => [number, estimateShare(bytes.size, size)]));
}

function estimateShare(calls: number, bytes: number): number {
  return Math.ceil(TRANSACTION_GAS / calls) + GAS_PER_BYTE * (CALL_WEIGHT + bytes);
}

/**
 * Adds the gas of calls to the verdicts on them. What failed without being executed was alone in its transaction, which
 * did nothing.
 * @param executions in blocks that are final
 */
export function withGas(
  verdicts: readonly VerdictChange[],
  executions: readonly Execution[],
  shares: GasShares,
): VerdictChange[] {
  const byCall = new Map(executions.map((one) => [`${one.transactionHash} ${one.number}`, one]));
  return verdicts.map((verdict) => {
    const { transactionHash, number } = verdict.intent;
    const execution = byCall.get(`${transactionHash} ${number}`);
    if (execution) return { ...verdict, gas: useOf(execution, shares) };
    if (verdict.outcome !== 'failed' || transactionHash === null) return verdict;
    const gas = shares.usedBy(transactionHash);
    return { ...verdict, gas: { guess: gas, exact: () => gas } };
  });
}

function useOf({ transactionHash, number, result }: Execution, shares: GasShares): GasUse {
  const { guess } = guessUse(result.gasUsed);
  return { guess, exact: () => Number(result.gasUsed) + shares.shareOf(transactionHash, number) };
}

/** The gas of a call that used this much, when its transaction is not known. */
export function guessUse(gasUsed: bigint): GasUse {
  const call = Number(gasUsed);
  return { guess: call + MAX_USUAL_SHARE, exact: () => call + LONE_SHARE };
}
