import { randomUUID } from 'node:crypto';
import { afterEach, expect, test } from '@jest/globals';
import { createEmptyDatabase } from '../../lab/stage/database.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestService } from '../../lab/stage/service.ts';
import { openSession } from '../../lab/stage/session.ts';
import { deployToken, requestMint } from '../../lab/stage/tokens.ts';

/*
 * What a session inherits from its database or its role, an operator may have set for other programs: the service sets
 * what it relies on itself, or says in one sentence what has to be another one.
 */

/** Each breaks something that the service relies on. */
const INHERITED = {
  default_transaction_isolation: 'serializable',
  default_transaction_deferrable: 'on',
  datestyle: 'German, DMY',
  intervalstyle: 'iso_8601',
  timezone: 'Asia/Kathmandu',
  bytea_output: 'escape',
  search_path: 'nowhere',
  standard_conforming_strings: 'off',
  transform_null_equals: 'on',
  lock_timeout: '1h',
  idle_session_timeout: '1h',
};

let stack = new AsyncDisposableStack();

afterEach(async () => {
  await stack.disposeAsync();
  stack = new AsyncDisposableStack();
});

/** @param options of `create database` */
async function start(options = '', settings: Record<string, string> = {}): Promise<TestService> {
  const { url } = stack.use(await createEmptyDatabase(options));
  await using session = await openSession(url);
  const database = new URL(url).pathname.slice(1);
  for (const [name, value] of Object.entries(settings))
    await session.query(
      `alter database ${database} set ${name} = ${name === 'search_path' ? value : `'${value}'`}`,
    );
  return stack.use(await startTestService({ DATABASE_URL: url }));
}

test('the first start and all requests work whatever settings a session inherits', async () => {
  const mintmark = await start('', INHERITED);
  const account = await mintmark.register();
  const address = await deployToken(account);
  const mints = await Promise.all(Array.from({ length: 24 }, () => requestMint(account, address)));
  expect(mints.map(({ status }) => status)).toEqual(mints.map(() => 200));
  const { data: stats } = await account.api.GET('/stats');
  expect(stats).toMatchObject({ mintsUsed: 25, periodStart: expect.stringMatching(/-01T00:00:00.000Z$/) });
  const { data: audit } = await account.api.GET('/audit', { params: { query: { limit: 100 } } });
  expect(audit!.data.length).toBeGreaterThan(25);
  const cookie = `service_session=${account.cookie}`;
  const key = await fetch(`${mintmark.url}/v1/api-keys`, {
    method: 'POST',
    headers: { cookie, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'of a server' }),
  });
  expect(key.status).toBe(201);
  expect(mintmark.errors).toEqual([]);
});

test('a start on a database of another encoding says which one it needs', async () => {
  await expect(start(`encoding 'LATIN1' locale 'C' template template0`)).rejects.toThrow(
    /^The database has the encoding LATIN1, and texts need UTF8: create one with "create database NAME encoding 'UTF8' template template0"/,
  );
});

test('an e-mail is one account in any case of its letters, whatever letters the database makes of them', async () => {
  const mintmark = await start(
    `encoding 'UTF8' locale 'C' locale_provider icu icu_locale 'tr-TR' template template0`,
  );
  const { accounts } = mintmark.service.context;
  const register = async (email: string): Promise<number> => {
    const inviteCode = randomUUID();
    await accounts.ensureInvites([inviteCode]);
    const body = { email, password: 'correct horse battery', inviteCode };
    return (await mintmark.anonymous.POST('/v1/auth/register', { body })).response.status;
  };
  expect(await register('INFO@example.com')).toBe(201);
  expect(await register('info@example.com')).toBe(409);
  const { response } = await mintmark.anonymous.POST('/auth/signin', {
    body: { email: 'Info@Example.com', password: 'correct horse battery' },
  });
  expect(response.status).toBe(200);
});
