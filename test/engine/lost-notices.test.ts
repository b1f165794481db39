import { expect, test } from '@jest/globals';
import { createTestDatabase } from '../../lab/stage/database.ts';
import { startTestService } from '../../lab/stage/service.ts';
import { deployToken, requestMint } from '../../lab/stage/tokens.ts';

test('without the notices of the database a write is still sent, and answered as soon as it has its verdict', async () => {
  // Notices stay within their database, so whoever listens in another one hears nothing.
  await using deaf = await createTestDatabase();
  await using mintmark = await startTestService(
    { DATABASE_DIRECT_URL: deaf.url, WAIT_TIMEOUT_MS: '600000' },
    // A lane that gets nowhere is taken anew, and whoever takes it looks at the queue.
    { timings: { stallMs: 3_600_000 } },
  );
  const alice = await mintmark.register();
  const token = await deployToken(alice);
  expect(await requestMint(alice, token)).toMatchObject({ status: 200, body: { success: true } });
});
