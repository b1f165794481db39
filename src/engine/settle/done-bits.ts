import { RpcRefused } from '../../chain/rpc/rpc.ts';
import type { Rpc } from '../../chain/rpc/rpc.ts';
import { readDoneIntents } from '../../chain/system/done-intents.ts';
import type { BlockId } from '../../lib/block-id.ts';
import { groupByEpoch } from '../../lib/operator-epoch.ts';
import type { OperatorEpoch } from '../../lib/operator-epoch.ts';
import { NotAsked } from './write-asking.ts';

/** An intent as its Operator knows it. */
export interface MarkedIntent extends OperatorEpoch {
  number: bigint;
}

/** The Operator's bits of intents, at one block. */
export interface DoneBits {
  /** Those of these intents that are done. @throws NotAsked */
  findDone(intents: readonly MarkedIntent[]): Set<bigint>;
}

/**
 * Creates the bits that verdicts depend on. They are rarely needed, and asked for when they are.
 * @param findBlock the held block at which the chain is asked, by its hash
 * @param isOld the chain has shown later blocks, so that nodes may have forgotten the state of this one for good: then what
 *   nobody can tell counts as done. It goes again, and the simulation at the head says what it came to
 */
export function createDoneBits(
  rpc: Pick<Rpc, 'call'>,
  findBlock: () => Promise<BlockId>,
  { isOld = false } = {},
): DoneBits {
  const known = new Map<bigint, boolean>();
  const ask = async (intents: readonly MarkedIntent[]): Promise<void> => {
    const { hash: blockHash } = await findBlock();
    for (const group of groupByEpoch(intents)) {
      const numbers = group.map(({ number }) => number);
      const done = await readDoneIntents(rpc, group[0]!, numbers, { blockHash }).catch((refused) => {
        if (!isOld || !(refused instanceof RpcRefused) || refused.kind !== 'unavailable') throw refused;
        return new Set(numbers);
      });
      for (const number of numbers) known.set(number, done.has(number));
    }
  };
  return {
    findDone: (intents) => {
      const unknown = intents.filter(({ number }) => !known.has(number));
      if (unknown.length > 0) throw new NotAsked(() => ask(unknown));
      return new Set(intents.map(({ number }) => number).filter((number) => known.get(number)));
    },
  };
}
