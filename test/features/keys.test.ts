import { createHash, randomUUID } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createMintmarkClient } from '../../generated/client.ts';
import { query } from '../../src/db/client.ts';
import { createKey, sessionOf } from '../../lab/stage/collections.ts';
import { createAsk } from '../../lab/stage/request.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestAccount, TestService } from '../../lab/stage/service.ts';

let mintmark: TestService;
let alice: TestAccount;
let bob: TestAccount;

beforeAll(async () => {
  mintmark = await startTestService();
  [alice, bob] = await Promise.all([mintmark.register(), mintmark.register()]);
});

afterAll(() => mintmark?.stop());

async function create(
  account: TestAccount,
  body: { name: string; environment?: 'live' | 'sandbox' },
  key?: string,
) {
  const { data, error, response } = await sessionOf(mintmark, account).POST('/v1/api-keys', {
    params: { header: key === undefined ? {} : { 'Idempotency-Key': key } },
    // The generated type asks for a field that the contract has a default for.
    body: body as { name: string; environment: 'live' | 'sandbox' },
  });
  return { status: response.status, data, error };
}

const list = async (account: TestAccount, query: { limit?: number; cursor?: string } = {}) =>
  (await sessionOf(mintmark, account).GET('/v1/api-keys', { params: { query } })).data!;

async function revoke(account: TestAccount, id: string) {
  const { data, error, response } = await sessionOf(mintmark, account).DELETE('/v1/api-keys/{id}', {
    params: { path: { id } },
  });
  return { status: response.status, body: (data ?? error) as unknown };
}

const useKey = async (key: string): Promise<number> =>
  (await createMintmarkClient({ baseUrl: mintmark.url, token: key }).GET('/v1/collections')).response.status;

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** What a secret scanner does: the last six characters are the CRC-32 of all before. */
const hasChecksum = (key: string): boolean =>
  [...key.slice(-6)].reduce((sum, digit) => sum * 62 + BASE62.indexOf(digit), 0) === crc32(key.slice(0, -6));

