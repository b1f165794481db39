import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import type { ErrorCode } from '../errors.ts';
import { endUnreadBody } from './unread-body.ts';

/** Request line and headers together. */
const MAX_HEADER_BYTES = 16_384;

export interface ServerLimits {
  /** Milliseconds to send the request line and headers. */
  headersTimeout: number;
  /** Milliseconds to send the whole request; waiting for the answer does not count. */
  requestTimeout: number;
  /** Milliseconds that a connection may stay idle between requests. */
  keepAliveTimeout: number;
  /** Milliseconds without a byte in either direction, a wait for the answer included; more than any answer takes. */
  timeout: number;
  /** How often, in milliseconds, the two first are looked after. */
  connectionsCheckingInterval: number;
  /** Open connections at most; a further one is closed at once. */
  maxConnections: number;
}

const DEFAULT_LIMITS: ServerLimits = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 60_000,
  timeout: 120_000,
  connectionsCheckingInterval: 2_000,
  maxConnections: 10_000,
};

/** Milliseconds to read why the connection ends. */
const FAREWELL_MS = 1_000;

/** Of the answers that are given before the pipeline, which has headers of its own. */
const HEADERS: Record<string, string> = {
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  Connection: 'close',
};

/** An answer to what never became a request. */
function refuse(status: string, error: { code: ErrorCode; message: string }, headers = HEADERS): string {
  const body = JSON.stringify(error);
  return [
    `HTTP/1.1 ${status}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n');
}

const NOT_HTTP = refuse('422 Unprocessable Entity', {
  code: 'VALIDATION_ERROR',
  message: 'The request is not valid HTTP.',
});

/**
 * This process, stopped meanwhile, may have been the slow one. Clients repeat a request after 429, and an earlier
 * attempt under the same key may have been accepted.
 */
const TOO_SLOW = refuse(
  '429 Too Many Requests',
  { code: 'RATE_LIMITED', message: 'The request came too slowly; send it again.' },
  { ...HEADERS, 'Retry-After': '1' },
);

const twoHosts = JSON.stringify({
  code: 'BAD_REQUEST',
  message: 'A request has one Host header, and not several.',
});

const TWO_HOSTS_HEADERS = { ...HEADERS, 'Content-Length': Buffer.byteLength(twoHosts) };

/**
 * A proxy in front may have taken another one than the one that counts here, which is why RFC 9112 wants 400 for it.
 */
function hasTwoHosts({ rawHeaders }: IncomingMessage): boolean {
  return rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host').length > 1;
}

/** An HTTP server on which a slow or broken client costs a socket for a while, and nothing else. Not yet listening. */
export function createHttpServer(app: RequestListener, limits: Partial<ServerLimits> = {}): Server {
  const { maxConnections, timeout, ...timeouts } = { ...DEFAULT_LIMITS, ...limits };
  const listen: RequestListener = (request, response) => {
    // What follows a request that ended the connection could not be answered.
    if (!request.socket.writable) return;
    endUnreadBody(request, response);
    if (hasTwoHosts(request)) response.writeHead(400, TWO_HOSTS_HEADERS).end(twoHosts);
    else app(request, response);
  };
  // Node would refuse a request without Host, or with an Expect that it does not know, in words that are not ours.
  const server = createServer(
    { ...timeouts, maxHeaderSize: MAX_HEADER_BYTES, requireHostHeader: false },
    listen,
  );
  server.on('checkExpectation', listen);
  server.timeout = timeout;
  server.maxConnections = maxConnections;
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    socket.end(error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? TOO_SLOW : NOT_HTTP);
    // It is up to the client to read and to close, but not for ever.
    setTimeout(() => socket.destroy(), FAREWELL_MS).unref();
  });
  return server;
}
