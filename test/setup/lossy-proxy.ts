import { once } from 'node:events';
import { createServer, request as forward } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listen } from './listen.ts';

/**
 * What becomes of a request: passed on, not passed on, passed on and its answer lost or never given, or answered by the
 * proxy itself.
 */
export type Fault =
  | 'none'
  | 'lose request'
  | 'lose reply'
  | 'cut reply'
  | 'hold reply'
  | { status: number; headers?: Record<string, string>; body: string };

export interface LossyProxy extends AsyncDisposable {
  url: string;
  /** What came, in this order. */
  requests: { method: string; path: string; key: string | undefined }[];
}

/**
 * A proxy in front of a service that loses requests and replies.
 * @param choose what becomes of a request; `attempt` counts those with the same key, path and method from 1
 */
export async function startLossyProxy(
  target: string,
  choose: (request: { method: string; path: string; key: string | undefined; attempt: number }) => Fault,
): Promise<LossyProxy> {
  const attempts = new Map<string, number>();
  const requests: LossyProxy['requests'] = [];
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url: path = '', headers } = request;
    const key = headers['idempotency-key'] as string | undefined;
    const name = `${method} ${path} ${key}`;
    const attempt = (attempts.get(name) ?? 0) + 1;
    attempts.set(name, attempt);
    requests.push({ method, path, key });
    const fault = choose({ method, path, key, attempt });
    const body = await buffer(request);
    if (fault === 'lose request') return void request.socket.destroy();
    if (typeof fault === 'object')
      return void response.writeHead(fault.status, fault.headers).end(fault.body);
    const upstream = forward(target + path, { method, headers });
    upstream.end(body);
    const [answer] = (await once(upstream, 'response')) as [IncomingMessage];
    const reply = await buffer(answer);
    if (fault === 'lose reply') return void request.socket.destroy();
    if (fault === 'hold reply') return;
    response.writeHead(answer.statusCode ?? 0, answer.headers);
    if (fault === 'none') return void response.end(reply);
    response.write(reply.subarray(0, reply.length / 2), () => request.socket.destroy());
  };
  const server = createServer((request, response) => {
    serve(request, response).catch(() => request.socket.destroy());
  });
  return { ...(await listen(server)), requests };
}
