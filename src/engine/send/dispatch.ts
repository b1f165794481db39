import { hasCallOf } from '../lane/in-flight.ts';
import { checkFunds } from '../lane/funds.ts';
import type { Lane } from '../lane/lane.ts';
import { claimContracts, clearDrained } from '../store/contract-lanes.ts';
import { findQueued } from '../store/queue.ts';
import type { Queue } from '../store/queue.ts';
import type { Fees } from '../store/transactions.ts';
import type { PlannedCall } from './batch.ts';
import { chooseBatch } from './choose-batch.ts';
import { cappedFees, firstFees } from './fees.ts';
import { CALL_USE, gasLimitOf, maxTransactionGas } from './gas.ts';
import { sendCalls } from './send-calls.ts';
import { simulate } from './simulate.ts';
import { sortSimulated } from './sort-simulated.ts';
import type { ReadyCall } from './sort-simulated.ts';
import { takeTurns } from './take-turns.ts';

/** Accounts and queued intents that are looked at for one batch; calldata in bytes. */
export const QUEUE_LOOK = { accounts: 128, limit: 500, maxBytes: 1_000_000 };
/** So many contracts without anything queued are worth a write: the next look is spared them. */
const MANY_DRAINED = 64;

/** `all`: something was done with all that was queued; `more`: there is more to do at once. */
export type Dispatched = 'nothing' | 'all' | 'more';

/** Takes queued intents, simulates them in one eth_call, stores the signed transaction, and only then broadcasts it. */
export async function dispatch(lane: Lane): Promise<Dispatched> {
  const { config, head, inFlight, turns } = lane;
  if (inFlight.open().length >= config.maxInFlight) return 'nothing';
  const queue = await takeQueued(lane);
  const isCleared = await clearMany(lane, queue);
  if (queue.queued.length === 0) return isCleared ? 'more' : 'nothing';
  await head.refresh(config.timings.headFreshMs);
  const fees = firstFees(head.newest.baseFee, await lane.tip.read());
  const choice = chooseBatch(lane, queue, fees);
  const { calls } = choice;
  if (calls.length === 0) return 'nothing';

  const step = { name: 'dispatch', details: { signer: lane.key.signer, calls: calls.length } };
  const { sent, decided } = await config.observe.step(step, () => sendBatch(lane, calls, fees));
  takeTurns(turns, choice, {
    contracts: queue.contracts,
    sent: sent.map(({ intent: { accountId }, gasUsed }) => ({ accountId, gas: gasUsed + CALL_USE })),
    block: head.newest.number,
  });
  if (sent.length === 0 && decided === 0) return 'nothing';
  return sent.length === queue.queued.length ? 'all' : 'more';
}

/** Queued intents of contracts that are this lane's, or become it now. */
async function takeQueued(lane: Lane): Promise<Queue> {
  const queue = await findQueued(lane.db, lane.key.signer, {
    ...QUEUE_LOOK,
    excluded: lane.blocked.find(),
    afterAccount: lane.turns.lastAccount,
    afterContracts: lane.turns.lastContracts,
  });
  const unassigned = queue.contracts.filter(({ assigned, hasQueued }) => !assigned && hasQueued);
  if (unassigned.length === 0) return queue;
  const asked = unassigned.map(({ contract }) => contract);
  const claimed = await claimContracts(lane.db, lane.key, asked);
  const lost = new Set(asked.filter((contract) => !claimed.has(contract)));
  return { ...queue, queued: queue.queued.filter(({ contract }) => !lost.has(contract)) };
}

/** Returns whether there were many contracts of which nothing is queued, and others may be behind them. */
async function clearMany({ db }: Lane, { contracts }: Queue): Promise<boolean> {
  const drained = contracts.filter(({ hasQueued }) => !hasQueued);
  if (drained.length < MANY_DRAINED) return false;
  await clearDrained(
    db,
    drained.map(({ contract }) => contract),
  );
  return true;
}

/** Returns what was to be sent, and how many intents were decided without being sent. */
async function sendBatch(
  lane: Lane,
  calls: readonly PlannedCall[],
  bid: Fees,
): Promise<{ sent: ReadyCall[]; decided: number }> {
  const { config, blocked, inFlight } = lane;
  const maxGas = maxTransactionGas(lane.head.newest.gasLimit, config.maxTransactionGas);
  const fees = cappedFees(bid, BigInt(Math.min(maxGas, gasLimitOf(calls))));
  const before = inFlight.snapshot();
  const results = await config.observe.step({ name: 'simulate' }, () =>
    simulate(lane, calls, { maxGas, fees }),
  );
  config.reach('simulated');
  if (results[0] === null) {
    // Not even the first call can be paid for: it waits, and lets others pass that may need less.
    await checkFunds(lane);
    blocked.coolDown(calls[0]!.intent.contract);
    return { sent: [], decided: 0 };
  }
  const { ready, decided, premature } = await sortSimulated(lane, calls, results, maxGas);
  const transaction = ready.length > 0 ? await sendCalls(lane, ready, fees, maxGas) : null;
  const ahead = transaction ? [...before, { transaction, mined: null }] : before;
  for (const contract of premature) {
    blocked.blockUntil(
      contract,
      ahead.filter((snapshot) => hasCallOf(snapshot.transaction, contract)),
    );
  }
  return { sent: ready, decided };
}
