import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer } from 'node:net';
import type { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';

export interface DrainTimes {
  /** Milliseconds in which an idle connection may still bring a request: one that is already on its way is answered. */
  idleMs: number;
  /** After so many milliseconds `hurry` is called: waiting requests are to be answered now. */
  hurryMs: number;
  /** Whoever has not read the answer after so many milliseconds is cut off. */
  cutMs: number;
}

const DEFAULT_TIMES: DrainTimes = { idleMs: 2_000, hurryMs: 5_000, cutMs: 15_000 };

/** A busy event loop is let go on for so many turns at the most. */
const MAX_TURNS = 1_000;
const IDLE_TURN_MS = 1;

/**
 * Lets the event loop look at its sockets until it finds nothing: connections and requests that arrived while it was
 * busy are in the kernel's queues, and closing would reset them. It may take a single connection in each turn (libuv).
 * @param countArrived connections and requests so far
 */
async function takeWhatArrived(countArrived: () => number): Promise<void> {
  await turn();
  for (let turns = 0; turns < MAX_TURNS; turns += 1) {
    const began = performance.now();
    const before = countArrived();
    await turn();
    if (countArrived() === before && performance.now() - began < IDLE_TURN_MS) return;
  }
}

/**
 * Makes the graceful end of a server. Node's own closes idle connections at once, and a request that is on its way to
 * one of them is then answered with a reset. Here new connections are refused, every answer from then on says that it
 * is the last of its connection (and not before, or clients would connect again while it still listens), and what is
 * still idle a while later is closed.
 * Call it before the server listens.
 */
export function prepareDrain(
  server: Server,
): (hurry: () => void, times?: Partial<DrainTimes>) => Promise<void> {
  // By connection: a Set of all responses is made anew for each hundred of them, and what has outlived two collections
  // in one keeps all later ones, with their requests, until the next full collection.
  const newest = new Map<Socket, ServerResponse>();
  let draining = false;
  const sayGoodbye = (response: ServerResponse): void => {
    if (!response.headersSent) response.setHeader('Connection', 'close');
  };
  let arrived = 0;
  const countArrived = (): number => arrived;
  server.on('connection', (socket: Socket) => {
    arrived += 1;
    socket.once('close', () => newest.delete(socket));
  });
  server.prependListener('request', ({ socket }, response: ServerResponse) => {
    arrived += 1;
    newest.set(socket, response);
    if (draining) sayGoodbye(response);
  });

  return async (hurry, times = {}) => {
    const { idleMs, hurryMs, cutMs } = { ...DEFAULT_TIMES, ...times };
    const closed = once(server, 'close');
    await takeWhatArrived(countArrived);
    // The base class stops listening, and leaves the connections alone.
    NetServer.prototype.close.call(server);
    draining = true;
    for (const response of newest.values()) sayGoodbye(response);
    const timers = [
      setTimeout(() => void takeWhatArrived(countArrived).then(() => server.closeIdleConnections()), idleMs),
      setTimeout(hurry, hurryMs),
      setTimeout(() => server.closeAllConnections(), cutMs),
    ];
    await closed;
    timers.forEach(clearTimeout);
    server.close();
  };
}
