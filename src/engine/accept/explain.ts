import { RpcRefused, RpcUnreachable } from '../../chain/rpc/rpc.ts';
import type { Rpc } from '../../chain/rpc/rpc.ts';
import type { Hex } from '../../lib/hex.ts';
import type { Db } from '../../db/client.ts';
import { REPLACE_AFTER_BLOCKS } from '../send/replacement.ts';
import { readCurrent } from '../store/chain-identity.ts';
import { findUnresolvedReorg } from '../store/deep-reorgs.ts';
import type { UnresolvedReorg } from '../store/deep-reorgs.ts';
import { findContractLane } from '../store/contract-lanes.ts';
import { findAhead, findFirstOpen, findTransactionOf, inspectIntent } from '../store/inspect.ts';
import type { InspectedIntent, InspectedTransaction } from '../store/inspect.ts';
import { findLanes } from '../store/lanes.ts';
import type { LaneState } from '../store/lanes.ts';
import { findOvertaker } from '../store/overtaken.ts';
import { explainPause } from './explain-pause.ts';
import type { PausedLane } from './explain-pause.ts';

/** Why an intent has its status, and what to do about it. */
export interface Explanation {
  intent: InspectedIntent;
  /** Of the signer that sends it; null before that is known, and when nothing had to be sent. */
  lane: LaneState | null;
  /** The one that its call is in; null while it is queued. */
  transaction: InspectedTransaction | null;
  /** The nonce that the chain takes next from the signer; null when no chain was asked, or none answered. */
  nonceOnChain: bigint | null;
  /** The first transaction of the signer without a receipt: everything later waits for it. */
  blocking: InspectedTransaction | null;
  /** Since when the cause holds, as far as it is known. */
  since: Date | null;
  /** One sentence each. */
  cause: string;
  action: string;
}

type Because = Pick<Explanation, 'cause' | 'action' | 'since'>;

const NOTHING = 'Nothing is to be done.';

const waitForBid = (transaction: string): string =>
  `Wait: every ${spell(REPLACE_AFTER_BLOCKS)} blocks the service bids more for ${transaction}.`;

/** A small number as prose has it. */
const spell = (count: number): string =>
  ['no', 'one', 'two', 'three', 'four', 'five', 'six'][count] ?? String(count);

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
  const signer = transaction?.signer ?? (await findContractLane(db, intent.contract));
  const lanes = await findLanes(db);
  const lane = lanes.find((candidate) => candidate.signer === signer) ?? null;
  const isOpen = intent.status === 'queued' || intent.status === 'submitted';
  const blocking = isOpen && signer ? ((await findFirstOpen(db, signer)) ?? null) : null;
  const counted = isOpen && signer ? await countNonces(rpc, signer, askChain) : null;
  const facts = { intent, lane, transaction, blocking, nonceOnChain: counted === 'silent' ? null : counted };
  const reorg = isOpen || !intent.finalAt ? await findUnresolvedReorg(db) : undefined;
  if (reorg) return { ...facts, ...explainReorg(reorg) };
  if (intent.quarantine) return { ...facts, ...explainQuarantine(intent.id, intent.quarantine) };
  if (!isOpen) return { ...facts, ...explainVerdict(intent, transaction) };
  const trouble = counted === 'silent' ? CHAIN_SILENT : findLaneTrouble(lane, lanes);
  if (trouble) return { ...facts, since: null, ...trouble };
  const because = transaction
    ? explainSubmitted(transaction, blocking, facts.nonceOnChain)
    : await explainQueued(db, intent, lane, blocking, maxInFlight);
  return { ...facts, ...because, ...(lane?.pauseReason === 'stuck' && { action: addHeal(because, lane) }) };
}

/** Waiting has not helped so far. */
const addHeal = ({ action }: Because, { signer }: LaneState): string =>
  `${action} If blocks keep going by without its first transaction, run "lanes heal ${signer}".`;

async function countNonces(rpc: Rpc, signer: Hex, askChain: boolean): Promise<bigint | 'silent' | null> {
  if (!askChain) return rpc.unreachableForMs() > 0 ? 'silent' : null;
  try {
    return BigInt(await rpc.call<Hex>('eth_getTransactionCount', [signer, 'latest']));
  } catch (error) {
    if (error instanceof RpcUnreachable || error instanceof RpcRefused) return 'silent';
    throw error;
  }
}

const CHAIN_SILENT = {
  cause: 'The chain does not answer.',
  action: 'See to it that an endpoint of RPC_URL answers.',
};

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
    cause: `It is done${block === null ? '' : ` in block ${block}`}, which is not CONFIRMATIONS deep yet.`,
    action: NOTHING,
  };
}

type Paused = PausedLane & Pick<LaneState, 'pausedSince'>;

/** Undefined while the lane sends; a `stuck` lane sends its own contracts only, and counts as sending. */
const asPaused = ({ signer, pauseReason, pausedSince }: LaneState): Paused | undefined =>
  pauseReason && pauseReason !== 'stuck' ? { signer, pauseReason, pausedSince } : undefined;

