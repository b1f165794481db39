import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';

/** Returns a port of 127.0.0.1 that is free now: the preferred one if it is, otherwise one that the system chooses. */
export async function findFreePort(preferred = 0): Promise<number> {
  const server = createServer();
  try {
    server.listen(preferred, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  } catch (error) {
    if (preferred === 0) throw error;
    return findFreePort();
  } finally {
    server.close();
  }
}
