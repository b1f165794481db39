import type { Db } from '../../db/client.ts';
import { REPLACE_AFTER_BLOCKS } from '../send/replacement.ts';
import { findPendingEpochs, isServerSuspect } from '../store/epochs.ts';
import { findAhead, findSwitchInFlight } from '../store/inspect.ts';
import type { InspectedIntent, InspectedTransaction } from '../store/inspect.ts';
import type { LaneState } from '../store/lanes.ts';
import { findOvertaker } from '../store/overtaken.ts';
import { findDoubts } from '../store/requeue.ts';
import { findUnderWay } from '../store/sender.ts';
import type { PausedLane } from '../store/backlog.ts';

/** Why nothing live is accepted, fails or is cancelled, until the sender has looked. */
export const SUSPECT =
  'The database may lack what another process has sent: it is on another server than before, or an endpoint counts more transactions than it knows.';

/** What keeps an intent where it is. */
export interface Because {
  /** Since when the cause holds, as far as it is known. */
  since: Date | null;
  /** One sentence each. */
  cause: string;
  action: string;
}

const waitForBid = (transaction: string): string =>
  `Wait: every ${spell(REPLACE_AFTER_BLOCKS)} blocks the service bids more for ${transaction}.`;

/** A small number as prose has it. */
const spell = (count: number): string =>
  ['no', 'one', 'two', 'three', 'four', 'five', 'six'][count] ?? String(count);

