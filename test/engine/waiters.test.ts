import { expect, test } from '@jest/globals';
import { createDb } from '../../src/db/client.ts';
import { createWaiters } from '../../src/engine/accept/waiters.ts';
import type { Intent } from '../../src/engine/intent.ts';
import { createLogger } from '../../src/telemetry/logger.ts';

const LONG_MS = 600_000;

const INTENT: Intent = {
  ...{ number: 1n, id: 'of the test', accountId: 'of the test', environment: 'live', kind: 'mint' },
  ...{ contract: `0x${'c0'.repeat(20)}`, arguments: {}, status: 'queued', result: null, error: null },
  ...{
    transactionHash: null,
    burntGas: 0,
    token: null,
    firstTokenId: null,
    callHead: null,
    sequence: 0,
    held: null,
    heldGas: null,
    chargedGas: null,
    createdAt: new Date(0),
    updatedAt: new Date(0),
  },
};

/** Waiters whose database cannot be asked any more. */
async function openWaiters() {
  const db = createDb('postgres://127.0.0.1:1/none', 1);
  await db[Symbol.asyncDispose]();
  const notifications = { on: () => undefined, close: async () => undefined };
  return createWaiters({ db, notifications, log: createLogger('silent') }, LONG_MS);
}

test('what was accepted is answered as such when the database fails after the wait for its verdict', async () => {
  using stack = new DisposableStack();
  const waiters = stack.adopt(await openWaiters(), ({ stop }) => stop());
  expect(await waiters.wait(INTENT, 1)).toBe(INTENT);
});

test('what was accepted is answered as such when the database fails while the service stops', async () => {
  const waiters = await openWaiters();
  const answer = waiters.wait(INTENT, LONG_MS);
  waiters.stop();
  expect(await answer).toBe(INTENT);
});
