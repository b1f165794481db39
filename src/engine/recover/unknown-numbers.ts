import type { Rpc } from '../../chain/rpc/rpc.ts';
import { RpcRefused } from '../../chain/rpc/rpc.ts';
import { INTENTS_PER_WORD, readDoneWords } from '../../chain/system/done-intents.ts';
import { readEpoch } from '../../chain/system/epoch.ts';
import type { Db } from '../../db/client.ts';
import { chunksOf } from '../../lib/chunks.ts';
import type { Hex } from '../../lib/hex.ts';
import type { OperatorEpoch } from '../../lib/operator-epoch.ts';
import { findOperators } from '../store/operators.ts';
import { readEpochState } from '../store/epochs.ts';
import { readKnownNonces } from '../store/lanes.ts';
import { readCursor } from '../store/reader.ts';
import { findOpenGroups, noteInDoubt, readNewestNumbers } from '../store/unknown-effects.ts';
import type { BlockId, StateBlock } from '../../lib/block-id.ts';

/**
 * Words of the bitmap that are asked for at once. Numbers are handed out in sequence, though what needs nothing sent
 * leaves no bit.
 */
const WORDS = 64;

/** How a person goes on with a database that knows less than the chain. */
async function howToGoOn(db: Db, operator: Hex): Promise<string> {
  return (await readCursor(db))
    ? 'Where there is no newer one, go on without what it lacks: run "npm run admin -- recover --accept-loss"'
    : `Where it takes the place of one that is gone, run "npm run admin -- recover --adopt ${operator}"`;
}

/**
 * Refuses a database that is older than the chain, as a backup that was restored is, or beside which another one goes
 * on: an Operator of it is in a later epoch, or has done numbers that are not handed out yet.
 * @throws Error with one sentence that says how to go on
 */
export async function refuseUnknown(db: Db, rpc: Pick<Rpc, 'call'>): Promise<void> {
  for (const { operator } of await findOperators(db)) {
    const current = await readEpoch(rpc, operator, 'latest');
    if (current === null)
      throw new Error(
        `The Operator ${operator} is not on the chain behind RPC_URL yet: start an engine first, which deploys it`,
      );
    const { epoch, hasBegun } = await readEpochState(db, operator);
    if (current > epoch && hasBegun)
      throw new Error(
        `The Operator ${operator} is in epoch ${current}, which this database has not raised it to: it is an older backup, or another ` +
          `database goes on with these contracts. ${await howToGoOn(db, operator)}`,
      );
    // An epoch that is about to be over has no number of a new intent.
    if (current >= epoch) await refuseUnknownNumbers(db, rpc, { operator, epoch });
  }
}

async function refuseUnknownNumbers(db: Db, rpc: Pick<Rpc, 'call'>, at: OperatorEpoch): Promise<void> {
  const last = await findUnknownNumber(db, rpc, at, { words: WORDS, block: 'latest' });
  if (last === undefined) return;
  const { known } = await readNewestNumbers(db);
  throw new Error(
    `The chain knows intent ${last}, but the database only ${known}: it is an older backup. ${await howToGoOn(db, at.operator)}`,
  );
}

/**
 * Notes as in doubt what is open here though the chain has done it: a restored backup may know nothing of its
 * transaction. Until a lane has found out what became of it, nobody can cancel it, and no silence of the chain fails
 * it.
 */
export async function doubtWhatIsDone(db: Db, rpc: Pick<Rpc, 'call'>): Promise<void> {
  const open = await findOpenGroups(db, INTENTS_PER_WORD);
  // As many at a time as one batch of calls takes.
  for (const some of chunksOf(open, WORDS)) {
    await Promise.all(
      some.map(async ({ group, ...at }) => {
        const done = (await readDoneWords(rpc, at, [group], 'latest')).flat();
        if (done.length > 0) await noteInDoubt(db, at, done);
      }),
    );
  }
}

/** Words of the bitmap that are asked for after an idle time, where each is a call more. */
const FEW_WORDS = 2;

/**
 * The last number that an Operator has done above those that this database knows. It is looked for behind the newest
 * intent, and behind the last number that was handed out: of a new epoch numbers are skipped.
 */
async function findUnknownNumber(
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

/** Whether a signer has used more nonces by a block than this database knows of. */
async function isAnyNonceUnknown(db: Db, rpc: Pick<Rpc, 'call'>, block: StateBlock): Promise<boolean> {
  const signers = [...(await readKnownNonces(db)).keys()];
  const counts = await Promise.all(
    signers.map((signer) => rpc.call<Hex>('eth_getTransactionCount', [signer, block])),
  );
  // Last: what another process signs meanwhile it stores before that is counted.
  const known = await readKnownNonces(db);
  return signers.some((signer, index) => BigInt(counts[index]!) > (known.get(signer) ?? 0n));
}

/**
 * Whether an Operator has done by a block what this database does not know, or a signer has used a nonce beyond those:
 * then the blocks before it are not passed over. So it counts where the state is forgotten. Numbers alone do not tell:
 * on another server they are skipped, without a new epoch where the sender vouches for it.
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
    return await isAnyNonceUnknown(db, rpc, { blockHash });
  } catch (error) {
    if (error instanceof RpcRefused) return true;
    throw error;
  }
}
