import type { Lane, Turns } from '../lane/lane.ts';
import type { Queue, QueuedIntent, WaitingContract } from '../store/queue.ts';
import { fairOrder, spendGas } from './fair-order.ts';
import type { WaitingCall } from './fair-order.ts';
import {
  maxTransactionGas,
  BASE_GAS,
  CALL_BYTES,
  CALL_USE,
  MINT_USE,
  callCap,
  createGasSum,
  measureCall,
  measureLeast,
} from './gas.ts';
import { isMint } from '../../chain/abi/mint.ts';
import type { Hex } from '../../lib/hex.ts';
import type { GasMemory } from '../lane/gas-memory.ts';
import type { L1Costs } from '../lane/market.ts';
import { goesAlone } from '../retry-policy.ts';
import type { Transaction } from '../store/transactions.ts';
import { setBounded } from '../../lib/bounded-map.ts';

/** A batch uses at most this part of a block, so that it finds room next to others. */
const BLOCK_PART = 12n;
/** Gas that an account is given in each round: about a mint to a first holder. */
const QUANTUM = 100_000;
/** A call that found no room while so many blocks were mined keeps what comes after it waiting, until it finds some. */
const MAX_BLOCKS_WITHOUT_ROOM = 1n;

interface BatchChoice extends Batch {
  /** All that was to be chosen from. */
  waiting: PlannedCall[];
}

/** What of a lane decides on its next transaction. */
interface ChoosingLane extends Pick<Lane, 'gasMemory' | 'turns'> {
  config: Pick<Lane['config'], 'maxBatch' | 'profile'>;
  latest: Pick<Lane['latest'], 'block'>;
  inFlight: Pick<Lane['inFlight'], 'open'>;
  l1: Pick<Lane['l1'], 'gas'>;
}

/**
 * Chooses the next transaction's calls: as many as fit, in the order of the accounts' turns.
 * @param payableGas gas limit that can be paid for with ease
 */
export function chooseBatch(lane: ChoosingLane, queue: Queue, payableGas: number): BatchChoice {
  const { config, latest, inFlight, gasMemory, turns, l1 } = lane;
  const { gasLimit, number } = latest.block;
  const { maxTransactionGas: profileGas, maxCalldataBytes } = config.profile;
  const maxGas = maxTransactionGas(gasLimit, profileGas);
  const waiting = queue.queued.map((intent) => planCall(intent, gasMemory, maxGas));
  const open = inFlight.open();
  const room = roomInBlock(gasLimit, open);
  const { didNotFit } = turns;
  if (room === 0 && open.length > 0) return { calls: [], didNotFit: didNotFit?.number ?? null, waiting };
  const batch = fillBatch(fairOrder(waiting, turns.spent, QUANTUM), {
    calls: config.maxBatch,
    calldataBytes: maxCalldataBytes,
    targetGas: Math.min(maxGas, Number(gasLimit / BLOCK_PART)),
    room: Math.min(maxGas, room),
    always: open.length === 0,
    payableGas,
    l1Gas: l1.gas,
  });
  if (
    didNotFit &&
    didNotFit.number === batch.didNotFit &&
    number > didNotFit.block + MAX_BLOCKS_WITHOUT_ROOM
  ) {
    return { calls: [], didNotFit: batch.didNotFit, waiting };
  }
  return { ...batch, waiting };
}

/**
 * A block that has less than this part of it left counts as full: less than a few mints and what a transaction costs
 * itself.
 */
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

/**
 * The call of an intent in a transaction of at most `maxGas`; its cap comes from experience, or else from its estimate.
 */
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

interface Batch {
  calls: PlannedCall[];
  /** The call that was first and found no room. */
  didNotFit: bigint | null;
}

/**
 * Picks what fits in one transaction by experience. Once an intent of a contract is left out, so are the later ones of
 * that contract: within a contract the order is kept. What asked to travel alone, does.
 */
