import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Transaction } from 'ethers';

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

interface RpcRequest {
  id: number;
  method: string;
  params: unknown[];
}

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
}

export interface RpcProxy {
  url: string;
  /** How many calls met each fault. */
  counts: Record<string, number>;
  options: RpcProxyOptions;
  stop(): Promise<void>;
}

/** A JSON-RPC endpoint that misbehaves as real ones do. It never forges a receipt. */
export async function startRpcProxy(options: RpcProxyOptions): Promise<RpcProxy> {
  const counts: Record<string, number> = {};
  const pool = new Map<string, { maxFee: bigint; tip: bigint }>();
  const firstBids = new Map<string, string>();
  const proxy: RpcProxy = { url: '', counts, options, stop: async () => undefined };

  const forward = async (request: RpcRequest): Promise<{ result?: unknown; error?: unknown }> => {
    const response = await fetch(options.target, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', ...request }),
    });
    return (await response.json()) as { result?: unknown; error?: unknown };
  };

  const answer = async (
    request: RpcRequest,
  ): Promise<{ result?: unknown; error?: unknown } | 'drop' | 429 | 500> => {
    await proxy.options.before?.(request.method, request.params);
    const fault = proxy.options.faultFor(request.method, request.params);
    if (fault) counts[fault] = (counts[fault] ?? 0) + 1;
    if (fault === 'drop') return 'drop';
    if (fault === 'error-429') return 429;
    if (fault === 'error-500') return 500;
    if (fault === 'too-far') return { error: { code: -32_005, message: 'query exceeds max block range' } };
    if (fault === 'delay') await sleep(Math.random() * (proxy.options.maxDelayMs ?? 1_000));
    if (request.method === 'eth_sendRawTransaction') {
      const transaction = Transaction.from(request.params[0] as string);
      if (fault === 'withhold') return { result: transaction.hash };
      if (fault === 'pool-full') return { error: { code: -32_000, message: 'txpool is full' } };
      if (transaction.gasLimit * transaction.maxFeePerGas! > (proxy.options.feeCap ?? Infinity)) {
        counts['over-cap'] = (counts['over-cap'] ?? 0) + 1;
        return { error: { code: -32_000, message: 'tx fee exceeds the configured cap (1.00 ether)' } };
      }
      const refusal = proxy.options.gethReplacement ? refuseReplacement(pool, transaction) : null;
      if (refusal) {
        counts['underpriced'] = (counts['underpriced'] ?? 0) + 1;
        return { error: { code: -32_000, message: refusal } };
      }
      if (proxy.options.withholdFirstBids && isFirstBid(firstBids, transaction)) {
        counts['withhold'] = firstBids.size;
        remember(pool, transaction);
        return { result: transaction.hash };
      }
    }
    const reply = await forward(request);
    if (request.method === 'eth_sendRawTransaction' && !reply.error)
      remember(pool, Transaction.from(request.params[0] as string));
    if (fault === 'duplicate') await forward(request);
    if (fault === 'drop-after-forward') return 'drop';
    if (fault === 'null-receipt' && request.method === 'eth_getTransactionReceipt') return { result: null };
    if (fault === 'stale-nonce' && request.method === 'eth_getTransactionCount' && reply.result !== '0x0') {
      return { result: `0x${(BigInt(reply.result as string) - 1n).toString(16)}` };
    }
    return reply;
  };

  const server = createServer((request, response) => {
    void serve(request, response, answer).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  proxy.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  proxy.stop = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return proxy;
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  answer: (request: RpcRequest) => Promise<{ result?: unknown; error?: unknown } | 'drop' | 429 | 500>,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = JSON.parse(Buffer.concat(chunks).toString()) as RpcRequest | RpcRequest[];
  const calls = Array.isArray(body) ? body : [body];
  const replies = await Promise.all(calls.map(answer));
  // A batch is one HTTP exchange: what breaks one of its calls breaks all.
  if (replies.includes('drop')) return void response.destroy();
  const status = replies.find((reply) => typeof reply === 'number');
  if (status) return void response.writeHead(status).end(`${status}`);
  const results = replies.map((reply, index) => ({
    jsonrpc: '2.0',
    id: calls[index]!.id,
    ...(reply as object),
  }));
  response.setHeader('Content-Type', 'application/json');
  response.end(JSON.stringify(Array.isArray(body) ? results : results[0]));
}

/** geth: nothing twice, and `replacement transaction underpriced` unless both fees rise by 10 %. */
function refuseReplacement(
  pool: Map<string, { maxFee: bigint; tip: bigint }>,
  transaction: Transaction,
): string | null {
  const fees = feesOf(transaction);
  const held = pool.get(slotOf(transaction));
  if (held && held.maxFee === fees.maxFee && held.tip === fees.tip) return 'already known';
  if (held && (fees.maxFee * 100n < held.maxFee * 110n || fees.tip * 100n < held.tip * 110n)) {
    return 'replacement transaction underpriced';
  }
  return null;
}

function remember(pool: Map<string, { maxFee: bigint; tip: bigint }>, transaction: Transaction): void {
  pool.set(slotOf(transaction), feesOf(transaction));
}

const slotOf = ({ from, nonce }: Transaction): string => `${from} ${nonce}`;
const feesOf = ({ maxFeePerGas, maxPriorityFeePerGas }: Transaction) => ({
  maxFee: maxFeePerGas!,
  tip: maxPriorityFeePerGas!,
});

function isFirstBid(firstBids: Map<string, string>, transaction: Transaction): boolean {
  const slot = slotOf(transaction);
  if (!firstBids.has(slot)) firstBids.set(slot, transaction.hash!);
  return firstBids.get(slot) === transaction.hash;
}

/** Faults for a part of all calls, in equal parts. `random` answers from 0 to 1. */
export const randomFaults =
  (part: number, random: () => number = Math.random) =>
  (): Fault | null =>
    random() < part ? FAULTS[Math.floor(random() * FAULTS.length)]! : null;
