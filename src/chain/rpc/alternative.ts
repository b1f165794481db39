import { setTimeout as sleep } from 'node:timers/promises';
import type { Call } from './batch.ts';
import { RpcUnreachable } from './errors.ts';

/** An endpoint that is still behind after this time is believed. Less than the time after which a chain is given up. */
const LAG_TIMEOUT_MS = 8_000;
/** A check that takes this long is begun anew beside the first one: every call waits for it. */
const SLOW_CHECK_MS = 1_000;
/** After a failure, an endpoint is not asked for this time when another one can be. */
const DOWN_MS = 10_000;

/** What all endpoints of one chain have shown. */
export interface ChainKnowledge {
  /** Null before the chain is identified: any chain will do. */
  chainId: bigint | null;
  /** Number of the newest block that any endpoint has shown. */
  newestBlock: bigint;
}

/** One of several endpoints for the same chain. */
export interface Alternative {
  ask(call: Call): Promise<unknown>;
  /** @throws RpcUnreachable or RpcRefused */
  chainId(): Promise<bigint>;
  /** Number of the newest block. @throws RpcUnreachable or RpcRefused */
  blockNumber(): Promise<bigint>;
  /**
   * Checks the endpoint before its first use and after `distrust`: its chain, and that it has all blocks that another
   * one has shown. Resolves at once in between, and before the chain is identified.
   * @throws RpcUnreachable when it is not fit for use
   */
  assertFit(): Promise<void>;
  /** Whether it is on this chain and shows this block or a later one: it may take over from the endpoint that shows it. */
  isLevelWith(block: bigint): Promise<boolean>;
  /** The endpoint failed: it may be another node when it is back. */
  distrust(): void;
  /** Whether it failed a short time ago. */
  isDown(): boolean;
}

/**
 * Wraps an endpoint.
 * @param isOnly there is no other endpoint that it could be behind
 * @param timeoutMs of the calls of a check
 */
export function createAlternative(
  send: (call: Call) => Promise<unknown>,
  knowledge: ChainKnowledge,
  { isOnly, timeoutMs }: { isOnly: boolean; timeoutMs: number },
): Alternative {
  let fit: Promise<void> | null = null;
  /** Since when it is known to be behind, of the monotonic clock, in milliseconds. */
  let laggingSince: number | null = null;
  let failedAt = -Infinity;

  const ask = async (call: Call): Promise<unknown> => {
    const answer = await send(call);
    knowledge.newestBlock = max(knowledge.newestBlock, newestBlockIn(call, answer));
    return answer;
  };
  const askNumber = async (method: string): Promise<bigint> =>
    BigInt((await ask({ method, params: [], deadline: performance.now() + timeoutMs })) as string);
  const chainId = (): Promise<bigint> => askNumber('eth_chainId');
  const blockNumber = (): Promise<bigint> => askNumber('eth_blockNumber');

  const check = async (): Promise<void> => {
    const chain = await chainId();
    if (chain !== knowledge.chainId) {
      throw new Error(`the endpoint answers for chain ${chain}, not ${knowledge.chainId}`);
    }
    if (isOnly) return;
    const newest = knowledge.newestBlock;
    const number = await blockNumber();
    if (number < newest) {
      laggingSince ??= performance.now();
      if (performance.now() - laggingSince < LAG_TIMEOUT_MS) {
        throw new Error(`the endpoint is at block ${number}, behind block ${newest}`);
      }
      // No node lags for so long: the chain has lost blocks.
      knowledge.newestBlock = number;
    }
    laggingSince = null;
  };

  return {
    ...{ ask, chainId, blockNumber },
    assertFit: async () => {
      if (knowledge.chainId === null) return;
      try {
        await (fit ??= repeatWhileSlow(check));
      } catch (error) {
        throw new RpcUnreachable(error instanceof Error ? error.message : String(error));
      }
    },
    isLevelWith: async (block) => {
      const [chain, number] = await Promise.all([chainId(), blockNumber()]);
      if (chain !== knowledge.chainId || number < block) return false;
      laggingSince = null;
      fit = Promise.resolve();
      return true;
    },
    distrust: () => {
      fit = null;
      failedAt = performance.now();
    },
    isDown: () => performance.now() - failedAt < DOWN_MS,
  };
}

/** Resolves with the first of one or more checks: another one begins after each `SLOW_CHECK_MS`. */
async function repeatWhileSlow(check: () => Promise<void>): Promise<void> {
  const checks = [check()];
  const waiting = Symbol('waiting');
  while ((await Promise.race([...checks, sleep(SLOW_CHECK_MS, waiting, { ref: false })])) === waiting) {
    checks.push(check());
  }
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

/** Returns the number of the newest block when a call asked for that; else 0. */
function newestBlockIn({ method, params }: Call, answer: unknown): bigint {
  if (method === 'eth_blockNumber') return BigInt(answer as string);
  if (method !== 'eth_getBlockByNumber' || params[0] !== 'latest') return 0n;
  return BigInt((answer as { number?: string } | null)?.number ?? 0);
}
