import { setTimeout as sleep } from 'node:timers/promises';
import { RpcRefused, RpcUnreachable } from '../../chain/rpc/rpc.ts';
import type { Rpc } from '../../chain/rpc/rpc.ts';
import type { LaneParts } from '../lane/lane.ts';
import { failNeverSent } from '../settle/verdict.ts';
import { findNeverSent } from '../store/never-sent.ts';

/** What a lane is run with. */
export interface RunParts extends LaneParts {
  rpc: Pick<Rpc, 'call' | 'unreachableForMs'>;
  /** Name of this process, the same for all of its lanes. */
  holder: string;
}

/** Intents that fail at once when the chain is out of reach. */
const MAX_FAILURES = 1_000;
/** Calls that are made before anything is given up: two errors in a row are no outage. */
const LAST_CALLS = 5;
const OUT_OF_REACH = {
  code: 'CHAIN_ERROR',
  message: 'The chain is out of reach; nothing was sent and nothing was spent',
} as const;

/**
 * Lets a loop of the lane take a turn; an endpoint that fails it costs a pause, and not the lane. Returns whether the turn
 * was taken.
 */
export async function withBackoff(parts: RunParts, turn: () => Promise<void>): Promise<boolean> {
  try {
    await turn();
    return true;
  } catch (error) {
    // Whether a write of the database happened is unknown after its error: only taking the lane again tells.
    if (!(error instanceof RpcUnreachable || error instanceof RpcRefused)) throw error;
    parts.log.warn({ error: String(error) }, 'an endpoint failed the lane, which goes on after a pause');
    await failOutOfReach(parts, error);
    await sleep(parts.config.timings.backoffMs);
    return false;
  }
}

/** Fails what was never sent when the endpoints have been out of reach for too long. */
export async function failOutOfReach(parts: RunParts, error: unknown): Promise<void> {
  if (!(error instanceof RpcUnreachable)) return;
  const { rpc, db, holder, config, log } = parts;
  // Asked again after each pause: another lane, or the other loop of this one, may have been answered meanwhile.
  const isOutOfReach = (): boolean => rpc.unreachableForMs() >= config.timings.outOfReachMs;
  if (!isOutOfReach() || (await answersAfterAll(rpc, config.timings.lastWordMs)) || !isOutOfReach()) return;
  try {
    const { otherHolderMs } = config.timings;
    const numbers = await findNeverSent(db, { holder, otherHolderMs, limit: MAX_FAILURES });
    if (!isOutOfReach()) return;
    await failNeverSent(
      parts,
      numbers.map((number) => ({ number, error: OUT_OF_REACH, transactionHash: null })),
    );
  } catch (databaseError) {
    log.warn({ error: String(databaseError) }, 'cannot give back what was queued yet');
  }
}

async function answersAfterAll(rpc: Pick<Rpc, 'call'>, timeoutMs: number): Promise<boolean> {
  // At intervals, so that they are not sent as one batch.
  const calls = Array.from({ length: LAST_CALLS }, async (_, index) => {
    await sleep((index * timeoutMs) / (4 * LAST_CALLS));
    await rpc.call('eth_chainId', []);
  });
  const answered = Promise.any(calls).then(
    () => true,
    () => false,
  );
  return Promise.race([answered, sleep(timeoutMs, false, { ref: false })]);
}
