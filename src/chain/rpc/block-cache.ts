import type { Hex } from '../../lib/hex.ts';
import { setBounded } from '../../lib/bounded-map.ts';
import type { Rpc } from './rpc.ts';

/** What to ask a contract, and how to read its answer. */
export interface View<Answer> {
  /** Calldata. */
  data: Hex;
  decode(answer: Hex): Answer;
}

export interface BlockCache {
  /**
   * Asks a view of a contract at the newest block. Asked again while that block is the newest, it costs no call and no
   * decoding: all who ask share one answer.
   * @throws RpcUnreachable or RpcRefused, with the revert data of the view.
   */
  read<Answer>(to: Hex, view: View<Answer>): Promise<Readonly<Answer>>;
  /** Something that this service sent has been mined: the block known as the newest no longer is. */
  expectNewBlock(): void;
}

/** How old, in milliseconds, the knowledge of the newest block may be. */
const HEAD_MS = 250;
/** Returns that are kept; a long one has some tens of kilobytes. */
const MAX_ANSWERS = 2_000;

/** An answer, and how it was read the last time. */
interface Kept {
  answer: Promise<Hex>;
  decode?: (answer: Hex) => unknown;
  decoded?: Promise<unknown>;
}

/**
 * BlockCache of contracts, each asked once a block. The newest block is asked for at most every 250 ms, and only while
 * somebody reads; an answer is never older than the block known when it was asked for, so all of them end with it.
 */
export function createBlockCache(rpc: Rpc): BlockCache {
  let head: { askedAt: number; block: Promise<bigint> } | null = null;
  let kept = { block: -1n, answers: new Map<string, Kept>() };

  const newestBlock = (): Promise<bigint> => {
    const now = performance.now();
    if (head && now - head.askedAt < HEAD_MS) return head.block;
    const asked = { askedAt: now, block: rpc.call<Hex>('eth_blockNumber', []).then(BigInt) };
    head = asked;
    asked.block.catch(() => {
      if (head === asked) head = null;
    });
    return asked.block;
  };

  const answersAt = (block: bigint): Map<string, Kept> => {
    // One who asked for the block earlier may get here later: what it reads is kept for nobody.
    if (block < kept.block) return new Map();
    if (block !== kept.block) kept = { block, answers: new Map() };
    return kept.answers;
  };

  return {
    read: async <Answer>(to: Hex, { data, decode }: View<Answer>) => {
      const answers = answersAt(await newestBlock());
      const key = to + data;
      let known = answers.get(key);
      if (!known) {
        known = { answer: rpc.call<Hex>('eth_call', [{ to, data }, 'latest']) };
        setBounded(answers, key, known, MAX_ANSWERS);
        known.answer.catch(() => answers.delete(key));
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
