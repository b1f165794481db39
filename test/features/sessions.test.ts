import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createMintmarkClient } from '../../generated/client.ts';
import { query } from '../../src/db/client.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { createCollection, createKey, sessionOf } from '../../lab/stage/collections.ts';
import { issuedCookie } from '../../lab/stage/credentials.ts';
import { readDocumented, schemesOf } from '../../lab/stage/documented.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestAccount, TestService } from '../../lab/stage/service.ts';
import { RECIPIENT } from '../../lab/stage/tokens.ts';

const NEW_PASSWORD = 'staple correct horse';

let mintmark: TestService;

beforeAll(async () => {
  // These tests log in often and with wrong passwords.
  mintmark = await startTestService({
    LOGIN_FAILURES_PER_ACCOUNT: '1000',
    LOGIN_FAILURES_PER_ADDRESS: '1000',
  });
});

afterAll(() => mintmark?.stop());

async function logIn({ email }: TestAccount, password: string) {
  const { response } = await mintmark.anonymous.POST('/v1/auth/login', { body: { email, password } });
  return { status: response.status, cookie: issuedCookie(response) };
}

async function isAlive(cookie: string): Promise<boolean> {
  const client = createMintmarkClient({ baseUrl: mintmark.url, cookie });
  return (await client.GET('/v1/auth/me')).response.status === 200;
}

const header = (key: string | undefined) => (key === undefined ? {} : { 'Idempotency-Key': key });
const logOut = async (cookie: string, key?: string) =>
  createMintmarkClient({ baseUrl: mintmark.url, cookie }).POST('/v1/auth/logout', {
    params: { header: header(key) },
  });

async function changePassword(
  cookie: string,
  currentPassword: string,
  newPassword: string,
  key?: string,
  revokeKeys?: boolean,
) {
  const { error, response } = await createMintmarkClient({ baseUrl: mintmark.url, cookie }).POST(
    '/v1/auth/password',
    {
      params: { header: header(key) },
      body: { currentPassword, newPassword, ...(revokeKeys !== undefined && { revokeKeys }) },
    },
  );
  return { status: response.status, error, cookie: issuedCookie(response) };
}

describe('POST /v1/auth/logout', () => {
  test('ends this session and clears its cookie, and ends no other', async () => {
    const alice = await mintmark.register();
    const other = await logIn(alice, alice.password);
    const { response } = await logOut(alice.cookie);
    expect(response.status).toBe(204);
    const [cookie] = response.headers.getSetCookie();
    expect(cookie).toMatch(/^service_session=;/);
    expect(cookie).toContain('Expires=Thu, 01 Jan 1970');
    expect(await isAlive(alice.cookie)).toBe(false);
    expect(await isAlive(other.cookie)).toBe(true);
    expect((await alice.api.GET('/me')).response.status).toBe(200);
    expect((await logOut(alice.cookie)).response.status).toBe(401);
  });

  test('ends this session under an Idempotency-Key that another session used', async () => {
    const alice = await mintmark.register();
    const other = await logIn(alice, alice.password);
    const key = randomUUID();
    expect((await logOut(alice.cookie, key)).response.status).toBe(204);
    expect((await logOut(other.cookie, key)).response.status).toBe(204);
    expect(await isAlive(other.cookie)).toBe(false);
  });
});

