import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createMintmarkClient } from '../../generated/client.ts';
import { query } from '../../src/db/client.ts';
import { HASH_COST, hashPassword } from '../../src/features/accounts/password.ts';
import { issuedCookie } from '../../lab/stage/credentials.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestAccount, TestService } from '../../lab/stage/service.ts';

const WALLET = '0x5dad7600C5D89fE3824fFa99ec1c3eB8BF3b0501';
const PASSWORD = 'a password of mine';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

let mintmark: TestService;
let alice: TestAccount;

beforeAll(async () => {
  mintmark = await startTestService({}, { passwordCost: HASH_COST });
  alice = await mintmark.register();
});

afterAll(async () => {
  await mintmark?.stop();
});

const newEmail = (): string => `${randomUUID()}@example.com`;

async function newInvite(): Promise<string> {
  const code = randomUUID();
  await mintmark.service.context.accounts.ensureInvites([code]);
  return code;
}

async function register(body: { email?: string; password?: string; inviteCode: string }) {
  const answer = await mintmark.anonymous.POST('/v1/auth/register', {
    body: { email: newEmail(), password: PASSWORD, ...body },
  });
  return { ...answer, status: answer.response.status };
}

async function logIn(email: string, password: string) {
  const answer = await mintmark.anonymous.POST('/v1/auth/login', { body: { email, password } });
  return { ...answer, status: answer.response.status };
}

async function signIn(email: string, password: string) {
  const answer = await mintmark.anonymous.POST('/auth/signin', { body: { email, password } });
  return { ...answer, status: answer.response.status };
}

const clientOf = (credential: { token?: string; cookie?: string }) =>
  createMintmarkClient({ baseUrl: mintmark.url, ...credential });
/** Attributes of the only cookie, without its value, in alphabetical order. */
function cookieAttributes(response: Response): string[] {
  const cookies = response.headers.getSetCookie();
  expect(cookies).toHaveLength(1);
  return cookies[0]!
    .split('; ')
    .slice(1)
    .filter((attribute) => !attribute.startsWith('Expires='))
    .sort();
}

const countAccounts = async (): Promise<bigint> =>
  (await query<{ n: bigint }>(mintmark.service.context.db, 'select count(*) as n from accounts'))[0]!.n;

