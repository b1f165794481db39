import { presentAddress } from '../chain/address.ts';
import { RpcRefused, RpcUnreachable } from '../chain/rpc/rpc.ts';
import type { Hex } from '../lib/hex.ts';
import { explainPause, findLane, findLanes, releaseLane } from '../engine/index.ts';
import type { LaneState } from '../engine/index.ts';
import { becomesTrue } from './becomes-true.ts';
import type { AdminContext } from './open.ts';
import { table } from './report.ts';
import type { Report } from './report.ts';
import { stateOf } from './signers.ts';

/**
 * Shows the lane of each signer: who holds it, what is open, why it is paused, and of which Operators it sends nothing.
 * Also while the chain does not answer.
 */
export async function listLanes(context: AdminContext): Promise<Report> {
  const states = await findLanes(context.db);
  const lanes = await Promise.all(states.map((lane) => presentLane(context, lane)));
  const rows = lanes.map((lane) => [
    ...[lane.signer, lane.state, lane.holder, lane.heldSince, lane.progressedAt],
    ...[lane.open, lane.oldestOpen, lane.firstOpenNonce, lane.nextNonce, lane.nonceOnChain],
  ]);
  const advice = lanes.flatMap(({ signer, cause, action, pausedOperators }) => [
    ...(cause ? [`${signer}: ${cause} ${action}`] : []),
    ...pausedOperators.map((paused) => `${signer}: ${paused.cause} ${paused.action}`),
  ]);
  return {
    json: lanes,
    text: [
      table(
        [
          'signer',
          'state',
          'held by',
          'since',
          'progress',
          'open',
          'oldest',
          'its nonce',
          'next nonce',
          'on chain',
        ],
        rows,
        'There is no lane yet: start the service in the role of the engine.',
      ),
      ...advice,
    ].join('\n\n'),
  };
}

async function presentLane({ rpc }: AdminContext, lane: LaneState) {
  const { signer, trouble, isHeld } = lane;
  const pause = isHeld && trouble ? explainPause({ signer, reason: trouble, operator: null }) : null;
  return {
    signer: presentAddress(signer),
    state: stateOf(lane),
    holder: lane.isHeld ? lane.holder : null,
    heldSince: lane.isHeld ? lane.takenAt : null,
    leaseUntil: lane.leaseUntil,
    progressedAt: lane.progressedAt,
    open: lane.open,
    unsettled: lane.mined,
    oldestOpen: lane.oldestOpen,
    firstOpenNonce: lane.firstOpen === null ? null : Number(lane.firstOpen),
    nextNonce: Number(lane.nextNonce),
    nonceOnChain: await countNonces(rpc, signer),
    isSender: lane.isSender,
    pausedSince: lane.troubleSince,
    pausedOperators: (isHeld ? lane.pausedOperators : []).map((paused) => ({
      ...paused,
      operator: presentAddress(paused.operator),
      ...explainPause({ signer, ...paused }),
    })),
    ...explainLane(lane, pause),
  };
}

/** What is wrong with a lane, and which command helps; nulls when nothing is. */
function explainLane(
  { signer, isHeld, retiring, funded, open }: LaneState,
  pause: { cause: string; action: string } | null,
): { cause: string | null; action: string | null } {
  if (pause) return pause;
  if (!isHeld && (!retiring || open > 0)) {
    return {
      cause: 'No process holds it.',
      action: `Start the service with its key, or, if that is lost, run "signers bury ${signer}".`,
    };
  }
  if (isHeld && !funded) {
    return {
      cause: 'It cannot pay for gas.',
      action: `Send ether to ${signer}; the lane goes on by itself.`,
    };
  }
  return { cause: null, action: null };
}

async function countNonces(rpc: AdminContext['rpc'], signer: Hex): Promise<number | null> {
  try {
    return Number(await rpc.call<Hex>('eth_getTransactionCount', [signer, 'latest']));
  } catch (error) {
    if (error instanceof RpcUnreachable || error instanceof RpcRefused) return null;
    throw error;
  }
}

/** Its holder takes the lane again and reads the chain: some seconds. */
const HEAL_TIMEOUT_MS = 15_000;

/**
 * Lets the holder of a lane take it anew from what is stored and what the chain says, and send all that is open again.
 * @throws Error with one sentence when nobody does it in time
 */
export async function healLane({ db }: AdminContext, signer: Hex): Promise<Report> {
  if (!(await releaseLane(db, signer))) throw new Error('This signer has no lane');
  if (!(await becomesTrue(async () => (await findLane(db, signer))!.isHeld, HEAL_TIMEOUT_MS)))
    throw new Error(
      `No process takes the lane: no endpoint of RPC_URL answers, or none has the key of this signer. Start the service with it, or, if it is lost, run "signers bury ${signer}"`,
    );
  const lane = (await findLane(db, signer))!;
  return {
    json: { signer: presentAddress(signer), open: lane.open, nextNonce: Number(lane.nextNonce) },
    text: `The lane was taken anew, and goes on at nonce ${lane.nextNonce}. Open: ${lane.open} transactions.`,
  };
}
