import type { Hex } from '../../lib/hex.ts';
import { describeRevert, isAlreadyDone, isInsufficientGas } from '../../chain/abi/reverts.ts';
import { decodeExecution, encodeExecution } from '../../chain/abi/execution.ts';
import type { CallResult } from '../../chain/abi/execution.ts';
import { RpcRefused } from '../../chain/rpc/rpc.ts';
import {
  callCap,
  expectedGas,
  fillBatch,
  maxTransactionGas,
  simulationCap,
  transactionGas,
  usedUpCap,
} from './batch.ts';
import { maxAffordableGas, cappedFees, firstFees } from './fees.ts';
import type { Fees } from './fees.ts';
import { carries } from '../lane/lane.ts';
import type { Lane } from '../lane/lane.ts';
import { keepFromCancel } from '../startup/intent-numbers.ts';
import { standsInChain } from '../settle/reorg.ts';
import { askForFullGas, failQueued, settleElsewhere } from '../settle/receipt.ts';
import { claimContracts, findQueued } from '../store/queue.ts';
import { insertTransaction } from '../store/transactions.ts';
import { findBehind } from '../store/verdicts.ts';
import type { QueuedIntent } from '../store/queue.ts';
import type { Attempt, Member, Transaction } from '../store/transactions.ts';

/** A batch takes at most this part of a block, so that it finds room next to others. */
const BLOCK_PART = 12n;
/** A block that has less than this part of it left counts as full. */
const MIN_ROOM = 0.05;
const QUEUE_LOOK = 500;

/**
 * Takes queued intents, simulates them in one eth_call, stores the signed transaction, and only then broadcasts it.
 * Returns whether it did something with all that was queued, or whether there is more to do at once.
 */
export async function dispatch(lane: Lane): Promise<'nothing' | 'all' | 'more'> {
  if (lane.open().length >= lane.config.maxInFlight) return 'nothing';
  const queued = await takeQueued(lane);
  if (queued.length === 0) return 'nothing';
  await lane.refreshHead(lane.config.timings.headFreshMs);
  const { head } = lane;
  const most = maxTransactionGas(head.gasLimit);
  const targetGas = Math.min(most, Number(head.gasLimit / BLOCK_PART));
  const batch = fillBatch(queued, { targetGas, maxBatch: lane.config.maxBatch, memory: lane.memory });
  if (batch.length === 0) return 'nothing';

  const { step } = lane.config.observe;
  return step({ name: 'dispatch', details: { signer: lane.key.signer, calls: batch.length } }, async () => {
    const before = lane.carriers();
    const simulated = await step({ name: 'simulate' }, () => simulate(lane, batch));
    lane.config.reach('simulated');
    const { ready, decided, early } = await sortOut(lane, batch, simulated, most);
    const fees = firstFees(head.baseFee, await lane.tip());
    // A call that needs more than its share of a block still goes, alone.
    const fitting = fit(ready, Math.min(most, roomInBlock(lane), Number(maxAffordableGas(fees))));
    const sent = fitting.length > 0 ? await send(lane, fitting, fees, most) : null;
    for (const contract of early) {
      const carriers = sent ? [...before, { transaction: sent, mined: null }] : before;
      lane.waitFor(
        contract,
        carriers.filter(({ transaction }) => carries(transaction, contract)),
      );
    }
    if (fitting.length === 0 && decided === 0) return 'nothing';
    return fitting.length === queued.length ? 'all' : 'more';
  });
}

async function takeQueued(lane: Lane): Promise<QueuedIntent[]> {
  const queued = await findQueued(lane.db, lane.key.signer, {
    excluded: lane.waitingContracts(),
    limit: QUEUE_LOOK,
  });
  const unassigned = [...new Set(queued.filter(({ assigned }) => !assigned).map(({ contract }) => contract))];
  if (unassigned.length === 0) return queued;
  const claimed = await claimContracts(lane.db, lane.key, unassigned);
  return queued.filter(({ assigned, contract }) => assigned || claimed.has(contract));
}

const toCall = (intent: QueuedIntent, gasCap: number) => ({
  target: intent.target,
  gasCap,
  intent: intent.number,
  data: intent.data,
});

/** One eth_call for the batch; null for an intent that the batch left no gas for. */
async function simulate(lane: Lane, batch: QueuedIntent[], block = 'latest'): Promise<(CallResult | null)[]> {
  const most = maxTransactionGas(lane.head.gasLimit);
  const data = encodeExecution(batch.map((intent) => toCall(intent, simulationCap(intent, most))));
  const call = {
    from: lane.key.signer,
    to: lane.config.operator,
    data,
    gas: `0x${most.toString(16)}`,
  };
  try {
    return decodeExecution(await lane.rpc.call<Hex>('eth_call', [call, block]));
  } catch (error) {
    if (!(error instanceof RpcRefused) || !isInsufficientGas(error.data) || batch.length === 1) throw error;
    // The calls burnt more than they were guessed to: half of them will find enough, the others wait for their turn.
    const half = batch.slice(0, Math.ceil(batch.length / 2));
    const results = await simulate(lane, half, block);
    return [...results, ...batch.slice(half.length).map(() => null)];
  }
}

/**
 * Gas limit with which the next transaction still fits into the block that will take those under way. A block has no
 * room for a transaction whose limit, not whose use, is too large: smaller ones fill its end.
 */
function roomInBlock({ head, open }: Lane): number {
  const block = Number(head.gasLimit);
  const ahead = open().reduce((sum, { expectedGas: gas }) => sum + gas, 0);
  const room = block - (ahead % block);
  return room < block * MIN_ROOM ? block : room;
}

interface Ready {
  intent: QueuedIntent;
  gasCap: number;
  /** In the simulation. */
  gasUsed: number;
}