describe('a new session', () => {
  const enter = async (cookie: string, path: string, body: object) => {
    const response = await fetch(mintmark.url + path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Cookie: `service_session=${cookie}` },
      body: JSON.stringify(body),
    });
    return { status: response.status, cookie: issuedCookie(response) };
  };

  test('from a login ends the session whose cookie came along, and no other', async () => {
    const alice = await mintmark.register();
    const bob = await mintmark.register();
    const other = await logIn(alice, alice.password);
    const { email, password } = bob;
    const entered = await enter(alice.cookie, '/v1/auth/login', { email, password });
    expect(entered.status).toBe(200);
    expect(await Promise.all([alice.cookie, other.cookie, bob.cookie, entered.cookie].map(isAlive))).toEqual([
      false,
      true,
      true,
      true,
    ]);
    expect((await alice.api.GET('/me')).response.status).toBe(200);
  });

  test('from a registration ends the session whose cookie came along', async () => {
    const alice = await mintmark.register();
    const inviteCode = randomUUID();
    await mintmark.service.context.accounts.ensureInvites([inviteCode]);
    const body = { email: `${randomUUID()}@example.com`, password: 'correct horse battery', inviteCode };
    const entered = await enter(alice.cookie, '/v1/auth/register', body);
    expect(entered.status).toBe(201);
    expect(await isAlive(alice.cookie)).toBe(false);
    expect(await isAlive(entered.cookie)).toBe(true);
  });

  test('that is refused ends nothing, and a cookie of another kind is no session', async () => {
    const alice = await mintmark.register();
    const { email, password } = alice;
    expect(await enter(alice.cookie, '/v1/auth/login', { email, password: 'wrong' })).toEqual({
      status: 401,
      cookie: '',
    });
    expect(await isAlive(alice.cookie)).toBe(true);
    expect((await enter(alice.token, '/v1/auth/login', { email, password })).status).toBe(200);
    expect((await alice.api.GET('/me')).response.status).toBe(200);
  });
});

