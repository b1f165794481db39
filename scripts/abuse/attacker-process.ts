import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Flood, Flooded } from './attacker.ts';

/** The process of an attacker: makes one flood after the other. */

/** Of the networks for measurements (RFC 2544), those that nobody else uses. */
const addressOf = (connection: number): string => `198.19.${connection >> 8}.${connection & 255}`;

async function flood(plan: Flood): Promise<Flooded> {
  const { port, connections, forMs, pauseMs = 0, head, body, isEndless = false } = plan;
  const open = new Set<Socket>();
  const statuses: Record<string, number> = {};
  const count = (status: string): void => void (statuses[status] = (statuses[status] ?? 0) + 1);
  const end = performance.now() + forMs;
  let [maxBytes, receivedBytes] = [0, 0];
  let isOver = false;

  const attack = async (request: string): Promise<void> => {
    // Who sends on does not mind that the service has ended its side.
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: isEndless });
    open.add(socket);
    let answer = '';
    socket.on('data', (chunk: Buffer) => (answer ||= chunk.toString('latin1')));
    socket.on('error', () => undefined);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.write(request);
    const pump = (failed?: Error | null): void => {
      if (!failed) socket.write(body, pump);
    };
    if (isEndless) pump();
    await closed;
    open.delete(socket);
    maxBytes = Math.max(maxBytes, socket.bytesWritten);
    receivedBytes += socket.bytesRead;
    count(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? (isOver ? 'open' : 'none'));
  };
  const attackOnAndOn = async (connection: number): Promise<void> => {
    const request = head.replace('%address%', addressOf(connection)) + body;
    while (performance.now() < end) {
      await attack(request);
      await sleep(Math.min(pauseMs, Math.max(0, end - performance.now())));
    }
  };

  const before = process.cpuUsage();
  const attacking = Promise.all(Array.from({ length: connections }, (_, index) => attackOnAndOn(index)));
  await sleep(forMs);
  isOver = true;
  for (const socket of open) socket.destroy();
  await attacking;
  const { user, system } = process.cpuUsage(before);
  return { statuses, maxBytes, receivedBytes, cpuSeconds: (user + system) / 1_000_000 };
}

process.on('message', (plan) => {
  void flood(plan as Flood).then((flooded) => process.send!(flooded));
});
process.on('disconnect', () => process.exit());
process.send!('ready');
