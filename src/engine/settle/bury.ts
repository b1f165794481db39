import { isExecutorOfAny } from '../../chain/system/roles.ts';
import { RpcRefused } from '../../chain/rpc/rpc.ts';
import type { BlockId } from '../../lib/block-id.ts';
import type { Hex } from '../../lib/hex.ts';
import { operatorsOf } from '../../lib/operators.ts';
import { combineEffects } from '../ports.ts';
import { readCursor } from '../store/follower.ts';
import type { Cursor } from '../store/follower.ts';
import { markBuried } from '../store/lane-commands.ts';
import { endOpen } from '../store/mined.ts';
import { notifyLook, notifyQueued } from '../store/notices.ts';
import { settleExecutions } from './apply-step.ts';
import type { CommandParts } from './command-parts.ts';
import { withKnown } from './known.ts';
import type { Known } from './known.ts';
import { withQuarantine } from './quarantine.ts';

export const LANE_IS_HELD = 'A process holds the lane of this signer: end it, or use "signers rotate"';

/**
 * Gives up the lane of a signer whose key is lost. Once its role is revoked in a final block, nothing that it signed
 * can have an effect any more: its open transactions end there, and another signer sends their calls. Returns how many these are;
 * null while the last final block has the role still, or nobody can tell.
 * @throws Error with one sentence when a process holds the lane
 */
export async function buryLane({ effects, ...parts }: CommandParts, signer: Hex): Promise<number | null> {
  const cursor = await readCursor(parts.db);
  if (!cursor || !(await isRevoked(parts, signer, cursor))) {
    // While nothing is under way nobody reads the chain, and the same block stays the final one.
    await notifyLook(parts.db);
    return null;
  }
  const write = (known: Known) =>
    withQuarantine(parts, async (tx, settle) => {
      if (!(await markBuried(tx, signer))) throw new Error(LANE_IS_HELD);
      // Everything up to the final block is settled: what is open is in none of these blocks.
      const finished = await endOpen(tx, signer, cursor.final);
      const findings = { finished, executions: [], early: [] };
      await settleExecutions(tx, { ...parts, effects: combineEffects(effects), ...known }, settle, findings);
      await notifyQueued(tx);
      return finished.length;
    });
  return withKnown(parts, async () => cursor, write);
}

async function isRevoked(
  { rpc, config }: Pick<CommandParts, 'rpc' | 'config'>,
  signer: Hex,
  { final, head }: Cursor,
): Promise<boolean> {
  const hasRole = ({ hash: blockHash }: BlockId): Promise<boolean> =>
    isExecutorOfAny(rpc, operatorsOf(config), signer, { blockHash });
  try {
    // An Operator may be newer than the final block, and say nothing there.
    return !(await hasRole(final)) && !(await hasRole(head));
  } catch (error) {
    // The node has forgotten the state of that block, and has that of later ones.
    if (error instanceof RpcRefused) return false;
    throw error;
  }
}
