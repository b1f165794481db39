import { once } from 'node:events';
import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface PrefixProxy extends AsyncDisposable {
  /** With the prefix. */
  url: string;
}

/** A reverse proxy with its own host name and a path prefix, which it removes. */
export async function startPrefixProxy(target: string, prefix: string): Promise<PrefixProxy> {
  const server = createServer((incoming, outgoing) => {
    const { method, headers, url } = incoming;
    const upstream = forward(target + url!.slice(prefix.length), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(upstream);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}${prefix}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
