import { RpcRefused } from '../../chain/rpc/rpc.ts';
import type { Rpc } from '../../chain/rpc/rpc.ts';
import { readDoneIntents } from '../../chain/system/done-intents.ts';
import type { BlockId } from '../../lib/block-id.ts';
import type { OperatorEpoch } from '../../lib/operator-epoch.ts';

/** An intent as its Operator knows it. */
export interface MarkedIntent extends OperatorEpoch {
  number: bigint;
}

/** The Operator's bits of intents, at one block. */
export interface DoneBits {
  /** Those of these intents that are done. What was not asked yet throws what `withDoneBits` catches. */
  findDone(intents: readonly MarkedIntent[]): Set<bigint>;
}

class BitsUnknown extends Error {
  override readonly name = 'BitsUnknown';
  readonly intents: readonly MarkedIntent[];
  constructor(intents: readonly MarkedIntent[]) {
    super('nobody has asked yet whether these intents are done');
    this.intents = intents;
  }
}

/**
 * Runs `write`, which writes verdicts in a database transaction of its own, with the bits that these depend on. They are
 * rarely needed, and not asked for within that transaction, whose locks would wait for an endpoint: it is rolled back, the
 * chain is asked, and `write` is run again.
 * @param findBlock the held block at which the chain is asked, by its hash
 * @param isOld the chain has shown later blocks, so that nodes may have forgotten the state of this one for good: then what
 *   nobody can tell counts as done. It goes again, and the simulation at the head says what it came to
 * @throws what `Rpc.call` throws, and then nothing is written
 */
export async function withDoneBits<Result>(
  rpc: Pick<Rpc, 'call'>,
  findBlock: () => Promise<BlockId>,
  write: (bits: DoneBits) => Promise<Result>,
  { isOld = false } = {},
): Promise<Result> {
  const known = new Map<bigint, boolean>();
  const findDone = (intents: readonly MarkedIntent[]): Set<bigint> => {
    const unknown = intents.filter(({ number }) => !known.has(number));
    if (unknown.length > 0) throw new BitsUnknown(unknown);
    return new Set(intents.map(({ number }) => number).filter((number) => known.get(number)));
  };
  for (;;) {
    try {
      return await write({ findDone });
    } catch (error) {
      if (!(error instanceof BitsUnknown)) throw error;
      const { hash: blockHash } = await findBlock();
      const groups = Map.groupBy(error.intents, ({ operator, epoch }) => `${operator} ${epoch}`);
      for (const group of groups.values()) {
        const numbers = group.map(({ number }) => number);
        const done = await readDoneIntents(rpc, group[0]!, numbers, { blockHash }).catch((refused) => {
          if (!isOld || !(refused instanceof RpcRefused) || refused.kind !== 'unavailable') throw refused;
          return new Set(numbers);
        });
        for (const number of numbers) known.set(number, done.has(number));
      }
    }
  }
}
