import { RpcRefused, RpcUnreachable } from '../../chain/rpc/rpc.ts';
import type { Rpc } from '../../chain/rpc/rpc.ts';
import type { Hex } from '../../lib/hex.ts';
import type { Db } from '../../db/client.ts';
import { findUnresolvedReorg } from '../store/deep-reorgs.ts';
import type { UnresolvedReorg } from '../store/deep-reorgs.ts';
import { readHead } from '../store/backlog.ts';
import type { PausedLane } from '../store/backlog.ts';
import { findFirstOpen, findTransactionOf, inspectIntent } from '../store/inspect.ts';
import type { InspectedIntent, InspectedTransaction } from '../store/inspect.ts';
import { findLanes } from '../store/lanes.ts';
import type { LaneState } from '../store/lanes.ts';
import { areCommitsLost } from '../store/epochs.ts';
import { explainQueued, explainSubmitted, explainPause } from './causes.ts';
import type { Because } from './causes.ts';

/** Why an intent has its status, and what to do about it. */
export interface Explanation extends Because {
  intent: InspectedIntent;
  /** Of the signer that sends it; null before that is known, and when nothing had to be sent. */
  lane: LaneState | null;
  /** The one that its call is in; null while it is queued. */
  transaction: InspectedTransaction | null;
  /** The nonce that the chain takes next from the signer; null when no chain was asked, or none answered. */
  nonceOnChain: bigint | null;
  /** The first open transaction of the signer: everything later waits for it. */
  blocking: InspectedTransaction | null;
}

const NOTHING = 'Nothing is to be done.';

const LOSS = {
  cause:
    'The database lacks commits, or another one goes on with its contracts: nothing is sent or settled until a person has decided.',
  action: 'Bring the right database back. Where there is none, run "recover --accept-loss".',
};

/**
 * Explains an intent, of whatever account; undefined when there is none of this id. `id` is a UUID. Without `askChain`
 * it costs no RPC call, and knows of the chain only what this process has seen.
 */
export async function explainIntent(
  { db, rpc, maxInFlight, askChain }: { db: Db; rpc: Rpc; maxInFlight: number; askChain: boolean },
  id: string,
): Promise<Explanation | undefined> {
  const intent = await inspectIntent(db, id);
  if (!intent) return undefined;
  const transaction = (await findTransactionOf(db, intent.number)) ?? null;
  const lanes = await findLanes(db);
  const signer = transaction?.signer ?? findSender(lanes)?.signer;
  const lane = lanes.find((candidate) => candidate.signer === signer) ?? null;
  const isOpen = intent.status === 'queued' || intent.status === 'submitted';
  const blocking = isOpen && signer ? ((await findFirstOpen(db, signer)) ?? null) : null;
  const counted = isOpen && signer ? await countNoncesIfAsked(rpc, signer, askChain) : null;
  const facts = { intent, lane, transaction, blocking, nonceOnChain: counted === 'silent' ? null : counted };
  const reorg = isOpen || !intent.finalAt ? await findUnresolvedReorg(db) : undefined;
  if (reorg) return { ...facts, ...explainReorg(reorg) };
  if (intent.quarantine) return { ...facts, ...explainQuarantine(intent.id, intent.quarantine) };
  if (!isOpen) return { ...facts, ...explainVerdict(intent, transaction) };
  if (await areCommitsLost(db)) return { ...facts, since: null, ...LOSS };
  const trouble = counted === 'silent' ? explainSilence(rpc) : findLaneTrouble(intent, lane, lanes);
  if (trouble) return { ...facts, since: null, ...trouble };
  const standstill = transaction && (await explainStandstill(db));
  if (standstill) return { ...facts, ...standstill };
  const because = transaction
    ? explainSubmitted(transaction, blocking, facts.nonceOnChain)
    : await explainQueued(db, intent, lane, blocking, maxInFlight);
  return { ...facts, ...because, ...(lane?.trouble === 'stuck' && { action: addHeal(because, lane) }) };
}

/** Waiting has not helped so far. */
const addHeal = ({ action }: Because, { signer }: LaneState): string =>
  `${action} If blocks keep going by without its first transaction, run "lanes heal ${signer}".`;

async function countNoncesIfAsked(
  rpc: Rpc,
  signer: Hex,
  askChain: boolean,
): Promise<bigint | 'silent' | null> {
  if (!askChain) return rpc.unreachableForMs() > 0 ? 'silent' : null;
  try {
    return BigInt(await rpc.call<Hex>('eth_getTransactionCount', [signer, 'latest']));
  } catch (error) {
    if (error instanceof RpcUnreachable || error instanceof RpcRefused) return 'silent';
    throw error;
  }
}

function explainSilence(rpc: Pick<Rpc, 'otherChain'>): Pick<Because, 'cause' | 'action'> {
  const otherChain = rpc.otherChain();
  if (otherChain)
    return { cause: `${otherChain}.`, action: 'Give RPC_URL an endpoint of the chain of this database.' };
  return {
    cause: 'The chain does not answer.',
    action: 'See to it that an endpoint of RPC_URL answers.',
  };
}