/**
 * What a simulation means. A success rides. A revert is a verdict only when nothing that could change it is under
 * way on the contract; otherwise the intent came too `early`, and stays in the queue behind that.
 */
async function sortOut(
  lane: Lane,
  batch: QueuedIntent[],
  results: (CallResult | null)[],
  most: number,
): Promise<{ ready: Ready[]; decided: number; early: Set<Hex> }> {
  const ready: Ready[] = [];
  const early = new Set<Hex>();
  let decided = 0;
  const waiting = new Set<Hex>();
  const riding = new Set<Hex>();
  for (const [index, intent] of batch.entries()) {
    const result = results[index];
    if (!result || waiting.has(intent.contract)) {
      waiting.add(intent.contract);
      continue;
    }
    if (result.ok) {
      const gasUsed = Number(result.gasUsed);
      lane.memory.learn(intent, gasUsed);
      ready.push({ intent, gasCap: callCap(intent, gasUsed, most), gasUsed });
      riding.add(intent.contract);
      continue;
    }
    waiting.add(intent.contract);
    if (isAlreadyDone(result, intent.number)) {
      if (await settleElsewhere(lane, intent)) {
        decided += 1;
      } else {
        await keepFromCancel(lane.db, [intent.number]);
        lane.rest(intent.contract);
      }
    } else if (usedUpCap(result.gasUsed, simulationCap(intent, most)) && !intent.fullGas) {
      await askForFullGas(lane, intent);
      decided += 1;
    } else if (riding.has(intent.contract) || lane.hasOpen(intent.contract)) {
      early.add(intent.contract);
    } else {
      const judged = await judge(lane, intent);
      decided += Number(judged === 'failed');
      if (judged === 'early') early.add(intent.contract);
    }
  }
  return { ready, decided, early };
}

/**
 * The verdict on a call that reverted in a batch: once more, alone, at a block that is at least as new as all that
 * this lane has seen mined, since an endpoint that lags may have answered. There is none while an earlier call of the
 * contract may still be sent.
 */
async function judge(lane: Lane, intent: QueuedIntent): Promise<'failed' | 'early' | 'unsure'> {
  if ((await findBehind(lane.db, [intent.number])).size > 0) return 'early';
  // The owner of a contract may have changed it in a block that this lane had no reason to look at.
  await lane.refreshHead();
  const carriers = lane.carriers().filter(({ transaction }) => carries(transaction, intent.contract));
  const newest = lane.unfinished.reduce(
    (block, { mined }) => (mined && mined.blockNumber > block ? mined.blockNumber : block),
    lane.head.number,
  );
  const [result] = await simulate(lane, [intent], `0x${newest.toString(16)}`);
  if (!result || result.ok || isAlreadyDone(result, intent.number)) return 'unsure';
  // What a reorg has just taken back is not in that block, and may be what this call needs.
  for (const { mined } of carriers) {
    if (!mined || (await standsInChain(lane, mined)) !== true) return 'unsure';
  }
  if (carriers.some(({ transaction, mined }) => transaction.mined !== mined)) return 'unsure';
  await failQueued(lane, [
    {
      number: intent.number,
      error: describeRevert(result.returnData, lane.config.factories),
      transactionHash: null,
    },
  ]);
  return 'failed';
}

/** The longest run whose gas limit stays under `most`; one call always goes. */
function fit(ready: Ready[], most: number): Ready[] {
  let count = ready.length;
  while (count > 1 && gasOf(ready.slice(0, count)) > most) count = Math.max(1, Math.floor(count * 0.9));
  return ready.slice(0, count);
}

const gasOf = (ready: Ready[]): number =>
  transactionGas(ready.map(({ intent: { number, data }, gasCap }) => ({ number, gasCap, data })));

/** Returns the transaction, or null when an intent of it left the queue meanwhile: then nothing was stored. */
async function send(lane: Lane, ready: Ready[], fees: Fees, most: number): Promise<Transaction | null> {
  const calldata = encodeExecution(ready.map(({ intent, gasCap }) => toCall(intent, gasCap)));
  const gasLimit = BigInt(Math.min(most, gasOf(ready)));
  const members: Member[] = ready.map(({ intent, gasCap }) => ({
    number: intent.number,
    contract: intent.contract,
    gasCap,
    fullGas: intent.fullGas,
  }));
  const nonce = lane.nextNonce;
  const attempt = await lane.sign({ nonce, gasLimit, calldata }, cappedFees(fees, gasLimit));
  lane.config.reach('signed');
  const begin = {
    name: 'transaction',
    transaction: attempt.hash,
    isBeginning: true,
    intents: ready.map(({ intent }) => intent.id),
    details: { hash: attempt.hash, signer: lane.key.signer, nonce: String(nonce), calls: ready.length },
  };
  const draft = {
    nonce,
    gasLimit,
    calldata,
    expectedGas: expectedGas(ready.map(({ gasUsed }) => gasUsed)),
    attempts: [attempt],
    members,
    mined: null,
  };
  return lane.config.observe.step(begin, () => storeAndBroadcast(lane, draft, attempt));
}

async function storeAndBroadcast(
  lane: Lane,
  draft: Omit<Transaction, 'id'>,
  attempt: Attempt,
): Promise<Transaction | null> {
  const id = await insertTransaction(lane.db, lane.key, { ...draft, attempt });
  if (id === null) {
    // The lane was lost, or an intent was cancelled meanwhile: only the first is the end of it.
    await lane.renew();
    return null;
  }
  lane.config.reach('persisted');
  lane.config.observe.sent(draft.members.length);
  const transaction: Transaction = { id, ...draft };
  lane.add(transaction);
  await lane.broadcast(transaction);
  lane.config.reach('broadcast');
  return transaction;
}