/** Of what no lane has taken: why all lanes that might take it are paused. */
function findCommonPause(lanes: readonly LaneState[]): Paused | undefined {
  const sending = lanes.filter(({ isHeld, retiring }) => isHeld && !retiring);
  const [first, ...others] = sending.map(asPaused);
  return others.every(Boolean) ? first : undefined;
}

/** What keeps the whole lane from working. */
function findLaneTrouble(
  lane: LaneState | null,
  lanes: readonly LaneState[],
): (Pick<Because, 'cause' | 'action'> & Partial<Because>) | undefined {
  if (lane && !lane.isHeld) {
    return {
      cause: `No process holds the lane of its signer ${lane.signer}.`,
      action: `Start the service with the key of ${lane.signer}, or move on to another signer with "signers rotate"; if the key is lost, run "signers bury ${lane.signer}".`,
    };
  }
  if (!lane && !lanes.some(({ isHeld, retiring }) => isHeld && !retiring)) {
    return {
      cause: 'No process holds the lane of any signer.',
      action: 'Start the service in the role of the engine.',
    };
  }
  const paused = lane ? asPaused(lane) : findCommonPause(lanes);
  if (paused) return { ...explainPause(paused), since: paused.pausedSince };
  if (lane && !lane.funded) {
    return {
      cause: `Its signer ${lane.signer} cannot pay for gas.`,
      action: `Send ether to ${lane.signer}; the service goes on by itself.`,
    };
  }
  return undefined;
}

function explainSubmitted(
  { signer, nonce, createdAt }: InspectedTransaction,
  blocking: InspectedTransaction | null,
  nonceOnChain: bigint | null,
): Because {
  if (nonceOnChain !== null && nonceOnChain > nonce) {
    return {
      since: createdAt,
      cause: `The chain has used its nonce ${nonce}; the service has not settled that yet.`,
      action: 'Wait some blocks; if another program used the nonce, the service sends it again by itself.',
    };
  }
  if (nonceOnChain !== null && blocking && nonceOnChain < blocking.nonce) {
    return {
      since: blocking.createdAt,
      cause: `The chain waits for nonce ${nonceOnChain}, but the first one under way is ${blocking.nonce}.`,
      action: `An endpoint of RPC_URL lags, or the service fills the gap in a while. If it lasts, run "lanes heal ${signer}".`,
    };
  }
  if (blocking && blocking.nonce < nonce) {
    return {
      since: blocking.createdAt,
      cause: `It has nonce ${nonce} and waits behind nonce ${blocking.nonce}, which was sent ${times(blocking)} and is not mined.`,
      action: waitForBid('the first one'),
    };
  }
  return {
    since: createdAt,
    cause: `Its transaction with nonce ${nonce} was sent ${times(blocking)} and is not mined.`,
    action: waitForBid('it'),
  };
}

const times = (transaction: InspectedTransaction | null): string =>
  transaction && transaction.hashes.length > 1 ? `with ${transaction.hashes.length} bids` : 'with one bid';

async function explainQueued(
  db: Db,
  intent: InspectedIntent,
  lane: LaneState | null,
  blocking: InspectedTransaction | null,
  maxInFlight: number,
): Promise<Because> {
  if (lane?.retiring) {
    return {
      since: null,
      cause: `Its signer ${lane.signer} is being replaced and sends nothing more.`,
      action: 'Run "signers rotate" again until it says that nothing remains.',
    };
  }
  if (lane && blocking && lane.open >= maxInFlight) {
    return {
      since: blocking.createdAt,
      cause: `Its signer has ${lane.open} under way, as many as MAX_IN_FLIGHT lets it; the first has nonce ${blocking.nonce}.`,
      action: waitForBid('the first one'),
    };
  }
  if (intent.foundDone) {
    return {
      since: intent.updatedAt,
      cause: 'The Operator has done it already, and no endpoint shows the event that names the transaction.',
      action: `Give RPC_URL an endpoint that keeps old events; where there is none, run "intents resolve ${intent.id}".`,
    };
  }
  const { epoch } = await readCurrent(db);
  if (intent.epoch !== null && intent.epoch < epoch) {
    return {
      since: intent.updatedAt,
      cause: `It was accepted in epoch ${intent.epoch} of the Operator, which is over.`,
      action: `Wait some blocks: it goes on in epoch ${epoch} once nothing that was signed for it can be mined any more.`,
    };
  }
  const ahead = await findAhead(db, intent);
  if (ahead) {
    return {
      since: ahead.createdAt,
      cause: `It waits behind intent ${ahead.id} on the same contract, which is ${ahead.status}.`,
      action: `Look at that one: intents show ${ahead.id}`,
    };
  }
  const overtaker = await findOvertaker(db, intent.number);
  if (overtaker) {
    return {
      since: intent.updatedAt,
      cause: `It had no effect when it was sent, and intent ${overtaker.id} on the same contract, which was asked after it, was sent since.`,
      action: `Once that one is done for good, this one fails; if that one fails, this one goes again. Look at that one: intents show ${overtaker.id}`,
    };
  }
  return {
    since: intent.createdAt,
    cause: 'Nothing holds it back: it goes with the next transaction.',
    action: 'Wait a second and look again.',
  };
}
