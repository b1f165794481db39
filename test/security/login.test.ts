import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createMintmarkClient } from '../../generated/client.ts';
import { query } from '../../src/db/client.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestAccount, TestService } from '../../lab/stage/service.ts';

let mintmark: TestService;
let alice: TestAccount;

beforeAll(async () => {
  const limits = { LOGIN_FAILURES_PER_ACCOUNT: '10', LOGIN_FAILURES_PER_ADDRESS: '1000' };
  mintmark = await startTestService({ ...limits, TRUST_PROXY: '1' });
  alice = await mintmark.register();
});

afterAll(async () => {
  await mintmark?.stop();
});

async function signIn(email: string, password: string, from = '192.0.2.1') {
  const response = await fetch(`${mintmark.url}/auth/signin`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': from },
    body: JSON.stringify({ email, password }),
  });
  return {
    status: response.status,
    retryAfter: response.headers.get('retry-after'),
    text: await response.text(),
  };
}

const statuses = async (attempts: Promise<{ status: number }>[]): Promise<number[]> =>
  (await Promise.all(attempts)).map(({ status }) => status).sort();
const times = (status: number, count: number): number[] => Array.from({ length: count }, () => status);
const forget = () => query(mintmark.service.context.db, 'delete from login_attempts');

test('concurrent guesses from many addresses, in any case of the e-mail, stop at the limit', async () => {
  await forget();
  const guesses = Array.from({ length: 30 }, (_, index) =>
    signIn(index % 2 ? alice.email : alice.email.toUpperCase(), `guess ${index}`, `192.0.2.${index}`),
  );
  expect(await statuses(guesses)).toEqual([...times(401, 10), ...times(429, 20)]);

  const right = await signIn(alice.email, alice.password, '198.51.100.1');
  expect(right.status).toBe(429);
  expect(Number(right.retryAfter)).toBeGreaterThan(3_500);
  expect(Number(right.retryAfter)).toBeLessThanOrEqual(3_600);
  expect(JSON.parse(right.text)).toMatchObject({ code: 'RATE_LIMITED' });
  expect((await alice.api.GET('/me')).response.status).toBe(200);
});

test('an unknown e-mail is throttled with the same answers as a known one, in any case', async () => {
  await forget();
  const answersOf = async (email: string): Promise<string[]> => {
    const answers: string[] = [];
    for (let guess = 0; guess < 11; guess += 1) {
      const { status, text } = await signIn(guess % 2 ? email : email.toUpperCase(), 'wrong');
      answers.push(`${status} ${text.replace(/\d+ seconds/, 'n seconds')}`);
    }
    return answers;
  };
  const known = await answersOf(alice.email);
  expect(known.at(-1)).toMatch(/^429 /);
  expect(await answersOf(`${randomUUID()}@example.com`)).toEqual(known);
});

test('a right password resets the count of the account', async () => {
  await forget();
  for (let round = 0; round < 3; round += 1) {
    expect(await statuses(Array.from({ length: 9 }, () => signIn(alice.email, 'wrong')))).toEqual(
      times(401, 9),
    );
    expect((await signIn(alice.email, alice.password)).status).toBe(200);
  }
});

test('wrong current passwords in a change of password count like failed logins', async () => {
  await forget();
  const change = async (currentPassword: string) => {
    const { response } = await createMintmarkClient({ baseUrl: mintmark.url, cookie: alice.cookie }).POST(
      '/v1/auth/password',
      { body: { currentPassword, newPassword: 'taken over by others' } },
    );
    return { status: response.status };
  };
  expect(await statuses(Array.from({ length: 9 }, (_, guess) => change(`guess ${guess}`)))).toEqual(
    times(401, 9),
  );
  expect((await signIn(alice.email, 'guess 10')).status).toBe(401);
  expect(await change('guess 11')).toEqual({ status: 429 });
  expect(await change(alice.password)).toEqual({ status: 429 });
  await forget();
  expect((await signIn(alice.email, alice.password)).status).toBe(200);
});

test('an address that tries many accounts stops at its limit, without effect on others; right passwords do not count', async () => {
  await mintmark.restart({ LOGIN_FAILURES_PER_ADDRESS: '5' });
  await forget();
  for (let round = 0; round < 8; round += 1) {
    expect((await signIn(alice.email, alice.password, '203.0.113.9')).status).toBe(200);
  }
  const stuffing = Array.from({ length: 12 }, () =>
    signIn(`${randomUUID()}@example.com`, 'x', '203.0.113.9'),
  );
  expect(await statuses(stuffing)).toEqual([...times(401, 5), ...times(429, 7)]);
  expect((await signIn(alice.email, alice.password, '203.0.113.9')).status).toBe(429);
  expect((await signIn(alice.email, alice.password, '203.0.113.10')).status).toBe(200);
});

