import { createServer } from 'node:http';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';

/** A message as it came in. */
export interface Received {
  id: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  message: { type: string; timestamp: string; data: Record<string, unknown> };
}

export interface Receiver {
  /** Of a path of its own for each webhook: `urlOf('shop')`. */
  urlOf(path: string): string;
  received: Received[];
  /** What is answered from now on; 204 at first. */
  answer(how: (response: ServerResponse, message: Received) => void): void;
  /** Waits until so many messages have come that fit. @throws Error after half a minute, with what came. */
  waitFor(count: number, fits?: (message: Received) => boolean): Promise<Received[]>;
  stop(): Promise<void>;
}

/** A server that webhooks lead to. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const accept = (response: ServerResponse): void => void response.writeHead(204).end();
  let answer: Parameters<Receiver['answer']>[0] = accept;
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const message: Received = {
        id: String(request.headers['webhook-id']),
        path: request.url!.slice(1),
        headers: request.headers,
        body,
        message: JSON.parse(body) as Received['message'],
      };
      received.push(message);
      answer(response, message);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    urlOf: (path) => `http://127.0.0.1:${port}/${path}`,
    received,
    answer: (how) => {
      answer = how;
    },
    waitFor: async (count, fits = () => true) => {
      for (let look = 0; look < 600; look += 1) {
        const found = received.filter(fits);
        if (found.length >= count) return found;
        await sleep(50);
      }
      throw new Error(`${count} messages were waited for, these came: ${JSON.stringify(received)}`);
    },
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Whether this secret signed the message, by the library that receivers use. */
export function isSignedWith(secret: string, { body, headers }: Received): boolean {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}
