import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import { bearer, cookie, issuedCookie } from '../../lab/stage/credentials.ts';
import { createAsk } from '../../lab/stage/request.ts';
import type { Ask } from '../../lab/stage/request.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestAccount, TestService } from '../../lab/stage/service.ts';

let mintmark: TestService;
let ask: Ask;

beforeAll(async () => {
  mintmark = await startTestService();
  ask = createAsk(mintmark.url);
});

afterAll(() => mintmark?.stop());

interface Created {
  token: string;
  environment: string;
  expiresAt: string;
}

async function create(account: TestAccount, environment?: 'live' | 'sandbox'): Promise<Created> {
  const body = environment && { environment };
  const answer = await ask(null, 'POST', '/auth/token', body, cookie(account.cookie));
  expect(answer.status).toBe(200);
  return answer.body as Created;
}

const HOURS = 3_600_000;
const status = async (token: string, path: string): Promise<number> =>
  (await ask({ token }, 'GET', path)).status;

describe('POST /auth/token', () => {
  test('answers an access token for the token API, of twelve hours', async () => {
    const alice = await mintmark.register();
    const before = Date.now();
    const { token, environment, expiresAt } = await create(alice);
    expect(environment).toBe('live');
    expect(token).toMatch(/^mta_/);
    const hours = (Date.parse(expiresAt) - before) / HOURS;
    expect(hours).toBeGreaterThan(11.9);
    expect(hours).toBeLessThan(12.1);
    expect((await ask({ token }, 'GET', '/me')).body).toMatchObject({ email: alice.email });
    expect(await status(token, '/v1/collections')).toBe(401);
    expect((await create(alice, 'live')).token).not.toBe(token);
  });

  test('answers a token of the sandbox, which sees and writes what a sandbox key does', async () => {
    const alice = await mintmark.register();
    const { token, environment } = await create(alice, 'sandbox');
    expect({ environment, prefix: token.slice(0, 4) }).toEqual({ environment: 'sandbox', prefix: 'mts_' });
    const made = await ask({ token }, 'POST', '/v1/collections', { name: 'Try', symbol: 'TRY' });
    expect(made).toMatchObject({ status: 201, body: { environment: 'sandbox', credits: { cost: 0 } } });
    expect((await ask({ token }, 'GET', '/v1/collections')).body).toMatchObject({
      data: [{ symbol: 'TRY' }],
    });
    const live = await ask(null, 'GET', '/v1/collections', undefined, cookie(alice.cookie));
    expect(live.body).toMatchObject({ data: [] });
    expect(await ask({ token }, 'GET', '/tokens')).toMatchObject({
      status: 403,
      body: { message: 'A sandbox key works only with the collection API, under /v1.' },
    });
    const keys = await ask(null, 'GET', '/v1/api-keys', undefined, cookie(alice.cookie));
    expect(keys.body).toMatchObject({ data: [] });
  });

  test('its tokens end with the session, and with no other', async () => {
    const alice = await mintmark.register();
    const { email, password } = alice;
    const credentials = { email, password };
    const entered = await mintmark.anonymous.POST('/v1/auth/login', { body: credentials });
    const other = issuedCookie(entered.response);
    const [own, sandbox] = [await create(alice), await create(alice, 'sandbox')];
    const foreign = await create({ ...alice, cookie: other });
    const states = async () => [
      await status(own.token, '/me'),
      await status(sandbox.token, '/v1/collections'),
      await status(foreign.token, '/me'),
    ];
    expect(await states()).toEqual([200, 200, 200]);
    await ask(null, 'POST', '/v1/auth/logout', undefined, cookie(alice.cookie));
    expect(await states()).toEqual([401, 401, 200]);
    expect((await ask(null, 'POST', '/auth/token', undefined, cookie(alice.cookie))).status).toBe(401);
    // A sign-in ends the session whose cookie it came with.
    await ask(null, 'POST', '/v1/auth/login', credentials, cookie(other));
    expect(await states()).toEqual([401, 401, 401]);
  });

  test('its tokens end when the password is changed, also those of the session that changes it', async () => {
    const alice = await mintmark.register();
    const [own, sandbox] = [await create(alice), await create(alice, 'sandbox')];
    const passwords = { currentPassword: alice.password, newPassword: 'staple correct horse' };
    const changed = await ask(null, 'POST', '/v1/auth/password', passwords, cookie(alice.cookie));
    expect(changed.status).toBe(204);
    expect(await status(own.token, '/me')).toBe(401);
    expect(await status(sandbox.token, '/v1/collections')).toBe(401);
    const renewed = issuedCookie(changed);
    expect(await status((await create({ ...alice, cookie: renewed })).token, '/me')).toBe(200);
  });

  test('a session that is about to end gives its tokens no longer life', async () => {
    const alice = await mintmark.register();
    const { db } = mintmark.service.context;
    const end = (hours: number) =>
      query(
        db,
        `update credentials set expires_at = now() + :hours * interval '1 hour' where account_id = :id and kind = 'session'`,
        { id: alice.id, hours },
      );
    await end(1);
    const { token, expiresAt } = await create(alice);
    expect((Date.parse(expiresAt) - Date.now()) / HOURS).toBeLessThan(1.1);
    expect(await status(token, '/me')).toBe(200);
    await end(-1);
    expect(await status(token, '/me')).toBe(401);
  });

  test('DELETE /auth/token ends one, and the session goes on', async () => {
    const alice = await mintmark.register();
    const { token } = await create(alice);
    expect((await ask({ token }, 'DELETE', '/auth/token')).status).toBe(204);
    expect(await status(token, '/me')).toBe(401);
    expect(await status((await create(alice)).token, '/me')).toBe(200);
  });

  test('is no sign-in: the audit log tells of its writes under the session', async () => {
    const alice = await mintmark.register();
    const { email, password } = alice;
    const entered = await ask(null, 'POST', '/v1/auth/login', { email, password });
    const session = issuedCookie(entered);
    const { token } = await create({ ...alice, cookie: session }, 'sandbox');
    await ask({ token }, 'POST', '/v1/collections', { name: 'Try', symbol: 'TRY' });
    const { body } = await ask(null, 'GET', '/audit?limit=2', undefined, cookie(session));
    const [write, signIn] = (body as { data: { credentialId: string }[] }).data;
    expect(write).toMatchObject({ action: 'write', environment: 'sandbox' });
    expect(signIn).toMatchObject({ action: 'sign_in', actor: 'account', details: { kind: 'session' } });
    expect(signIn!.credentialId).toBe(write!.credentialId);
  });

  test('a session has 20 at most: the oldest one ends, and leaves no row', async () => {
    const alice = await mintmark.register();
    const tokens: string[] = [];
    for (let made = 0; made < 21; made += 1) tokens.push((await create(alice)).token);
    const states = await Promise.all(
      [tokens[0]!, tokens[1]!, tokens[20]!].map((token) => status(token, '/me')),
    );
    expect(states).toEqual([401, 200, 200]);
    await Promise.all(Array.from({ length: 20 }, () => create(alice)));
    const { db } = mintmark.service.context;
    const rows = await query(
      db,
      `select 1 from credentials where account_id = :id and session_id is not null`,
      { id: alice.id },
    );
    expect(rows).toHaveLength(20);
  });

  test('needs the cookie, from a page of this service', async () => {
    const alice = await mintmark.register();
    expect((await ask(alice, 'POST', '/auth/token')).status).toBe(401);
    const headers = cookie(alice.cookie);
    const elsewhere = { ...headers, Origin: 'https://elsewhere.example' };
    expect((await ask(null, 'POST', '/auth/token', undefined, elsewhere)).status).toBe(403);
    expect((await ask(null, 'POST', '/auth/token', { environment: 'test' }, headers)).status).toBe(422);
    expect((await ask(null, 'POST', '/auth/token', undefined, bearer(alice.cookie))).status).toBe(401);
  });
});
