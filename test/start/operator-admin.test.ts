import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import { readConfig } from '../../src/config.ts';
import { startService } from '../../src/start/service.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import { createTestDatabase } from '../setup/database.ts';

const SIGNER_KEY = `0x${'11'.repeat(32)}`;

/** Starts a service for a node that knows nothing but its chain's id. */
async function startOn(chainId: number): Promise<void> {
  const database = await createTestDatabase();
  const node = createServer((request, response) => {
    request.resume();
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 0, result: `0x${chainId.toString(16)}` }));
  }).listen(0, '127.0.0.1');
  await once(node, 'listening');
  const RPC_URL = `http://127.0.0.1:${(node.address() as AddressInfo).port}`;
  const environment = { DATABASE_URL: database.url, RPC_URL, SIGNER_KEY, PORT: '0', LOG_LEVEL: 'silent' };
  try {
    const service = await startService(readConfig([], environment), createLogger('silent'));
    await service.stop();
  } finally {
    node.closeAllConnections();
    node.close();
    await database.drop();
  }
}

test.each([1, 5, 11_155_111, 8_453])(
  'on chain %i nobody becomes the Operator’s admin who was not named',
  async (chainId) => {
    await expect(startOn(chainId)).rejects.toThrow(/^OPERATOR_ADMIN is not set: /);
  },
);
