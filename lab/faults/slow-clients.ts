import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { send, serve } from '../stage/serve.ts';
import type { Fault } from './outcome.ts';

interface SlowClientsReport {
  /** Slow connections that were open when the others' requests began. */
  held: number;
  /** Of the others' requests, milliseconds. */
  p99: number;
  /** The others' answers by status. */
  statuses: Record<number, number>;
  /** Slow connections that were never closed. */
  left: number;
}

const REQUESTS = 300;
/** On a busy machine there are fewer: the slow connections are closed in the end. */
const REQUESTS_MS = 8_000;

const STARTS = [
  'GET /health HTTP/1.1\r\nHost: a\r\nX-Slow: ',
  'POST /auth/signin HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{',
  'POST /auth/signin HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nffff\r\n',
  '',
];

/** Holds connections that send a byte now and then, while another client works. */
export async function runSlowClients(connections: number): Promise<SlowClientsReport> {
  await using service = await serve({ limits: { headersTimeout: 15_000, requestTimeout: 15_000 } });
  const sockets = new Set<Socket>();
  for (let index = 0; index < connections; index += 1) {
    const socket = connect(service.port, '127.0.0.1');
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    sockets.add(socket);
    socket.write(STARTS[index % STARTS.length]!);
    if (index % 200 === 199) await once(socket, 'connect');
  }
  let turn = 0;
  const drip = setInterval(() => {
    // Every socket once a second, and not all in one go: the clients live in this process too.
    turn = (turn + 1) % 20;
    for (const [index, socket] of [...sockets].entries()) {
      if (index % 20 === turn && socket.writable) socket.write('a');
    }
  }, 50);

  const held = sockets.size;
  const statuses: Record<number, number> = {};
  const times: number[] = [];
  const begin = performance.now();
  while (times.length < REQUESTS && performance.now() - begin < REQUESTS_MS) {
    const started = performance.now();
    const { status } = await send(service, 'GET /me', { as: 'access' });
    statuses[status] = (statuses[status] ?? 0) + 1;
    times.push(performance.now() - started);
  }
  times.sort((a, b) => a - b);
  const p99 = times[Math.floor(times.length * 0.99)]!;
  for (let look = 0; look < 300 && sockets.size > 0; look += 1) await sleep(100);
  clearInterval(drip);
  return { held, p99, statuses, left: sockets.size };
}

const MAX_P99_MS = 500;

/** Connections that send a byte now and then. */
export const slowClients: Fault = async ({ scaled }) => {
  const connections = scaled(2_000);
  const { held, p99, left } = await runSlowClients(connections);
  return {
    made: `${connections} connections, a byte a second`,
    judgement: null,
    note: `${held} held, others' p99 ${p99.toFixed(1)} ms`,
    flaws: [
      ...(p99 < MAX_P99_MS ? [] : [`p99 of the others ${p99.toFixed(1)} ms`]),
      ...(left === 0 ? [] : [`${left} never closed`]),
    ],
  };
};
