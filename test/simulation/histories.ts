import { CHAIN_ID } from '../../lab/simulation/admin.ts';
import { GAS_LIMIT, compareHistory, openPair } from '../../lab/simulation/histories.ts';
import type { Difference } from '../../lab/simulation/histories.ts';
import { startAnvil } from '../../lab/stage/anvil.ts';

const STEPS = 25;
/** After so many a new node begins: each keeps all its snapshots. */
const HISTORIES_OF_A_NODE = 50;
/** Longer than any run: blocks are made from here alone. */
const NEVER_SECONDS = 1_000_000;
const BASE_FEE = 1_000_000_000;

/** Compares the model with anvil. Returns what is not in the list of what is accepted. */
export async function compareManyHistories(count: number): Promise<Difference[]> {
  const found: Difference[] = [];
  for (let seed = 0; seed < count; seed += HISTORIES_OF_A_NODE) {
    await using anvil = await startAnvil({
      blockTimeSeconds: NEVER_SECONDS,
      chainId: Number(CHAIN_ID),
      gasLimit: GAS_LIMIT,
      baseFeePerGas: BASE_FEE,
    });
    const pair = await openPair(anvil);
    for (let each = seed; each < Math.min(seed + HISTORIES_OF_A_NODE, count); each += 1) {
      found.push(...(await compareHistory(pair, each, STEPS)));
      await pair.settle();
    }
  }
  return found;
}