/** Why what was sent has no verdict yet. */
export function explainSubmitted(
  transaction: InspectedTransaction,
  blocking: InspectedTransaction | null,
  nonceOnChain: bigint | null,
): Because {
  const { signer, nonce, status, blockNumber, createdAt } = transaction;
  if (status !== 'open') {
    const block = blockNumber === null ? '' : ` in block ${blockNumber}`;
    return {
      since: createdAt,
      cause: `The chain has used its nonce ${nonce}${block}, which is not final yet.`,
      action:
        'Wait until that block is final: then it fails if its call reverted, or is sent again by itself if another program used the nonce.',
    };
  }
  if (nonceOnChain !== null && nonceOnChain > nonce) {
    return {
      since: createdAt,
      cause: `The chain has used its nonce ${nonce}; the service has not settled that yet.`,
      action:
        'Wait some blocks; if another program used the nonce, the service sends it again by itself. If it lasts, an endpoint of RPC_URL counts fewer nonces: compare their answers to eth_getTransactionCount.',
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
    cause: `Its transaction with nonce ${nonce} was sent ${times(transaction)} and is not mined.`,
    action: waitForBid('it'),
  };
}

const times = ({ hashes }: InspectedTransaction): string =>
  hashes.length > 1 ? `with ${hashes.length} bids` : 'with one bid';

/** Why it is in no transaction yet. */
export async function explainQueued(
  db: Db,
  intent: InspectedIntent,
  lane: Pick<LaneState, 'signer' | 'open'> | null,
  blocking: InspectedTransaction | null,
  maxInFlight: number,
): Promise<Because> {
  if (lane && blocking && lane.open >= maxInFlight) {
    return {
      since: blocking.createdAt,
      cause: `Its signer has ${lane.open} under way, as many as MAX_IN_FLIGHT lets it; the first has nonce ${blocking.nonce}.`,
      action: waitForBid('the first one'),
    };
  }
  if (intent.inDoubt) return explainInDoubt(intent);
  if (await isServerSuspect(db)) {
    return {
      since: null,
      cause: SUSPECT,
      action:
        'Wait: the engine goes on after a new block that shows nothing which is missing; else a new epoch begins by itself.',
    };
  }
  const [pending] = await findPendingEpochs(db);
  if (pending) {
    return {
      since: intent.updatedAt,
      cause: `Epoch ${pending.epoch} of the Operator ${pending.operator} is about to begin, in which bytes that this database may lack have no effect.`,
      action:
        'Wait until its raise is final: some blocks, or ten minutes after the last raise. If it lasts, look in the log of the engine for "the epoch cannot be raised".',
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
  const passedBy = await findSwitchInFlight(db, intent);
  if (passedBy) {
    return {
      since: passedBy.createdAt,
      cause: `It waits until intent ${passedBy.id} on the same contract is mined: what stops or bounds a token goes before what else waits.`,
      action: `Look at that one: intents show ${passedBy.id}`,
    };
  }
  const underWay = lane && (await findUnderWay(db, intent.contract, lane.signer));
  if (underWay) {
    return {
      since: underWay.createdAt,
      cause: `It waits until intent ${underWay.id} on the same contract is final: another signer sent that one, and calls of two signers have no order.`,
      action: `Look at that one: intents show ${underWay.id}`,
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
  if (intent.unchangedMs < LONG_WAIT_MS) return goesNext(intent);
  return (await explainDisplaced(db, intent)) ?? explainUnstored(intent);
}

const explainInDoubt = ({ id, updatedAt }: InspectedIntent): Because => ({
  since: updatedAt,
  cause: 'It may be done already, in a transaction that is not found; that is verified before it is sent.',
  action: `Wait. If it lasts, give RPC_URL an endpoint that keeps old events; where there is none, run "intents resolve ${id}".`,
});

/** Null when nothing that was signed for it may still be mined. */
async function explainDisplaced(db: Db, { number, updatedAt }: InspectedIntent): Promise<Because | null> {
  const { mayBeDoneByOurs } = await findDoubts(db, number);
  if (!mayBeDoneByOurs) return null;
  return {
    since: updatedAt,
    cause:
      'What was signed for it may be mined all the same: another program seems to have used its nonce, and some endpoint does not say so.',
    action:
      'Wait: it is sent again as soon as it succeeds in a simulation. If it reverts, it fails once the final block has used that nonce. If that does not come, run "recover": in a new epoch what was signed before has no effect.',
  };
}

/** What nothing stored holds back, and is queued for so long, has something in its way. */
const LONG_WAIT_MS = 10_000;

const goesNext = ({ createdAt }: InspectedIntent): Because => ({
  since: createdAt,
  cause: 'Nothing holds it back: it goes with the next transaction.',
  action: 'Wait a second and look again.',
});

/** What a lane leaves out for a while, it stores nowhere. */
const explainUnstored = ({ updatedAt }: InspectedIntent): Because => ({
  since: updatedAt,
  cause:
    'Nothing that is stored holds it back: many others are before it, or the process that sends has a reason that it alone knows (gas costs more than may be bid; or its call reverted, or is too dear, and is tried again every few seconds).',
  action:
    'Look in the log of the engine for "gas costs more than the profile of the chain lets us bid": then wait, or raise maxFeePerGas by CHAIN_PROFILE; else look at mintmark_intents_open, mintmark_signer_balance_ether and mintmark_rpc_errors_total.',
});

/** Says why a lane is paused, or the calls of an Operator are, and what lets it go on, one sentence each. */
export function explainPause({ signer, reason, operator }: PausedLane): { cause: string; action: string } {
  switch (reason) {
    case 'stopped':
      return {
        cause: `A guardian or the admin has stopped the execution of the Operator ${operator}.`,
        action: 'Let one of them run "execution start"; the service goes on by itself.',
      };
    case 'wrong-epoch':
      return {
        cause: `The Operator ${operator} is in another epoch than this database: an endpoint lags, or another database has raised it.`,
        action:
          'Wait some blocks: if another database has, the service says so, and stops. If it lasts, check the endpoints of RPC_URL.',
      };
    case 'no-role':
      return {
        cause: `The signer ${signer} is not an executor of the Operator ${operator}.`,
        action: `Run "signers grant ${signer}", or move on to another signer with "signers rotate".`,
      };
    case 'signer':
      return {
        cause: `The key of the signer ${signer} does not sign.`,
        action: 'Check the key service; the log has its answer. The lane goes on by itself.',
      };
    case 'budget':
      return {
        cause:
          'The signers have spent the fees of the day, MAX_FEES_PER_DAY, but for what is kept for brakes.',
        action:
          'Nothing is lost: sending goes on at midnight (UTC), or after a restart with a higher MAX_FEES_PER_DAY.',
      };
    case 'stuck':
      return {
        cause: `Blocks go by without the first transaction of the signer ${signer}.`,
        action: `Look at "lanes": if nothing changes although the bids rise, run "lanes heal ${signer}".`,
      };
  }
}
