import type { Rpc } from '../../chain/rpc/rpc.ts';
import { readTimestamp } from '../../chain/rpc/timestamp.ts';
import type { ExplorerUrl } from '../../chain/chain.ts';
import type { Intent, IntentHistory, SentAttempt } from '../../engine/index.ts';
import type { Schemas } from '../../http/operation.ts';
import { setBounded } from '../../lib/bounded-map.ts';
import type { Hex } from '../../lib/hex.ts';
import { presentTransaction } from '../answer-intent.ts';

type Entry = Schemas['TimelineEntry'];

/** Attempts that are shown: with what each of their transactions adds, no more entries than the contract allows. */
export const MAX_ATTEMPTS = 40;

const BARE = {
  transaction: null,
  nonce: null,
  maxFeePerGas: null,
  maxPriorityFeePerGas: null,
  blockNumber: null,
} as const;

/** When a block was made; null when no endpoint knows it at the moment. */
type BlockTime = (hash: Hex) => Promise<Date | null>;

const MAX_BLOCKS = 1_000;

/** Asks the chain once for each block: the time of a hash never changes. */
export function createBlockTime(rpc: Pick<Rpc, 'call'>): BlockTime {
  const known = new Map<Hex, Date>();
  return async (hash) => {
    const at = known.get(hash);
    if (at) return at;
    const seconds = await readTimestamp(rpc, hash).catch(() => null);
    if (seconds === null) return null;
    const read = new Date(seconds * 1_000);
    setBounded(known, hash, read, MAX_BLOCKS);
    return read;
  };
}

/** What happened to an intent, oldest first. */
export async function presentTimeline(
  intent: Intent,
  { finalAt, attempts }: IntentHistory,
  { explorerUrl, blockTime }: { explorerUrl: ExplorerUrl; blockTime: BlockTime },
): Promise<Entry[]> {
  const entries: Entry[] = [{ ...BARE, event: 'accepted', at: intent.createdAt.toISOString() }];
  for (const [place, attempt] of attempts.entries()) {
    const isFirst = attempts[place - 1]?.transactionId !== attempt.transactionId;
    entries.push(presentAttempt(attempt, isFirst ? 'sent' : 'bid_raised', explorerUrl));
    if (attempts[place + 1]?.transactionId !== attempt.transactionId)
      entries.push(...(await presentEnd(intent, attempt, { explorerUrl, blockTime })));
  }
  return [...entries, ...presentVerdict(intent, finalAt, explorerUrl)];
}

function presentAttempt(attempt: SentAttempt, event: Entry['event'], explorerUrl: ExplorerUrl): Entry {
  return {
    ...BARE,
    event,
    at: attempt.sentAt.toISOString(),
    transaction: presentTransaction(attempt.hash, explorerUrl),
    nonce: String(attempt.nonce),
    maxFeePerGas: String(attempt.maxFeePerGas),
    maxPriorityFeePerGas: String(attempt.maxPriorityFeePerGas),
  };
}

/** What became of a transaction: nothing while it is open, as far as this intent is concerned. */
async function presentEnd(
  { transactionHash, status }: Intent,
  { status: transactionStatus, decides, minedHash, block, nonce }: SentAttempt,
  { explorerUrl, blockTime }: { explorerUrl: ExplorerUrl; blockTime: BlockTime },
): Promise<Entry[]> {
  const isItsOwn = minedHash !== null && minedHash === transactionHash && status !== 'queued';
  if (isItsOwn && block) {
    const at = await blockTime(block.hash);
    return [
      {
        ...BARE,
        event: 'mined',
        at: at && at.toISOString(),
        transaction: presentTransaction(minedHash, explorerUrl),
        nonce: String(nonce),
        blockNumber: String(block.number),
      },
    ];
  }
  if (transactionStatus === 'open' || decides) return [];
  return [{ ...BARE, event: 'requeued', at: null, nonce: String(nonce) }];
}

function presentVerdict(intent: Intent, finalAt: Date | null, explorerUrl: ExplorerUrl): Entry[] {
  const { status, updatedAt, transactionHash } = intent;
  const transaction = presentTransaction(transactionHash, explorerUrl);
  if (status === 'failed' || status === 'cancelled')
    return [{ ...BARE, event: status, at: updatedAt.toISOString(), transaction }];
  if (status !== 'confirmed') return [];
  // Its transaction says when it was mined; without one nothing else does, and what is final was updated then.
  const confirmed = { ...BARE, event: 'confirmed' as const, at: updatedAt.toISOString(), transaction };
  const final = finalAt && { ...BARE, event: 'final' as const, at: finalAt.toISOString(), transaction };
  return [...(transaction && final ? [] : [confirmed]), ...(final ? [final] : [])];
}
