import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Under another name a page may have made its own domain lead here (DNS rebinding). */
const LOCAL_HOST = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i;

const REFUSAL = JSON.stringify({
  jsonrpc: '2.0',
  id: null,
  error: { code: -32_600, message: 'The embedded chain answers programs of this machine, and no web pages' },
});

/** Whether a page of another origin asks, as far as its browser says. */
function isFromPage({ headers }: IncomingMessage): boolean {
  const { host = '', origin, 'sec-fetch-site': site } = headers;
  if (!LOCAL_HOST.test(host)) return true;
  if (origin !== undefined && origin !== `http://${host}`) return true;
  return site !== undefined && site !== 'none' && site !== 'same-origin';
}

/**
 * Refuses what web pages send to a server that has its listeners. Every page that its visitor's browser shows can reach
 * 127.0.0.1, and whoever reaches the chain owns it: it signs for its accounts, and sets balances and code.
 */
export function refusePages(server: Server): void {
  const handlers = server.listeners('request');
  server.removeAllListeners('request');
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (isFromPage(request)) response.writeHead(403, { 'content-type': 'application/json' }).end(REFUSAL);
    else for (const handle of handlers) handle.call(server, request, response);
  });
  const upgraders = server.listeners('upgrade');
  server.removeAllListeners('upgrade');
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (isFromPage(request)) socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n');
    else for (const upgrade of upgraders) upgrade.call(server, request, socket, head);
  });
}