/** Longer than any chain of the profiles takes for some blocks. */
const STANDSTILL_MS = 60_000;

/** Null while blocks come. */
async function explainStandstill(db: Db): Promise<Because | null> {
  const head = await readHead(db);
  if (!head || head.ageMs < STANDSTILL_MS) return null;
  return {
    since: head.since,
    cause: `It was sent, and no endpoint of RPC_URL has shown a block after ${head.number} for ${Math.round(head.ageMs / 1_000)} seconds.`,
    action:
      'Compare with an explorer of the chain: where that has newer blocks, mend the nodes behind RPC_URL, or name another one; where it has none, wait for the chain.',
  };
}

const explainReorg = ({ seenAt, needsPerson }: UnresolvedReorg): Because => ({
  since: seenAt,
  cause:
    'The chain lacks blocks that were final: no verdict is given until it is certain which of them are gone.',
  action: needsPerson
    ? 'These are more than the service undoes by itself: check the endpoints of RPC_URL, then run "recover --accept-reorg".'
    : 'Wait: the service goes on by itself, or says here what to do.',
});

/** Without what the database said: that is for the operator alone. */
const explainQuarantine = (id: string, { since }: { since: Date }): Because => ({
  since,
  cause: 'The database refused to store what became of it.',
  action: `Its operator looks at "intents quarantined", mends what the database refuses, and runs "intents retry ${id}".`,
});

function explainVerdict(intent: InspectedIntent, transaction: InspectedTransaction | null): Because {
  const since = intent.finalAt ?? intent.updatedAt;
  if (intent.status === 'failed') {
    const cause = `It failed and had no effect: ${intent.error!.message.replace(/\.$/, '')}.`;
    return {
      since,
      cause,
      action: 'What it held was given back; its account may mend the cause and ask again.',
    };
  }
  if (intent.status === 'cancelled')
    return { since, cause: 'Its account withdrew it before it was sent.', action: NOTHING };
  if (intent.finalAt) return { since, cause: 'It is done, for good.', action: NOTHING };
  const block = transaction?.blockNumber ?? null;
  return {
    since,
    cause: `It is done${block === null ? '' : ` in block ${block}`}, which is not final yet.`,
    action: NOTHING,
  };
}

const maySend = ({ isHeld, retiring }: LaneState): boolean => isHeld && !retiring;

/** The lane that sends what is queued; undefined while it is not held and another one is about to. */
const findSender = (lanes: readonly LaneState[]): LaneState | undefined =>
  lanes.find((lane) => lane.isSender && (lane.isHeld || !lanes.some(maySend)));

type Paused = PausedLane & { since: Date | null };

/**
 * Undefined while the lane sends calls of this Operator; a `stuck` lane sends while no other lane can, and counts as
 * sending.
 */
function asPaused(
  { signer, trouble, troubleSince, pausedOperators }: LaneState,
  operator: Hex | null,
): Paused | undefined {
  if (trouble && trouble !== 'stuck') return { signer, reason: trouble, operator: null, since: troubleSince };
  const paused = pausedOperators.find((one) => one.operator === operator);
  return paused && { signer, ...paused };
}

/** Of what no lane has taken: why all lanes that might take it are paused. */
function findCommonPause(lanes: readonly LaneState[], operator: Hex | null): Paused | undefined {
  const [first, ...others] = lanes.filter(maySend).map((lane) => asPaused(lane, operator));
  return others.every(Boolean) ? first : undefined;
}

/** What keeps the whole lane from working, or from sending calls of the intent's Operator. */
function findLaneTrouble(
  { operator }: InspectedIntent,
  lane: LaneState | null,
  lanes: readonly LaneState[],
): (Pick<Because, 'cause' | 'action'> & Partial<Because>) | undefined {
  if (lane && !lane.isHeld) {
    return {
      cause: `No process holds the lane of its signer ${lane.signer}.`,
      action: `Start the service with the key of ${lane.signer}, or move on to another signer with "signers rotate"; if the key is lost, run "signers bury ${lane.signer}".`,
    };
  }
  const retiring = lanes.find((one) => one.isHeld && one.retiring);
  if (!lane && retiring && !lanes.some(maySend)) {
    return {
      cause: `Its signer ${retiring.signer} is being replaced and sends nothing more.`,
      action: 'Run "signers rotate" again until it says that nothing remains.',
    };
  }
  if (!lane && !lanes.some(maySend)) {
    return {
      cause: 'No process holds the lane of any signer.',
      action: 'Start the service in the role of the engine.',
    };
  }
  const paused = lane ? asPaused(lane, operator) : findCommonPause(lanes, operator);
  if (paused) return { ...explainPause(paused), since: paused.since };
  if (lane && !lane.funded) {
    return {
      cause: `Its signer ${lane.signer} cannot pay for gas.`,
      action: `Send ether to ${lane.signer}; the service goes on by itself.`,
    };
  }
  return undefined;
}
