import { readForGood } from '../../chain/rpc/for-good.ts';
import { RpcRefused, unlessRefused } from '../../chain/rpc/rpc.ts';
import type { Rpc } from '../../chain/rpc/rpc.ts';
import { countUsedByAll } from '../../chain/rpc/used-nonces.ts';
import { readDoneIntents } from '../../chain/system/done-intents.ts';
import type { BlockId, Cursor } from '../../lib/block-id.ts';
import { groupByEpoch } from '../../lib/operator-epoch.ts';
import type { OperatorNumber } from '../../lib/operator-epoch.ts';
import type { Db } from '../../db/client.ts';
import { findDisplacedNonces } from '../store/transactions.ts';
import type { DisplacedBelow } from '../store/transactions.ts';

/** Something that verdicts depend on, and that the chain was not asked for yet. */
export class NotAsked extends Error {
  override readonly name = 'NotAsked';
  /** Asks for it. */
  readonly ask: () => Promise<void>;
  constructor(ask: () => Promise<void>) {
    super('the chain was not asked for this yet');
    this.ask = ask;
  }
}

/**
 * Runs `write`, which writes verdicts in a database transaction of its own. What these turn out to depend on is not
 * asked for within that transaction, whose locks would wait for an endpoint: it is rolled back, the chain is asked, and
 * `write` is run again.
 * @throws what asking throws, and then nothing is written
 */
export async function writeAsking<Result>(write: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof NotAsked)) throw error;
      await error.ask();
    }
  }
}

/** The Operator's bits of intents, at one block. */
export interface DoneBits {
  /** Those of these intents that are done. @throws NotAsked */
  findDone(intents: readonly OperatorNumber[]): Set<bigint>;
}

/**
 * Creates the bits that verdicts depend on. They are rarely needed, and asked for when they are.
 * @param findBlock the canonical block at which the chain is asked, by its hash
 * @param isOld the chain has shown later blocks, so that nodes may have forgotten the state of this one for good: then
 * what nobody can tell counts as done. It goes again, and the simulation at the head says what it came to
 */
export function createDoneBits(
  rpc: Pick<Rpc, 'call'>,
  findBlock: () => Promise<BlockId>,
  { isOld = false } = {},
): DoneBits {
  const known = new Map<bigint, boolean>();
  const ask = async (intents: readonly OperatorNumber[]): Promise<void> => {
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
      const unasked = intents.filter(({ number }) => !known.has(number));
      if (unasked.length > 0) throw new NotAsked(() => ask(unasked));
      return new Set(intents.map(({ number }) => number).filter((number) => known.get(number)));
    },
  };
}

/** Nonces that another program has used, as it seems: a count may have been wrong. */
export interface DisplacedNonces {
  /** Whether bytes that were signed for one of them may still be mined. @throws NotAsked */
  mayBeMined(): boolean;
}

export interface DisplacedNoncesParts {
  db: Db;
  rpc: Pick<Rpc, 'callEach'>;
}

/**
 * None can be mined once the chain has used the nonces for good, and what is not done at the head was not done by them.
 */
export function createDisplacedNonces(
  parts: DisplacedNoncesParts,
  findCursor: () => Promise<Cursor>,
): DisplacedNonces {
  let answer: boolean | null = null;
  const ask = async (): Promise<void> => {
    const cursor = await findCursor();
    const displaced = await findDisplacedNonces(parts.db);
    const used = await Promise.all(displaced.map((one) => isUsedUp(parts, cursor, one)));
    answer = used.includes(false);
  };
  return {
    mayBeMined: () => {
      if (answer === null) throw new NotAsked(ask);
      return answer;
    },
  };
}

/** Whether the chain has used a nonce for good; false when nobody can tell. */
async function isUsedUp(
  { rpc }: DisplacedNoncesParts,
  cursor: Cursor,
  { signer, below }: DisplacedBelow,
): Promise<boolean> {
  const isUsed = readForGood(cursor, async (blockHash) => {
    const count = await countUsedByAll(rpc, signer, blockHash);
    return count >= below;
  });
  return (await unlessRefused(isUsed)) ?? false;
}
