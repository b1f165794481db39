import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import { readConfig } from '../../src/config.ts';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import { startService } from '../../src/start/service.ts';
import type { Service } from '../../src/start/service.ts';
import { cookie, issuedCookie, makeCredential } from '../../lab/stage/credentials.ts';
import { createAsk } from '../../lab/stage/request.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestAccount, TestService } from '../../lab/stage/service.ts';

/** Two replicas over one database: a change at one applies at the other at once. */
let mintmark: TestService;
let second: Service;
let alice: TestAccount;
let urls: [string, string];

beforeAll(async () => {
  const limits = { LOGIN_FAILURES_PER_ACCOUNT: '6' };
  mintmark = await startTestService(limits);
  // A replica without signers needs OPERATOR_ADMIN; otherwise the admin on a local chain is the first signer.
  const config = readConfig(['--role', 'api'], {
    ...mintmark.environment,
    PORT: '0',
    OPERATOR_ADMIN: embeddedAccounts[0].address,
  });
  second = await startService(config, createLogger('error'));
  urls = [mintmark.url, second.url!];
  alice = await mintmark.register();
});

afterAll(async () => {
  await second?.stop();
  await mintmark?.stop();
});

const make = async (...[kind, options]: [Parameters<typeof makeCredential>[2], object?]) =>
  makeCredential(mintmark.service.context.db, alice.id, kind, options);
const statusAt = async (url: string, secret: string, path = '/me'): Promise<number> =>
  (await createAsk(url)({ token: secret }, 'GET', path)).status;
const everywhere = (secret: string, path?: string): Promise<number[]> =>
  Promise.all(urls.map((url) => statusAt(url, secret, path)));
const sessionEverywhere = (secret: string): Promise<number[]> =>
  Promise.all(
    urls.map(async (url) => (await fetch(`${url}/v1/auth/me`, { headers: cookie(secret) })).status),
  );
const write = (url: string, method: 'POST' | 'DELETE', path: string, secret: string, body?: unknown) =>
  createAsk(url)(null, method, path, body, cookie(secret));

test.each([0, 1])('an API key that replica %i revokes gets 401 on both', async (revoker) => {
  const { id, secret } = await make('api_key');
  // By now each replica would have cached the key, if it cached any.
  for (let round = 0; round < 5; round += 1) expect(await everywhere(secret)).toEqual([200, 200]);
  const revoked = await write(urls[revoker]!, 'DELETE', `/v1/api-keys/${id}`, alice.cookie);
  expect(revoked).toMatchObject({ status: 200, body: { id, revokedAt: expect.any(String) } });
  expect(await everywhere(secret)).toEqual([401, 401]);
  expect((await write(urls[1 - revoker]!, 'DELETE', `/v1/api-keys/${id}`, alice.cookie)).status).toBe(409);
});

test('no request that starts after a revocation was answered is accepted', async () => {
  const { id, secret } = await make('api_key');
  let revoked = false;
  let before = 0;
  const late: number[] = [];
  const clients = urls.flatMap((url) =>
    Array.from({ length: 4 }, async () => {
      for (let asked = 0; asked < 40; asked += 1) {
        const isLate = revoked;
        const status = await statusAt(url, secret);
        if (isLate) late.push(status);
        else if (status === 200) before += 1;
      }
    }),
  );
  while (before < 20) await new Promise((resolve) => setTimeout(resolve, 1));
  await write(urls[0], 'DELETE', `/v1/api-keys/${id}`, alice.cookie);
  revoked = true;
  await Promise.all(clients);
  expect(late.length).toBeGreaterThan(0);
  expect(late.filter((status) => status !== 401)).toEqual([]);
});

test('a revoked token and an ended session get 401 on both', async () => {
  const { secret: token } = await make('access_token');
  const { secret: session } = await make('session');
  expect(await everywhere(token)).toEqual([200, 200]);
  expect(await sessionEverywhere(session)).toEqual([200, 200]);
  expect((await createAsk(urls[1])({ token }, 'DELETE', '/auth/token')).status).toBe(204);
  expect((await write(urls[1], 'POST', '/v1/auth/logout', session)).status).toBe(204);
  expect(await everywhere(token)).toEqual([401, 401]);
  expect(await sessionEverywhere(session)).toEqual([401, 401]);
});

test('a new password ends every other session and token on both, and no API key', async () => {
  const bob = await mintmark.register();
  const { db } = mintmark.service.context;
  const [session, token, key] = [
    await makeCredential(db, bob.id, 'session'),
    await makeCredential(db, bob.id, 'access_token'),
    await makeCredential(db, bob.id, 'api_key'),
  ];
  const passwords = { currentPassword: bob.password, newPassword: 'staple correct horse' };
  const changed = await write(urls[0], 'POST', '/v1/auth/password', bob.cookie, passwords);
  expect(changed.status).toBe(204);
  const renewed = issuedCookie(changed);
  expect(await sessionEverywhere(session.secret)).toEqual([401, 401]);
  expect(await everywhere(token.secret)).toEqual([401, 401]);
  expect(await sessionEverywhere(bob.cookie)).toEqual([401, 401]);
  expect(await sessionEverywhere(renewed)).toEqual([200, 200]);
  expect(await everywhere(key.secret)).toEqual([200, 200]);
});

test.each(['access_token', 'session', 'api_key'] as const)('an expired %s gets 401 on both', async (kind) => {
  const { id, secret } = await make(kind);
  const { db } = mintmark.service.context;
  const look = () => (kind === 'session' ? sessionEverywhere(secret) : everywhere(secret));
  expect(await look()).toEqual([200, 200]);
  await query(db, 'update credentials set expires_at = now() where id = :id', { id });
  expect(await look()).toEqual([401, 401]);
});

test('the last use is stored to the minute', async () => {
  const { db } = mintmark.service.context;
  const { id, secret } = await make('api_key');
  const lastUse = async (): Promise<Date | null> =>
    (
      await query<{ at: Date | null }>(db, 'select last_used_at as at from credentials where id = :id', {
        id,
      })
    )[0]!.at;
  expect(await lastUse()).toBeNull();
  await everywhere(secret);
  const first = await lastUse();
  expect(Math.abs(Date.now() - first!.getTime())).toBeLessThan(30_000);
  await everywhere(secret);
  expect(await lastUse()).toEqual(first);
  await query(db, `update credentials set last_used_at = now() - interval '61 seconds' where id = :id`, {
    id,
  });
  await statusAt(urls[1], secret);
  expect(Math.abs(Date.now() - (await lastUse())!.getTime())).toBeLessThan(30_000);
});

test('wrong passwords are counted across both', async () => {
  const carol = await mintmark.register();
  const statuses: number[] = [];
  for (let guess = 0; guess < 8; guess += 1) {
    const body = { email: carol.email, password: 'wrong' };
    statuses.push((await createAsk(urls[guess % 2]!)(null, 'POST', '/auth/signin', body)).status);
  }
  expect(statuses).toEqual([401, 401, 401, 401, 401, 401, 429, 429]);
});