test('the stored counts reveal neither e-mail nor address', async () => {
  await forget();
  await signIn('somebody@example.com', 'wrong', '203.0.113.77');
  const { db } = mintmark.service.context;
  const rows = await query<{ key: string }>(db, 'select key from login_attempts');
  expect(rows).toHaveLength(2);
  expect(JSON.stringify(rows)).not.toMatch(/somebody|example|203\.0/);
});

describe('whoever is refused locks nobody else out:', () => {
  const throttled = async (accountId: string) =>
    query(
      mintmark.service.context.db,
      `select details->>'kind' as kind, address from audit_entries
        where action = 'password_throttled' and account_id = :accountId`,
      { accountId },
    );

  test('tries of a refused address count for no account, and are noted once', async () => {
    await mintmark.restart({ LOGIN_FAILURES_PER_ADDRESS: '5', PASSWORDS_PER_ACCOUNT: '5' });
    await forget();
    const victim = await mintmark.register();
    const from = '203.0.113.20';
    for (let guess = 0; guess < 5; guess += 1) await signIn(`${randomUUID()}@example.com`, 'wrong', from);
    const tries = Array.from({ length: 30 }, () => signIn(victim.email, 'wrong', from));
    expect(await statuses(tries)).toEqual(times(429, 30));
    expect((await signIn(victim.email, victim.password, '198.51.100.20')).status).toBe(200);
    expect(await throttled(victim.id)).toEqual([{ kind: 'access_token', address: from }]);
  });

  test('tries at a throttled account do not use up their address', async () => {
    await mintmark.restart({ LOGIN_FAILURES_PER_ADDRESS: '5' });
    await forget();
    const [victim, neighbour] = [await mintmark.register(), await mintmark.register()];
    for (let guess = 0; guess < 10; guess += 1) await signIn(victim.email, 'wrong', `192.0.2.${guess}`);
    const from = '203.0.113.21';
    const tries = Array.from({ length: 8 }, () => signIn(victim.email, victim.password, from));
    expect(await statuses(tries)).toEqual(times(429, 8));
    expect((await signIn(neighbour.email, neighbour.password, from)).status).toBe(200);
  });

  test('registrations with the e-mail of another count for no account', async () => {
    await mintmark.restart({ PASSWORDS_PER_ACCOUNT: '5' });
    await forget();
    const victim = await mintmark.register();
    for (let count = 0; count < 6; count += 1) {
      const response = await fetch(`${mintmark.url}/v1/auth/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': '203.0.113.22' },
        body: JSON.stringify({ email: victim.email, password: 'no owner has it', inviteCode: randomUUID() }),
      });
      expect(response.status).toBe(422);
    }
    expect((await signIn(victim.email, victim.password, '198.51.100.22')).status).toBe(200);
  });
});

describe('passwords in a minute', () => {
  const register = async (email: string, inviteCode: string, from: string) => {
    const response = await fetch(`${mintmark.url}/v1/auth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': from },
      body: JSON.stringify({ email, password: 'correct horse battery', inviteCode }),
    });
    return { status: response.status, retryAfter: Number(response.headers.get('retry-after')) };
  };

  test('are counted by account, right ones too, from whatever addresses', async () => {
    await mintmark.restart({ PASSWORDS_PER_ACCOUNT: '5' });
    await forget();
    const bob = await mintmark.register();
    const answers: number[] = [];
    for (let count = 0; count < 6; count += 1) {
      answers.push((await signIn(alice.email, alice.password, `198.51.100.${count}`)).status);
    }
    expect(answers).toEqual([...times(200, 5), 429]);
    const refused = await signIn(alice.email, alice.password, '198.51.100.77');
    expect(Number(refused.retryAfter)).toBeLessThanOrEqual(60);
    expect(JSON.parse(refused.text)).toMatchObject({ code: 'RATE_LIMITED' });
    expect((await signIn(bob.email, bob.password)).status).toBe(200);
    expect((await alice.api.GET('/me')).response.status).toBe(200);
  });

  test('are counted by address, those of registrations too', async () => {
    await mintmark.restart({ PASSWORDS_PER_ADDRESS: '5' });
    await forget();
    const invite = randomUUID();
    await mintmark.service.context.accounts.ensureInvites([invite]);
    for (let count = 0; count < 5; count += 1) {
      expect((await register(`${randomUUID()}@example.com`, randomUUID(), '198.51.100.1')).status).toBe(422);
    }
    const email = `${randomUUID()}@example.com`;
    const refused = await register(email, invite, '198.51.100.1');
    expect(refused.status).toBe(429);
    expect(refused.retryAfter).toBeLessThanOrEqual(60);
    expect((await signIn(alice.email, alice.password, '198.51.100.1')).status).toBe(429);
    expect((await register(email, invite, '198.51.100.2')).status).toBe(201);
  });
});
