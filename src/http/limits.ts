import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';

/** A batch of 100 items under the calldata limit of 100,000 bytes fits, however its text is escaped. */
export const MAX_BODY_BYTES = 1_048_576;

export type ServerLimits = {
  /** Milliseconds to send the request line and headers. */
  headersTimeout: number;
  /** Milliseconds to send the whole request; waiting for the answer does not count. */
  requestTimeout: number;
  /** Milliseconds that a connection may stay idle between requests. */
  keepAliveTimeout: number;
  /** How often, in milliseconds, the two first are looked after. */
  connectionsCheckingInterval: number;
  /** Open connections at most; a further one is closed at once. */
  maxConnections: number;
};

export const DEFAULT_LIMITS: ServerLimits = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 60_000,
  connectionsCheckingInterval: 2_000,
  maxConnections: 10_000,
};

const refusal = (() => {
  const body = JSON.stringify({
    code: 'VALIDATION_ERROR',
    message: 'The request is not valid HTTP or came too slowly.',
  });
  return [
    'HTTP/1.1 422 Unprocessable Entity',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
})();

/** An HTTP server on which a slow or broken client costs a socket for a while, and nothing else. Not yet listening. */
export const createHttpServer = (app: RequestListener, limits: Partial<ServerLimits> = {}): Server => {
  const { maxConnections, ...timeouts } = { ...DEFAULT_LIMITS, ...limits };
  const server = createServer(timeouts, app);
  server.maxConnections = maxConnections;
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else socket.end(refusal);
  });
  return server;
};
