import { encodeRaise } from '../../chain/abi/operator.ts';
import { readRefusal } from '../../chain/abi/reverts.ts';
import { RpcRefused, unlessRefused } from '../../chain/rpc/rpc.ts';
import type { Rpc } from '../../chain/rpc/rpc.ts';
import { readEpoch } from '../../chain/system/epoch.ts';
import type { BlockId, Cursor } from '../../lib/block-id.ts';
import type { Hex } from '../../lib/hex.ts';
import type { Lane } from '../lane/lane.ts';
import { LaneLost } from '../lane/lease.ts';
import { ExecutionRefused, pauseOperator } from '../lane/pause.ts';
import { signAttempt } from '../lane/sign.ts';
import { noteRaisedElsewhere } from '../store/newest-commits.ts';
import { findPendingEpochs, skipRaisedElsewhere } from '../store/epochs.ts';
import type { PendingEpoch } from '../store/epochs.ts';
import { affordBid, currentFees } from './bid.ts';
import { storeAndBroadcast } from './send-calls.ts';

/** Milliseconds until a raise that the Operator refused is tried again. */
const AGAIN_MS = 10_000;

/**
 * Raises the epoch of each Operator that has not the one of new intents yet. The transaction has no calls of intents,
 * and is minded as any other; once its event is in a final block the reader takes note that the epoch has begun.
 * Nothing happens while the Operator refuses it, as it does for ten minutes after another raise.
 */
export async function raiseEpochs(lane: Lane): Promise<void> {
  const { health, config } = lane;
  if (performance.now() < health.raiseAt) return;
  health.raiseAt = performance.now() + config.timings.pauseMs;
  const cursor = await lane.chain.fresh();
  if (!cursor) return;
  for (const pending of await findPendingEpochs(lane.db)) await raise(lane, pending, cursor);
}

async function raise(lane: Lane, pending: PendingEpoch, { final, head }: Cursor): Promise<void> {
  const { operator, epoch, tag } = pending;
  const current = await readEpochAt(lane.rpc, operator, head);
  if (current === null) return;
  if (current < epoch) {
    const data = encodeRaise(current, tag);
    const isOnItsWay = lane.inFlight.unfinished.some(({ calldata, isNoop }) => calldata === data && !isNoop);
    return isOnItsWay ? undefined : sendRaise(lane, pending, data);
  }
  // The reader has looked for the tag in every final block.
  const foreign = await readEpochAt(lane.rpc, operator, final);
  if (foreign !== null && foreign >= epoch) await skipRaisedElsewhere(lane.db, pending, foreign);
}

async function sendRaise(lane: Lane, { operator, epoch }: PendingEpoch, calldata: Hex): Promise<void> {
  const { rpc, key, log, health } = lane;
  const call = { from: key.signer, to: operator, data: calldata };
  const estimate = await rpc.call<Hex>('eth_estimateGas', [call]).catch((error: unknown) => {
    if (error instanceof RpcRefused) return error;
    throw error;
  });
  if (estimate instanceof RpcRefused) {
    health.raiseAt = performance.now() + AGAIN_MS;
    const facts = { operator, epoch: String(epoch), error: estimate.message };
    log.warn(facts, 'the epoch cannot be raised for now');
    const refusal = readRefusal(estimate.data);
    // Another lane may have the role, and becomes the sender.
    if (refusal?.reason === 'no-role')
      await pauseOperator(lane, new ExecutionRefused(refusal, { operator, epoch }));
    return;
  }
  const gasLimit = (BigInt(estimate) * 5n) / 4n;
  const unsigned = {
    nonce: lane.inFlight.nextNonce,
    ...{ isNoop: false, gasLimit, operator, epoch, calldata },
  };
  const bid = await affordBid(lane, unsigned, await currentFees(lane));
  if (!bid) return;
  const attempt = await signAttempt(lane, unsigned, bid);
  const unsaved = { ...unsigned, expectedGas: Number(gasLimit), members: [] };
  await storeAndBroadcast(lane, unsaved, { attempt, mayBeOvertaken: false });
  lane.chain.expectBlock();
  log.warn(
    { operator, epoch: String(epoch) },
    'raising the epoch: bytes that this database lacks have no effect then',
  );
}

/**
 * Takes note when another database has raised the epoch of an Operator for good: then nothing goes on here until a
 * person says so, for of two databases that think they are the one at most one may.
 * @throws LaneLost
 */
export async function lookForRaiseElsewhere(lane: Lane, operator: Hex): Promise<void> {
  const cursor = await lane.chain.fresh();
  const epoch = cursor && (await readEpochAt(lane.rpc, operator, cursor.final));
  if (epoch === null || !(await noteRaisedElsewhere(lane.db, { operator, epoch }))) return;
  lane.log.error(
    { operator, epoch: String(epoch) },
    'another database has raised the epoch of the Operator: nothing goes on until "npm run admin -- recover --accept-loss"',
  );
  throw new LaneLost('another database has raised the epoch');
}

/** Null where the Operator, or the state, is not there. */
const readEpochAt = (rpc: Pick<Rpc, 'call'>, operator: Hex, { hash }: BlockId): Promise<bigint | null> =>
  unlessRefused(readEpoch(rpc, operator, { blockHash: hash }));
