import type { Hex } from '../../lib/hex.ts';
import { combineEffects } from '../ports.ts';
import { findQueuedCall } from '../store/inspect.ts';
import { readCursor } from '../store/follower.ts';
import { confirmIntents } from '../store/verdicts.ts';
import { isDone } from './already-done.ts';
import type { CommandParts } from './command-parts.ts';
import { applyVerdicts, toSuccessVerdicts } from './verdict.ts';

/**
 * Confirms an intent that the Operator has done for good, though no endpoint has its event any more, so that its result
 * is unknown.
 * @param transaction in which it was done, when a person knows that; else the last one that was signed for it
 * @throws Error with one sentence when it is in flight, has a verdict, or is not done in the final block
 */
export async function resolveIntent(
  { db, rpc, effects }: Pick<CommandParts, 'db' | 'rpc' | 'effects'>,
  intent: { id: string; number: bigint },
  transaction: Hex | null,
): Promise<Hex> {
  const call = await findQueuedCall(db, intent.number);
  if (!call)
    throw new Error(
      'Only what is queued is resolved: this intent has a verdict, or gets it from its transaction',
    );
  const cursor = await readCursor(db);
  if (!cursor || !(await isDone(rpc, cursor, call)))
    throw new Error('The Operator has not done this intent for good: nothing is to be resolved');
  const transactionHash = transaction ?? call.lastHash;
  if (transactionHash === null)
    throw new Error('Name the transaction in which an explorer shows it: --transaction HASH');
  await db.transaction(async (tx) => {
    const success = { number: intent.number, result: null, transactionHash };
    const confirmed = await confirmIntents(tx, [success], true);
    await applyVerdicts(tx, combineEffects(effects), toSuccessVerdicts(confirmed, 'final'));
  });
  return transactionHash;
}
