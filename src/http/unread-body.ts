import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { MAX_BODY_BYTES } from './read-body.ts';

/** Milliseconds and bytes for a client that sends its whole body before it reads the answer. */
const FAREWELL_MS = 1_000;
const MAX_DROPPED_BYTES = 2_097_152;
const LOOK_MS = 10;

function mayBeLarge({ headers }: IncomingMessage): boolean {
  return (
    headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > MAX_BODY_BYTES
  );
}

/** Ends a connection on which more is still arriving. Closed at once, it would be reset before the answer is read. */
function sayFarewell(socket: Socket): void {
  const until = performance.now() + FAREWELL_MS;
  const most = socket.bytesRead + MAX_DROPPED_BYTES;
  socket.end();
  const timer = setInterval(() => {
    if (performance.now() > until || socket.bytesRead > most) socket.destroy();
  }, LOOK_MS);
  socket.once('close', () => clearInterval(timer));
}

/**
 * Lets an answer before the end of a large body be the last of its connection. Node would read the body to its end,
 * however long it is, to use the connection again.
 */
export function endUnreadBody(request: IncomingMessage, response: ServerResponse): void {
  if (!mayBeLarge(request)) return;
  const { shouldKeepAlive } = response;
  response.shouldKeepAlive = false;
  request.once('end', () => {
    response.shouldKeepAlive = shouldKeepAlive;
  });
  response.prependOnceListener('finish', () => {
    const { socket } = request;
    // What Node calls next, for an answer that is the last.
    if (!request.complete) socket.destroySoon = () => sayFarewell(socket);
  });
}
