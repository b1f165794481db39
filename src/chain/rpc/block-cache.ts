import type { Hex } from '../../lib/hex.ts';
import { setBounded } from '../../lib/bounded-map.ts';
import type { View } from '../abi/view.ts';
import { RpcRefused } from './errors.ts';
import type { Rpc } from './rpc.ts';

export interface BlockCache {
  /**
   * Asks a view of a contract at the newest block. While that block is the newest, all callers share one answer,
   * decoded once.
   * @throws RpcUnreachable or RpcRefused, with the revert data of the view
   */
  read<Answer>(to: Hex, view: View<Answer>): Promise<Readonly<Answer>>;
  /** Drops the number of the newest block: a transaction of this service was mined since it was read. */
  expectNewBlock(): void;
}

/** For this time the number of the newest block is not asked again. */
const MAX_HEAD_AGE_MS = 250;
/** Answers in the cache; a long one has some tens of kilobytes. */
const MAX_ANSWERS = 2_000;

/** An answer, and the last function that decoded it with its result. */
interface Cached {
  answer: Promise<Hex>;
  decode?: (answer: Hex) => unknown;
  decoded?: Promise<unknown>;
}

/**
 * Caches answers of views for one block. The number of the newest block is asked when somebody reads, at most every
 * `MAX_HEAD_AGE_MS`; a new block empties the cache.
 */
export function createBlockCache(rpc: Rpc): BlockCache {
  let head: { askedAt: number; block: Promise<bigint> } | null = null;
  let cache = { block: -1n, answers: new Map<string, Cached>() };

  const newestBlock = (): Promise<bigint> => {
    const now = performance.now();
    if (head && now - head.askedAt < MAX_HEAD_AGE_MS) return head.block;
    const asked = { askedAt: now, block: rpc.call<Hex>('eth_blockNumber', []).then(BigInt) };
    head = asked;
    asked.block.catch(() => {
      if (head === asked) head = null;
    });
    return asked.block;
  };

  const answersAt = (block: bigint): Map<string, Cached> => {
    // A caller that asked for the block earlier may get here later: what it reads is not cached.
    if (block < cache.block) return new Map();
    if (block !== cache.block) cache = { block, answers: new Map() };
    return cache.answers;
  };

  return {
    read: async <Answer>(to: Hex, { data, decode }: View<Answer>) => {
      const answers = answersAt(await newestBlock());
      const key = to + data;
      let known = answers.get(key);
      if (!known) {
        known = { answer: rpc.call<Hex>('eth_call', [{ to, data }, 'latest']) };
        setBounded(answers, key, known, MAX_ANSWERS);
        // That the view reverts is an answer as well.
        known.answer.catch((error: unknown) => {
          if (!(error instanceof RpcRefused && error.kind === 'reverted')) answers.delete(key);
        });
      }
      if (known.decode !== decode) {
        known.decode = decode;
        known.decoded = known.answer.then(decode);
      }
      return known.decoded as Promise<Answer>;
    },
    expectNewBlock: () => {
      head = null;
    },
  };
}
