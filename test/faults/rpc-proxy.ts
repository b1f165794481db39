import { setTimeout as sleep } from 'node:timers/promises';
import { Transaction } from 'ethers';
import { createTestRandom } from './random.ts';
import type { Random } from './random.ts';
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
    if (fault === 'delay') await sleep(random.next() * (proxy.options.maxDelayMs ?? 1_000));
    if (method === 'eth_sendRawTransaction') {
      const refusal = pool.refuse(request, fault);
      if (refusal) return refusal;
    }
    const reply = await forward(request);
    if (method === 'eth_sendRawTransaction' && typeof reply === 'object' && !reply.error) pool.take(request);
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

/** The pool in front of the node's own. */
function createPool(proxy: RpcProxy) {
  const pool = new Map<string, { maxFee: bigint; tip: bigint }>();
  const firstBids = new Map<string, string>();
  const read = ({ params }: RpcRequest): Transaction => Transaction.from(params[0] as string);
  return {
    take: (request: RpcRequest): void => addToPool(pool, read(request)),
    /** What it answers a transaction that goes no further; null for one that the node shall have. */
    refuse: (request: RpcRequest, fault: Fault | null): Answer | null => {
      const { options, counts } = proxy;
      const transaction = read(request);
      if (fault === 'withhold') return { result: transaction.hash };
      if (fault === 'pool-full') return { error: { code: -32_000, message: 'txpool is full' } };
      if (transaction.gasLimit * transaction.maxFeePerGas! > (options.feeCap ?? Infinity)) {
        tally(proxy, 'over-cap');
        return { error: { code: -32_000, message: 'tx fee exceeds the configured cap (1.00 ether)' } };
      }
      const refusal = options.gethReplacement ? refuseReplacement(pool, transaction) : null;
      if (refusal) {
        tally(proxy, 'underpriced');
        return { error: { code: -32_000, message: refusal } };
      }
      if (!options.withholdFirstBids || !isFirstBid(firstBids, transaction)) return null;
      counts['withhold'] = firstBids.size;
      addToPool(pool, transaction);
      return { result: transaction.hash };
    },
  };
}

/** geth: nothing twice, and `replacement transaction underpriced` unless both fees rise by 10 %. */
function refuseReplacement(
  pool: Map<string, { maxFee: bigint; tip: bigint }>,
  transaction: Transaction,
): string | null {
  const fees = feesOf(transaction);
  const held = pool.get(nonceKeyOf(transaction));
  if (held && held.maxFee === fees.maxFee && held.tip === fees.tip) return 'already known';
  if (held && (fees.maxFee * 100n < held.maxFee * 110n || fees.tip * 100n < held.tip * 110n)) {
    return 'replacement transaction underpriced';
  }
  return null;
}

function addToPool(pool: Map<string, { maxFee: bigint; tip: bigint }>, transaction: Transaction): void {
  pool.set(nonceKeyOf(transaction), feesOf(transaction));
}

const nonceKeyOf = ({ from, nonce }: Transaction): string => `${from} ${nonce}`;
const feesOf = ({ maxFeePerGas, maxPriorityFeePerGas }: Transaction) => ({
  maxFee: maxFeePerGas!,
  tip: maxPriorityFeePerGas!,
});

function isFirstBid(firstBids: Map<string, string>, transaction: Transaction): boolean {
  const key = nonceKeyOf(transaction);
  if (!firstBids.has(key)) firstBids.set(key, transaction.hash!);
  return firstBids.get(key) === transaction.hash;
}

/** Faults for a part of all calls, in equal parts. */
export const randomFaults =
  (part: number, random: Random = createTestRandom('faults')) =>
  (): Fault | null =>
    random.chance(part) ? random.pick(FAULTS) : null;
