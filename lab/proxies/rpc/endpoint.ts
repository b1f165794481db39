import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

export interface RpcRequest {
  id: number;
  method: string;
  params: unknown[];
}

export interface RpcReply {
  result?: unknown;
  error?: { code: number; message: string };
}

/** A reply, or what becomes of the HTTP exchange instead: the connection is cut, or a status without a reply. */
export type Answer = RpcReply | 'drop' | number;

export type Forward = (request: RpcRequest) => Promise<Answer>;

/** One way in which an endpoint differs from a node that behaves: answers itself, or changes what comes back. */
export type Layer = (request: RpcRequest, forward: Forward) => Promise<Answer>;

/** What an endpoint says to a whole HTTP request, before it looks at single calls; null: nothing. */
export type BatchRule = (requests: readonly RpcRequest[]) => { status: number; body: unknown } | null;

export interface Endpoint {
  url: string;
  /** URL of the node behind it. */
  target: string;
  /** The first one meets a call first. */
  layers: Layer[];
  batchRule: BatchRule | null;
  /** Waited for before each call is answered. */
  onCall: (request: RpcRequest) => Promise<unknown>;
  /** Calls by method. */
  calls: Record<string, number>;
  /** HTTP requests. */
  trips: number;
  stop(): Promise<void>;
}

/** A JSON-RPC endpoint in front of a real node. */
export async function startEndpoint(target: string): Promise<Endpoint> {
  const endpoint: Endpoint = {
    url: '',
    target,
    layers: [],
    batchRule: null,
    onCall: async () => undefined,
    calls: {},
    trips: 0,
    stop: async () => undefined,
  };
  const answer = async (request: RpcRequest): Promise<Answer> => {
    endpoint.calls[request.method] = (endpoint.calls[request.method] ?? 0) + 1;
    await endpoint.onCall(request);
    const direct: Forward = (asked) => askNode(endpoint.target, asked);
    return endpoint.layers.reduceRight<Forward>(
      (next, layer) => (asked) => layer(asked, next),
      direct,
    )(request);
  };
  const server = createServer((request, response) => {
    endpoint.trips += 1;
    void serve(request, response, endpoint, answer).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  endpoint.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  endpoint.stop = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return endpoint;
}

/** Hands a call on to a node as it is. */
export async function askNode(url: string, request: RpcRequest): Promise<RpcReply> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ ...request, jsonrpc: '2.0' }),
  });
  return (await response.json()) as RpcReply;
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  { batchRule }: Endpoint,
  answer: Forward,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = JSON.parse(Buffer.concat(chunks).toString()) as RpcRequest | RpcRequest[];
  const calls = Array.isArray(body) ? body : [body];
  const refusal = batchRule?.(calls);
  if (refusal) {
    const text = typeof refusal.body === 'string' ? refusal.body : JSON.stringify(refusal.body);
    return void response.writeHead(refusal.status, { 'Content-Type': 'application/json' }).end(text);
  }
  const replies = await Promise.all(calls.map(answer));
  // A batch is one HTTP exchange: what breaks one of its calls breaks all.
  if (replies.includes('drop')) return void response.destroy();
  const status = replies.find((reply) => typeof reply === 'number');
  if (status !== undefined) return void response.writeHead(status).end(`${status}`);
  const results = replies.map((reply, index) => ({
    ...(reply as RpcReply),
    jsonrpc: '2.0',
    id: calls[index]!.id,
  }));
  response.setHeader('Content-Type', 'application/json');
  response.end(JSON.stringify(Array.isArray(body) ? results : results[0]));
}
