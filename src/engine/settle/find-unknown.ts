import { RpcRefused } from '../../chain/rpc/rpc.ts';
import type { Rpc } from '../../chain/rpc/rpc.ts';
import { INTENTS_PER_WORD, readDoneWords } from '../../chain/system/done-intents.ts';
import { readEpoch } from '../../chain/system/epoch.ts';
import type { Db } from '../../db/client.ts';
import type { BlockId, StateBlock } from '../../lib/block-id.ts';
import type { OperatorEpoch } from '../../lib/operator-epoch.ts';
import { findOperators } from '../store/chain-identity.ts';
import { readNewestNumbers } from '../store/intent-numbers.ts';

/** Words of the bitmap that are asked for after an idle time, where each is a call more. */
const FEW_WORDS = 2;

/**
 * The last number that an Operator has done above those that this database knows. It is looked for behind the newest intent, and behind
 * the last number that was handed out: of a new epoch numbers are skipped.
 */
export async function findUnknownNumber(
  db: Db,
  rpc: Pick<Rpc, 'call'>,
  at: OperatorEpoch,
  { words, block }: { words: number; block: StateBlock },
): Promise<bigint | undefined> {
  const { known, drawn } = await readNewestNumbers(db);
  const indexes = [known, drawn].flatMap((newest) =>
    Array.from({ length: words }, (_, offset) => (newest + 1n) / INTENTS_PER_WORD + BigInt(offset)),
  );
  const done = (await readDoneWords(rpc, at, [...new Set(indexes)], block)).flat();
  // In this order: another replica may be accepting meanwhile, and what it accepts is on the chain only later.
  const now = await readNewestNumbers(db);
  return done.filter((number) => number > now.known).at(-1);
}

/**
 * Whether an Operator has done by a block what this database does not know: then the blocks before it are not passed over. So it counts
 * where the state is forgotten.
 */
export async function isAnyUnknown(
  db: Db,
  rpc: Pick<Rpc, 'call'>,
  { hash: blockHash }: BlockId,
): Promise<boolean> {
  try {
    for (const { operator, epoch } of await findOperators(db)) {
      const current = await readEpoch(rpc, operator, { blockHash });
      if (current === null) continue;
      const search = { words: FEW_WORDS, block: { blockHash } };
      if (current > epoch || (await findUnknownNumber(db, rpc, { operator, epoch }, search)) !== undefined)
        return true;
    }
    return false;
  } catch (error) {
    if (error instanceof RpcRefused) return true;
    throw error;
  }
}