describe('POST /v1/auth/register', () => {
  test('answers the profile and a session cookie that scripts and other sites cannot use', async () => {
    const email = newEmail();
    const { data, response, status } = await register({ email, inviteCode: await newInvite() });
    expect(status).toBe(201);
    expect(data).toEqual({ id: expect.stringMatching(UUID), email, plan: 'BASIC', walletAddress: null });
    expect(cookieAttributes(response)).toEqual(['HttpOnly', 'Max-Age=604800', 'Path=/', 'SameSite=Lax']);
    const session = await clientOf({ cookie: issuedCookie(response) }).GET('/v1/auth/me');
    expect(session.data).toEqual(data);
  });

  test('refuses an unknown and a used invite with the same message', async () => {
    const inviteCode = await newInvite();
    expect((await register({ inviteCode })).status).toBe(201);
    const before = await countAccounts();
    const used = await register({ inviteCode });
    const unknown = await register({ inviteCode: randomUUID() });
    expect([used.status, unknown.status]).toEqual([422, 422]);
    expect(used.error).toMatchObject({ code: 'VALIDATION_ERROR', message: expect.stringMatching(/invite/i) });
    expect(unknown.error).toEqual(used.error);
    expect(used.response.headers.getSetCookie()).toEqual([]);
    expect(await countAccounts()).toBe(before);
  });

  test('refuses an e-mail that is taken in another case, and leaves the invite usable', async () => {
    const inviteCode = await newInvite();
    const taken = await register({ email: alice.email.toUpperCase(), inviteCode });
    expect(taken.status).toBe(409);
    expect(taken.error).toMatchObject({ code: 'CONFLICT' });
    expect((await register({ inviteCode })).status).toBe(201);
  });

  test('an invite is refused after ten tries with e-mails that are taken', async () => {
    const inviteCode = await newInvite();
    const tries = await Promise.all(
      Array.from({ length: 14 }, () => register({ email: alice.email, inviteCode })),
    );
    expect(tries.map(({ status }) => status).sort()).toEqual([
      ...Array.from({ length: 10 }, () => 409),
      ...Array.from({ length: 4 }, () => 422),
    ]);
    const fresh = await register({ inviteCode });
    expect(fresh.status).toBe(422);
    expect(fresh.error).toMatchObject({ message: expect.stringMatching(/invite/i) });
  });

  test('an e-mail that is taken costs no hash of a password', async () => {
    const [taken, unknown] = [await newInvite(), randomUUID()];
    /** Milliseconds of the processor, on all threads. */
    const costOf = async (work: () => Promise<unknown>): Promise<number> => {
      const before = process.cpuUsage();
      await work();
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1_000;
    };
    const costs = { taken: Infinity, unknown: Infinity, hash: Infinity };
    for (let round = 0; round < 4; round += 1) {
      const cost = {
        taken: await costOf(() => register({ email: alice.email, inviteCode: taken })),
        unknown: await costOf(() => register({ email: alice.email, inviteCode: unknown })),
        hash: await costOf(() => hashPassword(PASSWORD)),
      };
      for (const name of ['taken', 'unknown', 'hash'] as const)
        costs[name] = Math.min(costs[name], cost[name]);
    }
    expect(costs.taken - costs.unknown).toBeLessThan(costs.hash / 2);
  });

  test('one invite makes one account when many requests use it at once', async () => {
    const inviteCode = await newInvite();
    const before = await countAccounts();
    const answers = await Promise.all(Array.from({ length: 50 }, () => register({ inviteCode })));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([201, ...Array.from({ length: 49 }, () => 422)]);
    expect(await countAccounts()).toBe(before + 1n);
  });

  test('one e-mail makes one account when many invites are used for it at once', async () => {
    const email = newEmail();
    const invites = await Promise.all(Array.from({ length: 5 }, newInvite));
    const answers = await Promise.all(
      invites.map((inviteCode, index) =>
        register({ email: index % 2 ? email : email.toUpperCase(), inviteCode }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
    const [open] = await query<{ n: bigint }>(
      mintmark.service.context.db,
      'select count(*) as n from invites where used_by is null and code_hash = any(:hashes::bytea[])',
      { hashes: invites.map((code) => createHash('sha256').update(code).digest()) },
    );
    expect(open!.n).toBe(4n);
  });

  test.each([
    [7, 422],
    [8, 201],
    [128, 201],
    [129, 422],
  ])('a password of %i characters answers %i', async (length, status) => {
    const inviteCode = await newInvite();
    const email = newEmail();
    // Characters outside the basic plane: two units of UTF-16 each, four bytes of UTF-8, one character.
    const password = '💧🔥'.repeat(length).slice(0, 2 * length);
    const answer = await register({ email, password, inviteCode });
    expect(answer.status).toBe(status);
    if (status === 201) expect((await logIn(email, password)).status).toBe(200);
    else expect((await register({ inviteCode })).status).toBe(201);
  });
});

describe('signing in', () => {
  test('POST /v1/auth/login answers the profile and a new cookie, in any case of the e-mail', async () => {
    const { data, response, status } = await logIn(alice.email.toUpperCase(), alice.password);
    expect(status).toBe(200);
    expect(data).toEqual({ id: alice.id, email: alice.email, plan: 'BASIC', walletAddress: null });
    expect(cookieAttributes(response)).toEqual(['HttpOnly', 'Max-Age=604800', 'Path=/', 'SameSite=Lax']);
    expect(issuedCookie(response)).not.toBe(alice.cookie);
    // The earlier session lives on.
    expect((await clientOf({ cookie: alice.cookie }).GET('/v1/auth/me')).response.status).toBe(200);
  });

  test('POST /auth/signin answers an access token that a secret scanner can recognise', async () => {
    const { data, response, status } = await signIn(alice.email, alice.password);
    expect(status).toBe(200);
    expect(data).toEqual({
      token: expect.stringMatching(/^mta_[0-9A-Za-z]{36}$/),
      user: { id: alice.id, email: alice.email, plan: 'BASIC' },
    });
    expect(response.headers.getSetCookie()).toEqual([]);
    expect((await clientOf({ token: data!.token }).GET('/me')).data?.id).toBe(alice.id);
  });

  test.each([
    ['/v1/auth/login', logIn],
    ['/auth/signin', signIn],
  ])('POST %s answers the same for an unknown e-mail and a wrong password', async (_route, enter) => {
    const wrong = await enter(alice.email, `${alice.password}!`);
    const unknown = await enter(newEmail(), alice.password);
    expect([wrong.status, unknown.status]).toEqual([401, 401]);
    expect(wrong.error).toMatchObject({
      code: 'UNAUTHORIZED',
      message: expect.stringMatching(/invalid credentials/i),
    });
    expect(unknown.error).toEqual(wrong.error);
    expect(wrong.response.headers.getSetCookie()).toEqual([]);
    const names = ({ response }: { response: Response }): string[] => [...response.headers.keys()].sort();
    expect(names(unknown)).toEqual(names(wrong));
  });

  test('an unknown e-mail takes as long as a wrong password', async () => {
    const timeOf = async (email: string): Promise<number> => {
      // Of the processor, in which the hash is computed on threads of this process: a busy machine adds none of it.
      const before = process.cpuUsage();
      expect((await signIn(email, 'not the password')).status).toBe(401);
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    const times: { unknown: number; wrong: number }[] = [];
    for (let attempt = 0; attempt < 8; attempt += 1) {
      times.push({ unknown: await timeOf(newEmail()), wrong: await timeOf(alice.email) });
    }
    // The least of each: what else the process does only ever adds.
    const unknown = Math.min(...times.map((time) => time.unknown));
    const wrong = Math.min(...times.map((time) => time.wrong));
    expect(unknown / wrong).toBeGreaterThan(0.65);
  });
});

describe('credentials', () => {
  test('each kind works only for its operations', async () => {
    const status = async (answer: Promise<{ response: Response; error?: unknown }>) => {
      const { response, error } = await answer;
      return [response.status, (error as { code?: string } | undefined)?.code];
    };
    const unauthorized = [401, 'UNAUTHORIZED'];
    expect(await status(clientOf({ cookie: alice.cookie }).GET('/me'))).toEqual(unauthorized);
    expect(await status(clientOf({ cookie: alice.cookie }).GET('/stats'))).toEqual(unauthorized);
    expect(await status(clientOf({ token: alice.cookie }).GET('/me'))).toEqual(unauthorized);
    expect(await status(clientOf({ token: alice.token }).GET('/v1/auth/me'))).toEqual(unauthorized);
    expect(await status(clientOf({ cookie: alice.token }).GET('/v1/auth/me'))).toEqual(unauthorized);
    expect(await status(mintmark.anonymous.GET('/me'))).toEqual(unauthorized);
    expect(await status(mintmark.anonymous.GET('/v1/auth/me'))).toEqual(unauthorized);
    expect(await status(clientOf({ cookie: alice.cookie }).GET('/v1/auth/me'))).toEqual([200, undefined]);
    expect(await status(alice.api.GET('/me'))).toEqual([200, undefined]);
  });

  test.each([
    'garbage',
    `mta_${'0'.repeat(36)}`,
    'x'.repeat(5_000),
    'undefined',
    "' or 1=1 --".replaceAll(' ', '+'),
  ])('a bearer token that was never issued is 401: %#', async (token) => {
    const { response, error } = await clientOf({ token }).GET('/me');
    expect(response.status).toBe(401);
    expect(error).toMatchObject({ code: 'UNAUTHORIZED' });
    expect(response.headers.get('WWW-Authenticate')).toBe('Bearer');
  });

  test.each([
    ['revoked', 'revoked_at = now()'],
    ['expired', "expires_at = now() - interval '1 millisecond'"],
  ])('one that is %s gets 401 at once', async (_state, change) => {
    const { db } = mintmark.service.context;
    const carol = await mintmark.register();
    const session = clientOf({ cookie: carol.cookie });
    const statuses = async (): Promise<number[]> => [
      (await carol.api.GET('/me')).response.status,
      (await session.GET('/v1/auth/me')).response.status,
    ];
    const end = (kind: string) =>
      query(db, `update credentials set ${change} where account_id = :accountId and kind = :kind`, {
        accountId: carol.id,
        kind,
      });
    expect(await statuses()).toEqual([200, 200]);
    await end('access_token');
    expect(await statuses()).toEqual([401, 200]);
    await end('session');
    expect(await statuses()).toEqual([401, 401]);
    // The account itself is whole.
    expect((await signIn(carol.email, carol.password)).status).toBe(200);
  });

  test('sessions live 7 days and access tokens 12 hours, by the clock of the database', async () => {
    const rows = await query<{ kind: string; hours: number }>(
      mintmark.service.context.db,
      `select kind, extract(epoch from max(expires_at - created_at))::float8 / 3600 as hours
         from credentials where account_id = :accountId group by kind order by kind`,
      { accountId: alice.id },
    );
    expect(rows).toEqual([
      { kind: 'access_token', hours: 12 },
      { kind: 'session', hours: 168 },
    ]);
  });
});

describe('the profile', () => {
  const setWallet = async (walletAddress: string | null, { api }: TestAccount = alice) => {
    const { data, error, response } = await api.PATCH('/me', { body: { walletAddress } });
    return { status: response.status, body: data ?? error };
  };
  const profile = (walletAddress: string | null) => ({
    id: alice.id,
    email: alice.email,
    plan: 'BASIC',
    walletAddress,
  });

  test('a wallet address is taken in any case and returned in EIP-55, and null clears it', async () => {
    for (const spelling of [WALLET, WALLET.toLowerCase(), `0x${WALLET.slice(2).toUpperCase()}`]) {
      expect(await setWallet(null)).toEqual({ status: 200, body: profile(null) });
      expect(await setWallet(spelling)).toEqual({ status: 200, body: profile(WALLET) });
      expect((await alice.api.GET('/me')).data).toEqual(profile(WALLET));
      const session = await clientOf({ cookie: alice.cookie }).GET('/v1/auth/me');
      expect(session.data).toEqual(profile(WALLET));
    }
    expect(await setWallet(null)).toEqual({ status: 200, body: profile(null) });
    expect((await alice.api.GET('/me')).data).toEqual(profile(null));
  });

  test.each([
    ['a wrong checksum', WALLET.replace('d', 'D')],
    ['the zero address', `0x${'0'.repeat(40)}`],
    ['39 digits', WALLET.slice(0, -1)],
    ['no 0x', WALLET.slice(2)],
    ['an upper-case 0X', WALLET.replace('0x', '0X')],
    ['nothing', ''],
  ])('%s is 422 and changes nothing', async (_case, walletAddress) => {
    await setWallet(WALLET);
    const refused = await setWallet(walletAddress);
    expect(refused).toMatchObject({ status: 422, body: { code: 'VALIDATION_ERROR' } });
    expect((refused.body as { message: string }).message).toContain('walletAddress');
    expect((await alice.api.GET('/me')).data).toEqual(profile(WALLET));
    await setWallet(null);
  });

  test('is read and changed by its own account only', async () => {
    const bob = await mintmark.register();
    await setWallet(WALLET, bob);
    expect((await alice.api.GET('/me')).data).toEqual(profile(null));
  });
});

describe('behind HTTPS', () => {
  test('the cookie is Secure', async () => {
    await mintmark.restart({ PUBLIC_URL: 'https://mint.example.org' });
    const registered = await register({ inviteCode: await newInvite() });
    expect(registered.status).toBe(201);
    const entered = await logIn(alice.email, alice.password);
    for (const { response } of [registered, entered]) {
      expect(cookieAttributes(response)).toEqual([
        'HttpOnly',
        'Max-Age=604800',
        'Path=/',
        'SameSite=Lax',
        'Secure',
      ]);
    }
  });
});

describe('what the database keeps', () => {
  test('it holds no secret in plain text', async () => {
    const { db, accounts } = mintmark.service.context;
    const shortInvite = 'q7Zx';
    const inviteCode = `${randomUUID()}-${randomUUID()}`;
    await accounts.ensureInvites([inviteCode, shortInvite]);
    const email = newEmail();
    const password = `p-${randomUUID()}`;
    const registered = await register({ email, password, inviteCode });
    const { data } = await signIn(email, password);
    const tables = await query<{ name: string }>(
      db,
      `select table_name as name from information_schema.tables where table_schema = 'public' order by 1`,
    );
    expect(tables.length).toBeGreaterThan(10);
    const rows = await Promise.all(
      tables.map(({ name }) => query<{ row: string }>(db, `select t::text as row from "${name}" t`)),
    );
    const dump = rows
      .flat()
      .map(({ row }) => row)
      .join('\n');
    // The dump is the one to search: it has the account, and the hash of the token in bytea's hex.
    expect(dump).toContain(email);
    expect(dump).toContain(createHash('sha256').update(data!.token).digest('hex'));
    expect(dump).toContain(createHash('sha256').update(inviteCode).digest('hex'));

    const secrets = [password, inviteCode, shortInvite, data!.token, issuedCookie(registered.response)];
    const found = secrets.filter((secret) =>
      [
        secret,
        Buffer.from(secret).toString('hex'),
        Buffer.from(secret).toString('base64').replace(/=+$/, ''),
      ].some((spelling) => dump.includes(spelling)),
    );
    expect(found).toEqual([]);
  });

  test('passwords are kept as argon2id of at least 19 MiB and two passes', async () => {
    const rows = await query<{ password_hash: string }>(
      mintmark.service.context.db,
      'select password_hash from accounts',
    );
    for (const { password_hash } of rows) {
      const [, memory, passes] = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=1\$/.exec(password_hash)!;
      expect(Number(memory)).toBeGreaterThanOrEqual(19_456);
      expect(Number(passes)).toBeGreaterThanOrEqual(2);
    }
    expect(new Set(rows.map(({ password_hash }) => password_hash)).size).toBe(rows.length);
  });
});