export function fillBatch(calls: readonly PlannedCall[], limits: BatchLimits): Batch {
  const batch: Batch = { calls: [], didNotFit: null };
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
    const isCompany = !isAlone && !goesAlone(intent.retryStage) && batch.calls.length < limits.calls;
    const isWanted =
      isFirst || (isCompany && gas + call.gas <= limits.targetGas && bytes + size <= limits.calldataBytes);
    const room = isFirst ? limits.room : Math.min(limits.room, limits.payableGas);
    const isForced = isFirst && limits.always;
    // Each look goes through all that it finds: bytes are counted only where they decide.
    const mayFit = isWanted && (isForced || sum.with(least) <= room);
    const measured = mayFit ? measureCall(call) : null;
    if (!measured || (!isForced && sum.with(measured) > room)) {
      if (isFirst) batch.didNotFit ??= number;
      leftOut.add(contract);
      continue;
    }
    batch.calls.push(call);
    sum.add(measured);
    gas += call.gas;
    bytes += size;
    isAlone = goesAlone(intent.retryStage);
  }
  return batch;
}

/**
 * Gas limit with which the next transaction still fits into the block that will take those of the lane under way; 0
 * when that is full. A block takes a transaction when its limit, not its use, fits beside what those before it use.
 * @param open the open transactions of the lane
 */
export function roomInBlock(blockGas: bigint, open: readonly Pick<Transaction, 'expectedGas'>[]): number {
  const block = Number(blockGas);
  const room = block - open.reduce((sum, { expectedGas }) => sum + expectedGas, 0);
  return room < block * MIN_ROOM ? 0 : Math.floor(room);
}

/** Accounts whose last contract is kept. */
const MAX_ACCOUNTS = 1_000;
/** Accounts that owe gas. */
const MAX_DEBTORS = 10_000;

/** What became of a choice. */
interface End {
  /** The contracts that were looked at. */
  contracts: readonly WaitingContract[];
  /** What was sent, and what was refused: both took a turn. */
  done: readonly WaitingCall[];
  /** The newest block. */
  block: bigint;
}

/** Notes whose turn it is next. */
export function takeTurns(turns: Turns, choice: BatchChoice, { contracts, done, block }: End): void {
  const { calls, didNotFit, waiting } = choice;
  turns.spent = new Map([...spendGas(waiting, done, turns.spent)].slice(-MAX_DEBTORS));
  if (didNotFit === null) turns.didNotFit = null;
  else if (turns.didNotFit?.number !== didNotFit) turns.didNotFit = { number: didNotFit, block };
  turns.lastAccount = findLastAccount(choice) ?? turns.lastAccount;
  const tried = new Set(calls.map(({ intent }) => intent.contract));
  const served = new Set(calls.map(({ accountId }) => accountId));
  for (const [account, own] of Map.groupBy(contracts, ({ accountId }) => accountId)) {
    const lastContract = findLastContract(own, tried);
    if (!served.has(account) || lastContract === undefined) continue;
    turns.lastContracts.delete(account);
    if (own.length > 1) setBounded(turns.lastContracts, account, lastContract, MAX_ACCOUNTS);
  }
}

/**
 * The last account that had its turn. One whose call did not fit comes first once more: it missed room, not its turn.
 */
function findLastAccount({ calls, didNotFit, waiting }: BatchChoice): string | undefined {
  const accounts = [...new Set(waiting.map(({ accountId }) => accountId))];
  const left = waiting.find(({ intent }) => intent.number === didNotFit);
  if (left) return accounts[accounts.indexOf(left.accountId) - 1];
  const served = new Set(calls.map(({ accountId }) => accountId));
  return accounts.findLast((account) => served.has(account));
}

/** The contract of an account up to which all had their turn, or nothing to send. */
function findLastContract(contracts: readonly WaitingContract[], tried: ReadonlySet<Hex>): Hex | undefined {
  const next = contracts.findIndex(({ contract, hasQueued }) => hasQueued && !tried.has(contract));
  return next < 0 ? contracts.at(-1)?.contract : contracts[next - 1]?.contract;
}