describe('POST /v1/auth/password', () => {
  test('ends every other session, every access token and the own cookie, and neither this session nor API keys', async () => {
    const alice = await mintmark.register();
    const bob = await mintmark.register();
    const other = await logIn(alice, alice.password);
    const { api: keyed } = await createKey(mintmark, alice);
    const changed = await changePassword(alice.cookie, alice.password, NEW_PASSWORD);
    expect(changed.status).toBe(204);
    expect(await isAlive(changed.cookie)).toBe(true);
    // A thief may have it.
    expect(await isAlive(alice.cookie)).toBe(false);
    expect(await isAlive(other.cookie)).toBe(false);
    expect((await alice.api.GET('/me')).response.status).toBe(401);
    expect((await keyed.GET('/v1/collections')).response.status).toBe(200);
    expect((await logIn(alice, alice.password)).status).toBe(401);
    expect((await logIn(alice, NEW_PASSWORD)).status).toBe(200);
    // Other accounts are not affected.
    expect(await isAlive(bob.cookie)).toBe(true);
    expect((await bob.api.GET('/me')).response.status).toBe(200);
  });

  test('with revokeKeys revokes every API key of the account too, and no other', async () => {
    const alice = await mintmark.register();
    const bob = await mintmark.register();
    const keys = [await createKey(mintmark, alice), await createKey(mintmark, alice, 'sandbox')];
    const others = await createKey(mintmark, bob);
    const statuses = async () =>
      Promise.all(
        [...keys, others].map(async ({ api }) => (await api.GET('/v1/collections')).response.status),
      );
    let { cookie } = alice;
    const change = async (from: string, to: string, revokeKeys: boolean, key?: string) => {
      const changed = await changePassword(cookie, from, to, key, revokeKeys);
      cookie = changed.cookie || cookie;
      return changed;
    };
    expect((await change(alice.password, NEW_PASSWORD, false)).status).toBe(204);
    expect(await statuses()).toEqual([200, 200, 200]);
    const key = randomUUID();
    expect((await change(NEW_PASSWORD, 'yet another one', true, key)).status).toBe(204);
    expect(await statuses()).toEqual([401, 401, 200]);
    // The same key without revokeKeys is another request.
    expect((await change(NEW_PASSWORD, 'yet another one', true, key)).status).toBe(204);
    expect((await change(NEW_PASSWORD, 'yet another one', false, key)).status).toBe(422);
  });

  test('refuses a wrong current password and a bad new one, and ends nothing', async () => {
    const alice = await mintmark.register();
    const other = await logIn(alice, alice.password);
    expect(await changePassword(alice.cookie, 'a wrong one', NEW_PASSWORD)).toEqual({
      cookie: '',
      status: 401,
      error: { code: 'UNAUTHORIZED', message: 'The current password is wrong' },
    });
    for (const bad of ['1234567', 'x'.repeat(129)]) {
      expect(await changePassword(alice.cookie, alice.password, bad)).toMatchObject({
        status: 422,
        error: { code: 'VALIDATION_ERROR' },
      });
    }
    expect(await isAlive(other.cookie)).toBe(true);
    expect((await logIn(alice, alice.password)).status).toBe(200);
  });

  test('a replay is 204, another password under the same Idempotency-Key is 422', async () => {
    const alice = await mintmark.register();
    const key = randomUUID();
    const first = await changePassword(alice.cookie, alice.password, NEW_PASSWORD, key);
    const replay = await changePassword(first.cookie, alice.password, NEW_PASSWORD, key);
    expect([first.status, replay.status]).toEqual([204, 204]);
    expect([await isAlive(first.cookie), await isAlive(replay.cookie)]).toEqual([false, true]);
    expect(await changePassword(replay.cookie, NEW_PASSWORD, 'yet another one', key)).toMatchObject({
      status: 422,
      error: { code: 'VALIDATION_ERROR' },
    });
    expect((await logIn(alice, NEW_PASSWORD)).status).toBe(200);
  });

  test('leaves no fast hash of a password in the database', async () => {
    const alice = await mintmark.register();
    const body = { currentPassword: alice.password, newPassword: NEW_PASSWORD };
    expect(
      (await changePassword(alice.cookie, body.currentPassword, body.newPassword, randomUUID())).status,
    ).toBe(204);
    const records = await query<{ request_hash: Hex; answer: unknown }>(
      mintmark.service.context.db,
      'select request_hash, answer from idempotency_records where account_id = :accountId',
      { accountId: alice.id },
    );
    // The same for every account and password, so it reveals neither.
    expect(records).toEqual([
      { request_hash: `0x${createHash('sha256').update('changePassword').digest('hex')}`, answer: {} },
    ]);
  });

  test('of concurrent changes one succeeds, and concurrent logins with the old password give no valid session', async () => {
    const alice = await mintmark.register();
    const sessions = await Promise.all(
      Array.from({ length: 3 }, async () => (await logIn(alice, alice.password)).cookie),
    );
    const [changes, logins] = await Promise.all([
      Promise.all(
        sessions.map((cookie, index) => changePassword(cookie, alice.password, `new password ${index}`)),
      ),
      Promise.all(Array.from({ length: 12 }, () => logIn(alice, alice.password))),
    ]);
    const winners = changes.flatMap(({ status }, index) => (status === 204 ? [index] : []));
    expect(winners).toHaveLength(1);
    expect(await Promise.all(sessions.map(isAlive))).toEqual(sessions.map(() => false));
    expect(await isAlive(changes[winners[0]!]!.cookie)).toBe(true);
    expect(await Promise.all(logins.map(({ cookie }) => isAlive(cookie)))).toEqual(logins.map(() => false));
    expect((await logIn(alice, `new password ${winners[0]}`)).status).toBe(200);
  });
});

