import { setTimeout as sleep } from 'node:timers/promises';
import type { Hex } from '../../lib/hex.ts';
import type { Call } from './batch.ts';
import { OtherChain, RpcUnreachable, unlessRefused } from './errors.ts';
import type { ChainKnowledge } from './knowledge.ts';

/** A check that takes this long is begun anew beside the first one: every call waits for it. */
const SLOW_CHECK_MS = 1_000;
/** After a failure, an endpoint is not asked for this time when another one can be. */
const DOWN_MS = 10_000;

/** One of several endpoints for the same chain. */
export interface Alternative {
  ask(call: Call): Promise<unknown>;
  /** @throws RpcUnreachable or RpcRefused */
  chainId(): Promise<bigint>;
  /**
   * Checks the endpoint before its first use, after `distrust` and after a check that failed: its chain, and that it
   * has all blocks that another one has shown. Resolves at once in between, and before the chain is identified.
   * @throws RpcUnreachable when it is not fit for use, OtherChain among them
   */
  assertFit(): Promise<void>;
  /**
   * Whatever it is, before the chain is identified.
   * @param asked its answer to `eth_chainId`, where it is asked already. @throws OtherChain, RpcUnreachable or
   * RpcRefused
   */
  checkChain(asked?: Promise<unknown>): Promise<void>;
  /**
   * Asks for its chain, and returns the number of its newest block. @throws OtherChain, RpcUnreachable or RpcRefused
   */
  look(): Promise<bigint>;
  /** A look has shown that it is fit. */
  trust(): void;
  /** The endpoint failed, or is not fit: it may be another node when it is back. */
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
  let failedAt = -Infinity;
  /** What is known of the newest block may be from it. */
  let hasShown = false;

  const note = (newestBlock: bigint): void => {
    if (newestBlock === 0n) return;
    hasShown = true;
    knowledge.shown(newestBlock);
  };
  const ask = async (call: Call): Promise<unknown> => {
    const answer = await send(call);
    note(newestBlockIn(call, answer));
    return answer;
  };
  const askFor = <Answer>(method: string, params: readonly unknown[] = []): Promise<Answer> =>
    ask({ method, params, deadline: performance.now() + timeoutMs }) as Promise<Answer>;
  const chainId = async (asked: Promise<unknown> = askFor('eth_chainId')): Promise<bigint> =>
    BigInt((await asked) as Hex);
  const genesisHash = async (): Promise<Hex | null> => {
    const asked = askFor<{ hash: Hex } | null>('eth_getBlockByNumber', ['0x0', false]);
    return (await unlessRefused(asked))?.hash ?? null;
  };

  /** A contract's count is 1 from its creation on (EIP-161), and smaller to send than its code. */
  const lacksContract = async (address: Hex): Promise<boolean> => {
    const count = await unlessRefused(askFor<Hex>('eth_getTransactionCount', [address, 'latest']));
    if (count === null || BigInt(count) > 0n) return false;
    // One that came with the genesis block, or that a node was told to put there, has none.
    return (await unlessRefused(askFor<Hex>('eth_getCode', [address, 'latest']))) === '0x';
  };

  /** Its blocks are of another chain, where every endpoint of this one would seem to be behind. */
  const forgetShown = (): void => {
    if (hasShown) knowledge.forget();
    hasShown = false;
  };
  const checkChain = async (asked?: Promise<unknown>): Promise<void> => {
    const { chainId: knownChain, genesisHash: knownGenesis, contract } = knowledge;
    if (knownChain === null) return;
    const [chain, genesis, isGone] = await Promise.all([
      chainId(asked),
      knownGenesis && genesisHash(),
      contract !== null && lacksContract(contract),
    ]);
    const isOther = genesis !== null && genesis !== knownGenesis;
    if (chain === knownChain && !isOther && !isGone) return;
    forgetShown();
    if (chain !== knownChain) throw OtherChain.ofId(knownChain, chain);
    throw isOther ? OtherChain.ofGenesis(chain) : OtherChain.ofContracts();
  };
  const check = async (): Promise<void> => {
    await checkChain();
    if (isOnly) return;
    const newest = knowledge.newestBlock;
    const number = BigInt(await askFor<Hex>('eth_blockNumber'));
    if (number >= newest) return;
    if (knowledge.isNewestFresh()) {
      throw new RpcUnreachable(`the endpoint is at block ${number}, behind block ${newest}`);
    }
    // Nobody shows it any more, and no node lags for so long: the chain has lost blocks.
    knowledge.lost(number);
  };

  const distrust = (): void => {
    fit = null;
    failedAt = performance.now();
  };
  return {
    ...{ ask, checkChain, chainId: () => chainId() },
    assertFit: async () => {
      if (knowledge.chainId === null) return;
      const checked = (fit ??= repeatWhileSlow(check));
      try {
        await checked;
      } catch (error) {
        if (fit === checked) distrust();
        throw asUnreachable(error);
      }
    },
    look: async () => {
      const call = { method: 'eth_blockNumber', params: [], deadline: performance.now() + timeoutMs };
      // Calls of one turn are one batch, which one backend answers. The block counts once the chain is the right one.
      const [answer] = await Promise.all([send(call), checkChain()]);
      const number = newestBlockIn(call, answer);
      note(number);
      return number;
    },
    trust: () => {
      fit = Promise.resolve();
    },
    distrust,
    isDown: () => performance.now() - failedAt < DOWN_MS,
  };
}

const asUnreachable = (error: unknown): RpcUnreachable =>
  error instanceof RpcUnreachable
    ? error
    : new RpcUnreachable(error instanceof Error ? error.message : String(error));

/** Resolves with the first of one or more checks: another one begins after each `SLOW_CHECK_MS`. */
async function repeatWhileSlow(check: () => Promise<void>): Promise<void> {
  const checks = [check()];
  const waiting = Symbol('waiting');
  while ((await Promise.race([...checks, sleep(SLOW_CHECK_MS, waiting, { ref: false })])) === waiting) {
    checks.push(check());
  }
}

/** Returns the number of the newest block when a call asked for that; else 0. */
function newestBlockIn({ method, params }: Call, answer: unknown): bigint {
  if (method === 'eth_blockNumber') return BigInt(answer as string);
  if (method !== 'eth_getBlockByNumber' || params[0] !== 'latest') return 0n;
  return BigInt((answer as { number?: string } | null)?.number ?? 0);
}
