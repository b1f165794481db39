import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import { createAsk } from '../../lab/stage/request.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestAccount, TestService } from '../../lab/stage/service.ts';
import { RECIPIENT, deployToken } from '../../lab/stage/tokens.ts';

let mintmark: TestService;
let account: TestAccount;
let token: string;

beforeAll(async () => {
  mintmark = await startTestService();
  account = await mintmark.register();
  token = await deployToken(account);
});

afterAll(() => mintmark?.stop());

const ask: ReturnType<typeof createAsk> = (...args) => createAsk(mintmark.url)(...args);
const mint = () => ask(account, 'POST', `/tokens/${token}/mint`, { owner: RECIPIENT, amount: '1' });
/** Its answer is kept for a second. */
async function untilReady(status: number): Promise<unknown> {
  for (;;) {
    const answer = await ask(null, 'GET', '/ready');
    if (answer.status === status) return answer.body;
  }
}

test('a service whose database has no room for most writes is not ready before one of them succeeds', async () => {
  const { db } = mintmark.service.context;
  // What a full disk does to a table without a page that has room; a row may still be updated where it is.
  await db.raw(`
    create function refuse() returns trigger language plpgsql as $$
      begin raise exception 'could not extend file "base/1/2": No space left on device' using errcode = '53100'; end $$;
    create trigger full_disk before insert on intents execute function refuse();`);
  expect((await mint()).status).toBe(500);
  expect(await untilReady(503)).toMatchObject({
    code: 'NOT_READY',
    message: 'The disk of the database is full.',
  });
  await query(db, 'update accounts set email = email');
  const patched = await ask(account, 'PATCH', '/me', { walletAddress: RECIPIENT });
  expect(patched.status).toBe(200);
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  expect((await ask(null, 'GET', '/ready')).status).toBe(503);
  await db.raw('drop trigger full_disk on intents');
  expect((await mint()).status).toBe(200);
  await untilReady(200);
});