test('a login that has verified the old password while it changes is refused', async () => {
  const alice = await mintmark.register();
  const { db } = mintmark.service.context;
  const change = await db.transaction();
  await query(change, `update accounts set password_hash = 'another' where id = :aliceId`, {
    aliceId: alice.id,
  });
  const login = logIn(alice, alice.password);
  const isWaiting = async (): Promise<boolean> =>
    (
      await query(
        db,
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
    ).length > 0;
  for (let look = 0; look < 6_000 && !(await isWaiting()); look += 1) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  expect(await isWaiting()).toBe(true);
  await change.commit();
  expect(await login).toEqual({ status: 401, cookie: '' });
});

describe('the session cookie', () => {
  /** Every write of the contract that takes the cookie, with a body that would be accepted. */
  const BODIES: Record<string, unknown> = {
    createApiKey: { name: 'stolen' },
    createAccessToken: { environment: 'sandbox' },
    previewMetadata: { name: 'Stolen', symbol: 'S' },
    changePassword: { currentPassword: 'correct horse battery', newPassword: 'taken over by others' },
    createCollection: { name: 'Stolen', symbol: 'S' },
    mintNft: { to: RECIPIENT },
    mintNftBatch: { items: [{ to: RECIPIENT }] },
    setCollectionMetadata: { name: 'Stolen', description: '' },
    setNftMetadata: { name: 'Stolen', description: '' },
    createWebhook: { url: 'https://evil.example/' },
    updateWebhook: { url: 'https://evil.example/' },
  };
  const writes = readDocumented().filter(
    (operation) => operation.method !== 'get' && schemesOf(operation).includes('session'),
  );
  const FOREIGN = [
    { Origin: 'https://evil.example' },
    { Origin: 'null' },
    { 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'same-site' },
  ];

  test('cannot be used for writes by another site', async () => {
    const alice = await mintmark.register();
    const { id } = await createKey(mintmark, alice);
    const address = await createCollection(sessionOf(mintmark, alice));
    const withBody = writes.filter(({ requestBody }) => requestBody).map(({ operationId }) => operationId);
    expect(withBody.toSorted()).toEqual(Object.keys(BODIES).toSorted());
    expect(writes.map(({ operationId }) => operationId)).toEqual(
      expect.arrayContaining(['revokeApiKey', 'logOut', 'deleteWebhook']),
    );
    const state = () =>
      query(
        mintmark.service.context.db,
        `select (select count(*) from credentials where account_id = :id and revoked_at is null) as alive,
                (select count(*) from intents where account_id = :id) as intents,
                (select count(*) from webhooks where account_id = :id) as webhooks,
                (select password_hash from accounts where id = :id) as password`,
        { id: alice.id },
      );
    const before = await state();
    const request = (operation: (typeof writes)[number], headers: Record<string, string>) =>
      fetch(
        mintmark.url +
          operation.path.replace('{address}', address).replace('{tokenId}', '1').replace('{id}', id),
        {
          method: operation.method.toUpperCase(),
          headers: {
            Cookie: `service_session=${alice.cookie}`,
            ...(BODIES[operation.operationId] ? { 'Content-Type': 'application/json' } : {}),
            ...headers,
          },
          ...(BODIES[operation.operationId] ? { body: JSON.stringify(BODIES[operation.operationId]) } : {}),
        },
      );
    for (const operation of writes) {
      for (const headers of FOREIGN) {
        const response = await request(operation, headers);
        expect({ id: operation.operationId, headers, status: response.status }).toMatchObject({
          status: 403,
        });
        expect(await response.json()).toMatchObject({ code: 'FORBIDDEN' });
      }
    }
    for (const operation of writes.filter(({ requestBody }) => requestBody)) {
      const response = await request(operation, { 'Content-Type': 'text/plain' });
      expect({ id: operation.operationId, status: response.status }).toMatchObject({ status: 403 });
    }
    expect(await state()).toEqual(before);

    // The same from a page of the service itself.
    const own = { Origin: mintmark.url, 'Sec-Fetch-Site': 'same-origin' };
    const mint = writes.find((operation) => operation.operationId === 'mintNft')!;
    expect((await request(mint, own)).status).toBe(201);
  });

  test('is Secure when the service is reached over https, and only then', async () => {
    const alice = await mintmark.register();
    const attributes = async () => {
      const { response } = await mintmark.anonymous.POST('/v1/auth/login', {
        body: { email: alice.email, password: alice.password },
      });
      return response.headers.getSetCookie()[0]!.split('; ').slice(1);
    };
    expect(await attributes()).not.toContain('Secure');
    await mintmark.restart({ PUBLIC_URL: 'https://mint.example' });
    expect(await attributes()).toEqual(
      expect.arrayContaining(['Secure', 'HttpOnly', 'SameSite=Lax', 'Path=/']),
    );
    await mintmark.restart();
  });
});
