import { FetchRequest, JsonRpcProvider, Network } from 'ethers';

/** No endpoint answered: nothing is known about the call, least of all that it had no effect. */
export class RpcUnreachable extends Error {
  override readonly name = 'RpcUnreachable';
}

/** An endpoint answered, and its answer is an error. */
export class RpcRefused extends Error {
  override readonly name = 'RpcRefused';
  readonly rpcCode: number | undefined;
  /** Revert data, when the node gave it. */
  readonly data: string | undefined;
  constructor(message: string, rpcCode: number | undefined, data: string | undefined) {
    super(message);
    this.rpcCode = rpcCode;
    this.data = data;
  }
}

export interface Rpc {
  /**
   * One JSON-RPC call, tried at each endpoint once, beginning with the one that answered last.
   * @throws RpcUnreachable when none answers, RpcRefused when one answers with an error.
   */
  call<T>(method: string, params: readonly unknown[]): Promise<T>;
  /** Milliseconds since every endpoint has been out of reach; 0 while one answers. */
  unreachableForMs(): number;
  /** Calls by method since the start, attempts at further endpoints included. */
  counts(): Readonly<Record<string, number>>;
  close(): void;
}

const TIMEOUT_MS = 10_000;
/** EIP-1474's and geth's codes for limits and inner trouble: the endpoint cannot answer, another one may. */
const ENDPOINT_TROUBLE = new Set([-32005, -32603, -32097]);

/** Opens JSON-RPC endpoints for one chain; several URLs are alternatives for one another. */
export function createRpc(
  urls: readonly string[],
  { timeoutMs = TIMEOUT_MS }: { timeoutMs?: number } = {},
): Rpc {
  // ethers would wait for eth_chainId before each first call and hold calls back for 10 ms to batch them;
  // the network is given (the start checks the chain id), and only calls of one turn of the loop are batched.
  const network = Network.from(1);
  const providers = urls.map((url) => {
    const request = new FetchRequest(url);
    request.timeout = timeoutMs;
    request.setThrottleParams({ maxAttempts: 1 });
    return new JsonRpcProvider(request, network, {
      staticNetwork: network,
      batchStallTime: 0,
      batchMaxCount: 100,
    });
  });
  let preferred = 0;
  let unreachableSince: number | null = null;
  const counts: Record<string, number> = {};

  return {
    call: async <T>(method: string, params: readonly unknown[]): Promise<T> => {
      let failure: RpcUnreachable | RpcRefused | undefined;
      for (let turn = 0; turn < providers.length; turn += 1) {
        const index = (preferred + turn) % providers.length;
        counts[method] = (counts[method] ?? 0) + 1;
        try {
          const answer = (await providers[index]!.send(method, [...params])) as T;
          preferred = index;
          unreachableSince = null;
          return answer;
        } catch (error) {
          failure = classify(error, method);
          if (failure instanceof RpcRefused && !ENDPOINT_TROUBLE.has(failure.rpcCode ?? 0)) {
            preferred = index;
            unreachableSince = null;
            throw failure;
          }
        }
      }
      if (failure instanceof RpcUnreachable) unreachableSince ??= Date.now();
      throw failure!;
    },
    unreachableForMs: () => (unreachableSince === null ? 0 : Date.now() - unreachableSince),
    counts: () => ({ ...counts }),
    close: () => providers.forEach((provider) => provider.destroy()),
  };
}

/** ethers wraps a node's error in its own; the node's own words are what the log and the rules need. */
function classify(error: unknown, method: string): RpcUnreachable | RpcRefused {
  const found = findRpcError(error, 0);
  if (found) return new RpcRefused(found.message, found.code, found.data);
  const message = error instanceof Error ? error.message : String(error);
  return new RpcUnreachable(`${method}: ${message}`);
}

interface RpcErrorBody {
  code?: number;
  message: string;
  data?: string;
}

function findRpcError(value: unknown, depth: number): RpcErrorBody | undefined {
  if (typeof value !== 'object' || value === null || depth > 4) return undefined;
  const record = value as Record<string, unknown>;
  if (typeof record.code === 'number' && typeof record.message === 'string') {
    return { code: record.code, message: record.message, ...revertData(record.data) };
  }
  return findRpcError(record.info, depth + 1) ?? findRpcError(record.error, depth + 1);
}

/** geth and anvil give revert data as a string, Hardhat inside an object. */
function revertData(data: unknown): { data?: string } {
  if (typeof data === 'string') return { data };
  if (typeof data === 'object' && data !== null && 'data' in data && typeof data.data === 'string') {
    return { data: data.data };
  }
  return {};
}
