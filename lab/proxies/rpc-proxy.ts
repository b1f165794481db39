import { setTimeout as sleep } from 'node:timers/promises';
import { Transaction } from 'ethers';
import { createTestRandom } from '../random.ts';
import type { Random } from '../random.ts';
import { startEndpoint } from './rpc/endpoint.ts';
import type { Answer, Endpoint, Layer, RpcRequest } from './rpc/endpoint.ts';

export const FAULTS = [
  'drop',
  'drop-after-forward',
  'duplicate',
  'delay',
  'error-429',
  'error-500',
  'stale-nonce',
  'null-receipt',
] as const;

/**
 * `withhold`: a transaction is taken and goes nowhere, as from a pool that drops it. `pool-full`: it is refused.
 * `too-far`: logs are not searched so far back, as by endpoints that limit the range.
 */
export type Fault = (typeof FAULTS)[number] | 'withhold' | 'pool-full' | 'too-far';

export interface RpcProxyOptions {
  target: string;
  /** Which fault, if any, meets this call. */
  faultFor(method: string, params: unknown[]): Fault | null;
  /** What has to happen before this call is forwarded. */
  before?: (method: string, params: unknown[]) => Promise<unknown> | undefined;
  /** Refuses what geth's pool refuses: a replacement with less than 110 % of either fee. */
  gethReplacement?: boolean;
  /** Refuses what geth refuses to send: transactions that may cost more than this, wei (`--rpc.txfeecap`). */
  feeCap?: bigint;
  /** Takes the first bid for each nonce as a pool does, and never lets it be mined, however often it is sent. */
  withholdFirstBids?: boolean;
  /** Longest delay, milliseconds. */
  maxDelayMs?: number;
  /** Draws the delays. */
  random?: Random;
}

export interface RpcProxy extends AsyncDisposable {
  url: string;
  /** How many calls met each fault. */
  counts: Record<string, number>;
  options: RpcProxyOptions;
  /** What else changes: further layers come before the faults. */
  endpoint: Endpoint;
  stop(): Promise<void>;
}

/** A JSON-RPC endpoint that misbehaves as real ones do. It never forges a receipt. */
export async function startRpcProxy(options: RpcProxyOptions): Promise<RpcProxy> {
  const counts: Record<string, number> = {};
  const endpoint = await startEndpoint(options.target);
  const { url, stop } = endpoint;
  const proxy: RpcProxy = { url, counts, options, endpoint, stop, [Symbol.asyncDispose]: stop };
  endpoint.onCall = async ({ method, params }) => proxy.options.before?.(method, params);
  endpoint.layers = [createFaults(proxy)];
  return proxy;
}

/** Counts what happened, once more. */
function tally({ counts }: RpcProxy, kind: string): void {
  counts[kind] = (counts[kind] ?? 0) + 1;
}

function createFaults(proxy: RpcProxy): Layer {
  const random = proxy.options.random ?? createTestRandom('delays');
  const pool = createPool(proxy);
  return async (request, forward) => {
    const { method, params } = request;
    const fault = proxy.options.faultFor(method, params);
    if (fault) tally(proxy, fault);
    if (fault === 'drop') return 'drop';
    if (fault === 'error-429') return 429;
    if (fault === 'error-500') return 500;
    if (fault === 'too-far') return { error: { code: -32_005, message: 'query exceeds max block range' } };
    if (fault === 'delay') await sleep(random.fraction() * (proxy.options.maxDelayMs ?? 1_000));
    const bid = method === 'eth_sendRawTransaction' ? readBid(request) : null;
    const refusal = bid && pool.refuse(bid, fault);
    if (refusal) return refusal;
    const reply = await forward(request);
    if (bid && typeof reply === 'object' && !reply.error) pool.take(bid);
    if (fault === 'duplicate') await forward(request);
    if (fault === 'drop-after-forward') return 'drop';
    if (fault === 'null-receipt' && method === 'eth_getTransactionReceipt') return { result: null };
    if (fault !== 'stale-nonce' || method !== 'eth_getTransactionCount' || typeof reply !== 'object')
      return reply;
    return reply.result === '0x0'
      ? reply
      : { result: `0x${(BigInt(reply.result as string) - 1n).toString(16)}` };
  };
}

/** A transaction that is sent, read once: to recover whose it is takes milliseconds. */
interface Bid {
  hash: string;
  /** Its sender and nonce. */
  key: string;
  gasLimit: bigint;
  fees: Fees;
}

interface Fees {
  maxFee: bigint;
  tip: bigint;
}

function readBid({ params }: RpcRequest): Bid {
  const { hash, from, nonce, gasLimit, maxFeePerGas, maxPriorityFeePerGas } = Transaction.from(
    params[0] as string,
  );
  const fees = { maxFee: maxFeePerGas!, tip: maxPriorityFeePerGas! };
  return { hash: hash!, key: `${from} ${nonce}`, gasLimit, fees };
}

/** The pool in front of the node's own. */
function createPool(proxy: RpcProxy) {
  const pool = new Map<string, Fees>();
  const firstBids = new Map<string, string>();
  const take = ({ key, fees }: Bid): void => void pool.set(key, fees);
  return {
    take,
    /** What it answers a transaction that goes no further; null for one that the node shall have. */
    refuse: (bid: Bid, fault: Fault | null): Answer | null => {
      const { options, counts } = proxy;
      const { hash, gasLimit, fees } = bid;
      if (fault === 'withhold') return { result: hash };
      if (fault === 'pool-full') return { error: { code: -32_000, message: 'txpool is full' } };
      if (gasLimit * fees.maxFee > (options.feeCap ?? Infinity)) {
        tally(proxy, 'over-cap');
        return { error: { code: -32_000, message: 'tx fee exceeds the configured cap (1.00 ether)' } };
      }
      const refusal = options.gethReplacement ? refuseReplacement(pool, bid) : null;
      if (refusal) {
        tally(proxy, 'underpriced');
        return { error: { code: -32_000, message: refusal } };
      }
      if (!options.withholdFirstBids || !isFirstBid(firstBids, bid)) return null;
      counts['withhold'] = firstBids.size;
      take(bid);
      return { result: hash };
    },
  };
}

/** geth: nothing twice, and `replacement transaction underpriced` unless both fees rise by 10 %. */
function refuseReplacement(pool: Map<string, Fees>, { key, fees }: Bid): string | null {
  const held = pool.get(key);
  if (held && held.maxFee === fees.maxFee && held.tip === fees.tip) return 'already known';
  if (held && (fees.maxFee * 100n < held.maxFee * 110n || fees.tip * 100n < held.tip * 110n)) {
    return 'replacement transaction underpriced';
  }
  return null;
}

function isFirstBid(firstBids: Map<string, string>, { key, hash }: Bid): boolean {
  if (!firstBids.has(key)) firstBids.set(key, hash);
  return firstBids.get(key) === hash;
}

/** Faults for a part of all calls, in equal parts. */
export const randomFaults =
  (part: number, random: Random = createTestRandom('faults')) =>
  (): Fault | null =>
    random.chance(part) ? random.pick(FAULTS) : null;
