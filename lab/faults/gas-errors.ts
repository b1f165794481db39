import type { BookedIntent } from './books.ts';
import type { ReportedCall } from './operator-events.ts';

/** Gas that a mint, a deployment or an item of a batch brings along. */
const GAS_PER_UNIT = 420_000;
/** Where no endpoint shows the receipt, the share of a transaction's gas is an estimate: so much may it be wrong. */
const GAS_TOLERANCE = 100_000;

/** Bounds of what a call may have cost its account. */
interface GasBounds {
  least: number;
  most: number;
}

/** Returns what a transaction used, by its receipt. */
type GasOf = (transaction: string) => Promise<number>;

/**
 * Counts intents that were charged less than their calls used, or more than these and all else of their transactions.
 * @param calls in the order of the chain
 */
export async function countGasErrors(
  intents: readonly BookedIntent[],
  calls: ReadonlyMap<bigint, readonly ReportedCall[]>,
  gasOf: GasOf,
): Promise<number> {
  let errors = 0;
  for (const intent of intents) {
    if (intent.final && !(await isChargedRight(intent, calls.get(intent.number) ?? [], gasOf))) errors += 1;
  }
  return errors;
}

async function isChargedRight(
  intent: BookedIntent,
  calls: readonly ReportedCall[],
  gasOf: GasOf,
): Promise<boolean> {
  const { status, units, gas, exempt } = intent;
  if (exempt) return gas === 0;
  const done = status === 'confirmed';
  const own = done ? units * GAS_PER_UNIT : 0;
  const events = calls.filter(({ ok }) => ok === done);
  if (gas === 0 && !endedInFailure(intent, calls) && events.every(({ used }) => !done || used <= own))
    return true;
  const bounds = await Promise.all(events.map((event) => boundsOf(event, own, gasOf)));
  // What failed may have been sent twice, and what is done or failed unsent then may have used nothing more.
  const sum = done ? Math.max : (...all: number[]) => all.reduce((total, one) => total + one, 0);
  // What succeeds with units of its own is charged no more than it held: what its receivers used is not its account's.
  const least = own > 0 ? 0 : Math.min(...bounds.map((bound) => bound.least));
  // Whatever a failed call used itself, it has a share of its transaction.
  return gas > 0 && gas >= least && gas <= sum(0, ...bounds.map((bound) => bound.most));
}

/** Whether the chain's last word on it is a failure in the transaction that the books name. */
function endedInFailure({ status, transaction }: BookedIntent, calls: readonly ReportedCall[]): boolean {
  const last = calls.at(-1);
  return status === 'failed' && last !== undefined && !last.ok && last.transaction === transaction;
}

async function boundsOf({ used, transaction }: ReportedCall, own: number, gasOf: GasOf): Promise<GasBounds> {
  const most = Math.max(await gasOf(transaction), used + GAS_TOLERANCE);
  return { least: Math.max(0, used - own), most: Math.max(0, most - own) };
}
