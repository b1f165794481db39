import { Transaction } from 'ethers';
import type { BatchRule, Layer, RpcRequest } from './endpoint.ts';
import { ask } from './state.ts';

const INDEXED = new Set(['eth_getTransactionReceipt', 'eth_getTransactionByHash']);

/** A node that has just started says so of every transaction that is asked for by hash (geth, eth/api_backend.go). */
export const indexingNode: Layer = async (request, forward) =>
  INDEXED.has(request.method)
    ? { error: { code: -32_000, message: 'transaction indexing is in progress' } }
    : forward(request);

/** A sequencer has no pool: a transaction is the next one of its account, or it is refused. */
export const sequencerWithoutPool: Layer = async (request, forward) => {
  if (request.method !== 'eth_sendRawTransaction') return forward(request);
  const { from, nonce } = Transaction.from(request.params[0] as string);
  const next = Number(await ask<string>(forward, 'eth_getTransactionCount', [from, 'latest']));
  if (nonce === next) return forward(request);
  const word = nonce > next ? 'high' : 'low';
  return {
    error: { code: -32_000, message: `nonce too ${word}: address ${from}, tx: ${nonce} state: ${next}` },
  };
};

const FREE: Record<string, string> = { eth_gasPrice: '0x0', eth_maxPriorityFeePerGas: '0x0' };

/** What the node of a chain without gas prices tells of fees (Besu with `--min-gas-price=0`). */
export const gaslessNode: Layer = async (request, forward) => {
  const price = FREE[request.method];
  return price === undefined ? forward(request) : { result: price };
};

/** Takes transactions as a pool does and never lets one be mined, from the signers given or from all. */
export const withholdTransactions =
  (signers: readonly string[] | null = null): Layer =>
  async (request, forward) => {
    if (request.method !== 'eth_sendRawTransaction') return forward(request);
    const { from, hash } = Transaction.from(request.params[0] as string);
    const isMeant = signers === null || signers.includes(from!);
    return isMeant ? { result: hash } : forward(request);
  };

export const BATCH_FORMS = ['one error', 'an array with one error', 'HTTP 413', 'too many requests'] as const;
export type BatchForm = (typeof BATCH_FORMS)[number];

/** Refuses a batch of more than `limit` calls as a whole, as endpoints do in one of four ways. */
export const batchLimit =
  (form: BatchForm, limit: number): BatchRule =>
  (requests: readonly RpcRequest[]) => {
    if (requests.length <= limit) return null;
    const error = { code: -32_600, message: `batch too large: at most ${limit} calls` };
    const tooMany = { code: -32_005, message: `too many requests in one batch, at most ${limit}` };
    switch (form) {
      case 'one error':
        return { status: 200, body: { jsonrpc: '2.0', id: null, error } };
      case 'an array with one error':
        return { status: 200, body: [{ jsonrpc: '2.0', id: null, error }] };
      case 'HTTP 413':
        return { status: 413, body: '<html>413 Request Entity Too Large</html>' };
      case 'too many requests':
        return { status: 429, body: { jsonrpc: '2.0', id: null, error: tooMany } };
    }
  };
