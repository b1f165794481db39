import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';

/**
 * Returns a port of 127.0.0.1 that is free now: the preferred one if it is, otherwise one that the system chooses. By
 * default it lies below those that Linux gives to connections (32768 and above, ip(7)): none takes it before its server
 * listens. And it lies above 10,080, the last one that browsers and `fetch` refuse (Fetch Standard, "bad port").
 */
export async function findFreePort(preferred = randomInt(10_081, 32_768)): Promise<number> {
  const server = createServer();
  try {
    server.listen(preferred, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  } catch (error) {
    if (preferred === 0) throw error;
    return findFreePort(0);
  } finally {
    server.close();
  }
}
