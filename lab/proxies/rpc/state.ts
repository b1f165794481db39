import type { Answer, Forward, Layer, RpcReply } from './endpoint.ts';

/** Place of the block among the parameters of calls that read the state. */
const BLOCK_PLACE: Record<string, number> = {
  eth_call: 1,
  eth_estimateGas: 1,
  eth_getBalance: 1,
  eth_getCode: 1,
  eth_getTransactionCount: 1,
  eth_getStorageAt: 2,
};

export const NOT_FOUND: RpcReply = { error: { code: -32_000, message: 'header not found' } };

const toHex = (number: number): string => `0x${Math.max(0, number).toString(16)}`;

/** A call of an endpoint's own to the node behind it. @throws Error when that one does not answer it */
export async function ask<Result>(forward: Forward, method: string, params: unknown[] = []): Promise<Result> {
  const answer = await forward({ id: 1, method, params });
  if (typeof answer === 'object' && !answer.error) return answer.result as Result;
  throw new Error(`${method}: ${JSON.stringify(answer)}`);
}

const headOf = async (forward: Forward): Promise<number> =>
  Number(await ask<string>(forward, 'eth_blockNumber'));

/** Number of the block that a state is asked at; null when the node does not know its hash. */
async function heightOf(block: unknown, head: number, forward: Forward): Promise<number | null> {
  if (typeof block === 'string' && /^0x[\da-f]{1,16}$/i.test(block)) return Number(block);
  const asked = block as { blockHash?: string; blockNumber?: string } | string | undefined;
  if (typeof asked !== 'object') return asked === 'earliest' ? 0 : head;
  if (asked.blockNumber !== undefined) return Number(asked.blockNumber);
  const found = await ask<{ number: string } | null>(forward, 'eth_getBlockByHash', [asked.blockHash, false]);
  return found && Number(found.number);
}

/**
 * The state is that of some blocks ago while heads and logs are new, as behind a load balancer one of whose backends
 * imports slowly. It does not know the newest blocks by hash yet.
 */
export const laggingState =
  (blocks: number): Layer =>
  async (request, forward) => {
    const place = BLOCK_PLACE[request.method];
    if (place === undefined) return forward(request);
    const newest = (await headOf(forward)) - blocks;
    const block = request.params[place];
    if (typeof block === 'object' && block !== null) {
      const height = await heightOf(block, newest, forward);
      return height !== null && height > newest ? NOT_FOUND : forward(request);
    }
    const params = [...request.params];
    params[place] = toHex(Math.min(newest, (await heightOf(block, newest, forward))!));
    return forward({ ...request, params });
  };

/** Refuses states of more than `states` blocks ago and logs of more than `logs` blocks ago, as a pruned node does. */
export const prunedNode =
  ({ states, logs }: { states: number; logs: number }): Layer =>
  async (request, forward) => {
    const head = await headOf(forward);
    const place = BLOCK_PLACE[request.method];
    if (place !== undefined) {
      const height = await heightOf(request.params[place], head, forward);
      if (height === null || height >= head - states) return forward(request);
      return {
        error: { code: -32_000, message: `missing trie node: state of block ${height} is not available` },
      };
    }
    if (request.method !== 'eth_getLogs') return forward(request);
    const [filter] = request.params as [{ blockHash?: string; fromBlock?: string }];
    const from =
      filter.blockHash === undefined ? (filter.fromBlock ?? 'latest') : { blockHash: filter.blockHash };
    const height = await heightOf(from, head, forward);
    if (height === null || height >= head - logs) return forward(request);
    return { error: { code: 4_444, message: 'pruned history unavailable' } };
  };

/** Counts of transactions are wrong by so many. */
export const wrongCounts =
  (by: number): Layer =>
  async (request, forward) =>
    request.method === 'eth_getTransactionCount'
      ? mapResult(await forward(request), (count) => toHex(Number(count) + by))
      : forward(request);

/** Counts at `latest` hold what waits in the pool, ahead of its receipts, as where a sequencer promises a place. */
export const preconfirmedCounts: Layer = (request, forward) => {
  const [address, block = 'latest'] = request.params;
  const isNewest = request.method === 'eth_getTransactionCount' && block === 'latest';
  return forward(isNewest ? { ...request, params: [address, 'pending'] } : request);
};

function mapResult(answer: Answer, change: (result: string) => unknown): Answer {
  if (typeof answer !== 'object' || answer.error || typeof answer.result !== 'string') return answer;
  return { result: change(answer.result) };
}