describe('POST /v1/api-keys', () => {
  test.each([
    ['live', 'mtk_', undefined],
    ['live', 'mtk_', 'live'],
    ['sandbox', 'mts_', 'sandbox'],
  ] as const)('returns a new %s key, which begins with %s', async (environment, prefix, asked) => {
    const { status, data } = await create(alice, {
      name: 'shop backend',
      ...(asked && { environment: asked }),
    });
    expect(status).toBe(201);
    expect(data).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'shop backend',
      environment,
      keyPrefix: data!.key!.slice(0, 12),
      key: expect.stringMatching(new RegExp(`^${prefix}[0-9A-Za-z]{36}$`)),
      createdAt: expect.stringMatching(/Z$/),
    });
    expect(hasChecksum(data!.key!)).toBe(true);
    expect(await useKey(data!.key!)).toBe(200);
  });

  test.each([
    ['no name', {}, /name/],
    ['an empty name', { name: '' }, /name/],
    ['a name of 65 characters', { name: 'x'.repeat(65) }, /name/],
    ['another environment', { name: 'x', environment: 'test' }, /environment/],
    ['an unknown field', { name: 'x', expires: 1 }, /expires/],
  ])('refuses %s and makes no key', async (_case, body, words) => {
    const before = (await list(alice)).data.length;
    const response = await fetch(`${mintmark.url}/v1/api-keys`, {
      method: 'POST',
      headers: { Cookie: `service_session=${alice.cookie}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(422);
    expect(await response.json()).toEqual({
      code: 'VALIDATION_ERROR',
      message: expect.stringMatching(words),
    });
    expect((await list(alice)).data).toHaveLength(before);
  });

  test('a replay returns the same key without its secret', async () => {
    const carol = await mintmark.register();
    const idempotencyKey = randomUUID();
    const first = await create(carol, { name: 'once' }, idempotencyKey);
    const again = await create(carol, { name: 'once' }, idempotencyKey);
    const { key, ...shown } = first.data!;
    expect(key).toMatch(/^mtk_/);
    expect(again).toEqual({ status: 201, data: shown, error: undefined });
    expect((await list(carol)).data).toHaveLength(1);

    const other = await create(carol, { name: 'another' }, idempotencyKey);
    expect({ status: other.status, error: other.error }).toMatchObject({
      status: 422,
      error: { code: 'VALIDATION_ERROR', message: expect.stringContaining('Idempotency-Key') },
    });
    expect((await list(carol)).data).toHaveLength(1);
  });

  test('twenty requests at once under one Idempotency-Key make one key, and one of them gets its secret', async () => {
    const carol = await mintmark.register();
    const idempotencyKey = randomUUID();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => create(carol, { name: 'once' }, idempotencyKey)),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    expect(answers.filter(({ data }) => data!.key !== undefined)).toHaveLength(1);
    expect(new Set(answers.map(({ data }) => data!.id)).size).toBe(1);
    expect((await list(carol)).data).toHaveLength(1);
  });
});

describe('the limit of 20 keys', () => {
  test('the 21st key of an environment is 409; a revoked one makes room, and the other environment has its own', async () => {
    const carol = await mintmark.register();
    const statuses: number[] = [];
    // More at once than there is room for.
    for (const answer of await Promise.all(Array.from({ length: 25 }, () => create(carol, { name: 'many' }))))
      statuses.push(answer.status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(20);
    expect(statuses.filter((status) => status === 409)).toHaveLength(5);
    const refused = await create(carol, { name: 'one more' });
    expect(refused).toMatchObject({
      status: 409,
      error: { code: 'CONFLICT', message: 'There are 20 live keys already; revoke one first' },
    });
    expect((await create(carol, { name: 'other', environment: 'sandbox' })).status).toBe(201);
    await revoke(carol, (await list(carol)).data.find(({ environment }) => environment === 'live')!.id);
    expect((await create(carol, { name: 'room again' })).status).toBe(201);
    expect((await create(carol, { name: 'full again' })).status).toBe(409);
  });

  test('a refused key leaves its Idempotency-Key free, and a replay of an earlier one is answered', async () => {
    const carol = await mintmark.register();
    const early = randomUUID();
    const first = await create(carol, { name: 'early' }, early);
    for (let made = 1; made < 20; made += 1) await create(carol, { name: 'more' });
    const late = randomUUID();
    expect((await create(carol, { name: 'late' }, late)).status).toBe(409);
    expect((await create(carol, { name: 'early' }, early)).data!.id).toBe(first.data!.id);
    await revoke(carol, first.data!.id);
    expect((await create(carol, { name: 'late' }, late)).status).toBe(201);
  });
});

describe('GET /v1/api-keys', () => {
  test('pages through own keys, newest first, with revoked ones and without secrets', async () => {
    const carol = await mintmark.register();
    const made = [];
    for (const environment of ['live', 'sandbox', 'live'] as const) {
      made.unshift(await createKey(mintmark, carol, environment));
    }
    await revoke(carol, made[1]!.id);
    const first = await list(carol, { limit: 2 });
    const second = await list(carol, { limit: 2, cursor: first.nextCursor! });
    expect(second.nextCursor).toBeNull();
    const rows = [...first.data, ...second.data];
    expect(rows.map(({ id }) => id)).toEqual(made.map(({ id }) => id));
    expect(rows.map(({ revokedAt }) => revokedAt === null)).toEqual([true, false, true]);
    expect(rows.map(({ keyPrefix }) => keyPrefix)).toEqual(made.map(({ key }) => key.slice(0, 12)));
    expect(JSON.stringify(rows)).not.toContain('"key"');
    expect((await list(await mintmark.register())).data).toEqual([]);
  });
});

describe('DELETE /v1/api-keys/{id}', () => {
  test('the key gets 401 at once, and a second revocation is 409', async () => {
    const { id, key } = await createKey(mintmark, alice);
    expect(await useKey(key)).toBe(200);
    expect(await revoke(alice, id)).toEqual({
      status: 200,
      body: {
        id,
        name: 'a live key',
        environment: 'live',
        keyPrefix: key.slice(0, 12),
        createdAt: expect.stringMatching(/Z$/),
        revokedAt: expect.stringMatching(/Z$/),
      },
    });
    expect(await useKey(key)).toBe(401);
    expect(await revoke(alice, id)).toMatchObject({ status: 409, body: { code: 'CONFLICT' } });
  });

  test('of ten revocations at once, one succeeds', async () => {
    const { id } = await createKey(mintmark, alice);
    const statuses = (await Promise.all(Array.from({ length: 10 }, () => revoke(alice, id)))).map(
      ({ status }) => status,
    );
    expect(statuses.sort()).toEqual([200, ...Array<number>(9).fill(409)]);
  });

  test("another account's key and an unknown one are 404, and the key still works", async () => {
    const { id, key } = await createKey(mintmark, alice);
    expect(await revoke(bob, id)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    expect(await revoke(bob, randomUUID())).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    expect(await useKey(key)).toBe(200);
  });

  test('the id of a session is 404', async () => {
    const [session] = await query<{ id: string }>(
      mintmark.service.context.db,
      `select id from credentials where account_id = :accountId and kind = 'session'`,
      { accountId: alice.id },
    );
    expect((await revoke(alice, session!.id)).status).toBe(404);
    expect((await sessionOf(mintmark, alice).GET('/v1/auth/me')).response.status).toBe(200);
  });
});

describe('which credential works where', () => {
  test('keys are managed with the session cookie only', async () => {
    const ask = createAsk(mintmark.url);
    const { id, key } = await createKey(mintmark, alice);
    const sandbox = await createKey(mintmark, alice, 'sandbox');
    for (const token of [key, sandbox.key, alice.token]) {
      for (const [method, path, body] of [
        ['GET', '/v1/api-keys', undefined],
        ['POST', '/v1/api-keys', { name: 'more' }],
        ['DELETE', `/v1/api-keys/${id}`, undefined],
        ['GET', '/v1/billing/credits', undefined],
      ] as const) {
        const { status, body: answer } = await ask({ token }, method, path, body);
        expect({ method, path, status, answer }).toMatchObject({
          status: 401,
          answer: { code: 'UNAUTHORIZED' },
        });
      }
    }
    expect(await useKey(key)).toBe(200);
  });

  test('a live key works with the token API except the profile; a sandbox key is 403 there', async () => {
    const ask = createAsk(mintmark.url);
    const live = { token: (await createKey(mintmark, alice)).key };
    const sandbox = { token: (await createKey(mintmark, alice, 'sandbox')).key };
    expect(await ask(live, 'GET', '/me')).toMatchObject({ status: 200, body: { email: alice.email } });
    expect(await ask(live, 'PATCH', '/me', { walletAddress: null })).toMatchObject({
      status: 403,
      body: { code: 'FORBIDDEN' },
    });
    for (const path of ['/me', '/stats', '/stats/gas', '/tokens']) {
      expect(await ask(sandbox, 'GET', path)).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    }
  });
});

test('a dump of the database contains no secret of a key in any encoding', async () => {
  const { db } = mintmark.service.context;
  const { data } = await create(alice, { name: 'secret' }, randomUUID());
  const keys = [data!.key!, (await createKey(mintmark, alice, 'sandbox')).key];
  for (const key of keys) expect(await useKey(key)).toBe(200);
  const tables = await query<{ name: string }>(
    db,
    `select table_name as name from information_schema.tables where table_schema = 'public'`,
  );
  const rows = await Promise.all(
    tables.map(({ name }) => query<{ row: string }>(db, `select t::text as row from "${name}" t`)),
  );
  const dump = rows
    .flat()
    .map(({ row }) => row)
    .join('\n');
  // The dump is the one to search: it has the hashes and the prefixes.
  for (const key of keys) {
    expect(dump).toContain(createHash('sha256').update(key).digest('hex'));
    expect(dump).toContain(key.slice(0, 12));
    for (const spelling of [key, Buffer.from(key).toString('hex'), Buffer.from(key).toString('base64')]) {
      expect(dump.split(spelling.replace(/=+$/, '')).length - 1).toBe(0);
    }
    // Nor what follows the prefix that is shown.
    expect(dump).not.toContain(key.slice(12));
  }
});
