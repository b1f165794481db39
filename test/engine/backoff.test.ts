import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { createRpc } from '../../src/chain/rpc/rpc.ts';
import { createKeySigner } from '../../src/chain/signing/signer.ts';
import { createDb, query } from '../../src/db/client.ts';
import { createNotifications } from '../../src/db/notifications.ts';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import { runLane } from '../../src/engine/run/lane-loop.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import { startAnvil } from '../../lab/stage/anvil.ts';
import { insertAccount } from '../../lab/stage/accounts.ts';
import { createTestDatabase } from '../../lab/stage/database.ts';
import { queueIntent } from '../setup/queue.ts';
import { ENGINE_CONFIG } from './engine-config.ts';

test('a lane that meets the same error again and again pauses in between', async () => {
  await using database = await createTestDatabase();
  await using chain = await startAnvil();
  await using db = createDb(database.url, 4);
  using rpc = createRpc([chain.url]);
  const log = createLogger('silent');
  await using notifications = await createNotifications(database.url, log);
  await insertAccount(db);
  await queueIntent(db, `0x${'01'.repeat(20)}`);
  const stopping = new AbortController();
  const parts = {
    db,
    rpc,
    log,
    // There is no Operator at this address: what the simulation returns cannot be read.
    config: { ...ENGINE_CONFIG, timings: { ...ENGINE_CONFIG.timings, backoffMs: 250, queueLookMs: 250 } },
    followUps: { settled: async () => undefined },
    chain: { fresh: async () => null, expectBlock: () => undefined },
    suspicion: { clear: async () => true },
    signer: createKeySigner(embeddedAccounts[0].privateKey),
    holder: 'a test',
  };
  const running = runLane(parts, notifications, stopping.signal);
  await sleep(1_750);
  stopping.abort();
  await running;
  const [lane] = await query<{ term: bigint }>(db, 'select term from lanes');
  expect(Number(lane!.term)).toBeGreaterThanOrEqual(2);
  expect(Number(lane!.term)).toBeLessThanOrEqual(8);
});
