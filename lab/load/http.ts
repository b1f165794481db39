import { Agent, request } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';

export interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
  /** Milliseconds from sending to the end of the answer. */
  milliseconds: number;
}

/** One JSON POST over a kept-alive connection. */
export const post = (
  agent: Agent,
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Reply> => exchange(agent, 'POST', url, headers, JSON.stringify(body));

/** One GET, likewise. */
export const get = (agent: Agent, url: string, headers: Record<string, string> = {}): Promise<Reply> =>
  exchange(agent, 'GET', url, headers);

/** Node's own client, which costs the least on a machine that is shared. */
function exchange(
  agent: Agent,
  method: 'GET' | 'POST',
  url: string,
  headers: Record<string, string>,
  text?: string,
): Promise<Reply> {
  const content =
    text === undefined
      ? {}
      : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) };
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, agent, headers: { ...content, ...headers } }, (response) => {
      let answer = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (answer += chunk));
      response.on('end', () => {
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: answer,
          milliseconds: performance.now() - startedAt,
        });
      });
    });
    sent.on('error', reject);
    sent.end(text);
  });
}

/** An agent with exactly `connections` kept-alive connections. */
export const openAgent = (connections: number): Agent =>
  new Agent({ keepAlive: true, maxSockets: connections, maxFreeSockets: connections });

/** The value below which `share` of the values lie. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** The result in the middle by its rate; the lower one of two. */
export const median = <Result extends { perSecond: number }>(results: readonly Result[]): Result =>
  [...results].sort((a, b) => a.perSecond - b.perSecond)[Math.floor((results.length - 1) / 2)]!;
