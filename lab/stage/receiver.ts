import { createServer } from 'node:http';
import type { IncomingHttpHeaders, RequestListener, ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import { Webhook } from 'standardwebhooks';
import type { Identity } from './authority.ts';

/** A received message. */
export interface Received {
  id: string;
  path: string;
  /** The server name of the TLS handshake; undefined without TLS. */
  servername: TLSSocket['servername'] | undefined;
  headers: IncomingHttpHeaders;
  body: string;
  message: { type: string; timestamp: string; sequence: number; data: Record<string, unknown> };
}

export interface Receiver extends AsyncDisposable {
  /** The URL of a path, one for each webhook: `urlOf('shop')`. */
  urlOf(path: string): string;
  received: Received[];
  /** Sets the answer from now on; 204 at first. */
  answer(how: (response: ServerResponse, message: Received) => void): void;
  /** Waits until `count` messages fit. @throws Error after five minutes, with all messages. */
  waitForMessages(count: number, fits?: (message: Received) => boolean): Promise<Received[]>;
  stop(): Promise<void>;
}

/** A server that webhooks lead to: at 127.0.0.1, or with an identity over TLS at localhost. */
export async function startReceiver(identity?: Identity): Promise<Receiver> {
  const received: Received[] = [];
  const accept = (response: ServerResponse): void => void response.writeHead(204).end();
  let answer: Parameters<Receiver['answer']>[0] = accept;
  const listener: RequestListener = (request, response) => {
    void text(request).then((body) => {
      const message: Received = {
        id: String(request.headers['webhook-id']),
        path: request.url!.slice(1),
        servername: (request.socket as Partial<TLSSocket>).servername,
        headers: request.headers,
        body,
        message: JSON.parse(body) as Received['message'],
      };
      received.push(message);
      answer(response, message);
    });
  };
  const host = identity ? 'localhost' : '127.0.0.1';
  const server = identity ? createTlsServer(identity, listener) : createServer(listener);
  server.listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return {
    urlOf: (path) => `${identity ? 'https' : 'http'}://${host}:${port}/${path}`,
    received,
    answer: (how) => {
      answer = how;
    },
    waitForMessages: async (count, fits = () => true) => {
      for (let look = 0; look < 6_000; look += 1) {
        const found = received.filter(fits);
        if (found.length >= count) return found;
        await sleep(50);
      }
      throw new Error(`${count} messages were waited for, these came: ${JSON.stringify(received)}`);
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** Whether this secret signed the message, checked by the library that receivers use. */
export function isSignedWith(secret: string, { body, headers }: Received): boolean {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}
