import { expect, test } from '@jest/globals';
import { readConfig } from '../../src/config.ts';
import { startService } from '../../src/start/service.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import { createTestDatabase } from '../../lab/stage/database.ts';
import { answerEach, startScriptedNode } from '../setup/scripted-node.ts';

const SIGNER_KEY = `0x${'11'.repeat(32)}`;

/** Starts a service for a node that knows nothing but its chain's id. */
async function startOn(chainId: number): Promise<void> {
  await using database = await createTestDatabase();
  await using node = await startScriptedNode(answerEach(() => ({ result: `0x${chainId.toString(16)}` })));
  const environment = {
    DATABASE_URL: database.url,
    RPC_URL: node.url,
    SIGNER_KEY,
    PORT: '0',
    LOG_LEVEL: 'silent',
  };
  const service = await startService(readConfig([], environment), createLogger('silent'));
  await service.stop();
}

test.each([1, 5, 11_155_111, 8_453])(
  'on chain %i nobody becomes the Operator’s admin who was not named',
  async (chainId) => {
    await expect(startOn(chainId)).rejects.toThrow(/^OPERATOR_ADMIN is not set: /);
  },
);
