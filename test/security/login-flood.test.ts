import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { HASH_COST } from '../../src/features/accounts/password.ts';
import { query } from '../../src/db/client.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestAccount, TestService } from '../../lab/stage/service.ts';

let mintmark: TestService;
let alice: TestAccount;

afterAll(async () => {
  await mintmark?.stop();
});

async function signIn(email: string, password: string, from: string) {
  const { status, headers } = await fetch(`${mintmark.url}/auth/signin`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': from },
    body: JSON.stringify({ email, password }),
  });
  return { status, retryAfter: headers.get('retry-after') };
}

const forget = () => query(mintmark.service.context.db, 'delete from login_attempts');

describe('hashing', () => {
  /** Each hash takes four times what it does in production, so that requests come faster than they are hashed. */
  const passwordCost = { ...HASH_COST, timeCost: 4 * HASH_COST.timeCost };

  beforeAll(async () => {
    const limits = { LOGIN_FAILURES_PER_ACCOUNT: '1000', LOGIN_FAILURES_PER_ADDRESS: '100000' };
    mintmark = await startTestService({ ...limits, TRUST_PROXY: '1' }, { passwordCost });
    alice = await mintmark.register();
  });

  test('is done for addresses in turn: one that signs in without end delays nobody else', async () => {
    await forget();
    const bob = await mintmark.register();
    const flood = Array.from({ length: 160 }, (_, index) =>
      signIn(`${index}@example.com`, alice.password, '203.0.113.1'),
    );
    await sleep(200);
    const began = performance.now();
    expect((await signIn(bob.email, bob.password, '203.0.113.2')).status).toBe(200);
    const waited = performance.now() - began;
    const answers = await Promise.all(flood);
    const taken = answers.filter(({ status }) => status === 401).length;
    const whole = performance.now() - began;
    expect(waited).toBeLessThan(whole / 4);
    // 128 may wait, beside what is hashed meanwhile; the others are told when to come back.
    expect(taken).toBeGreaterThanOrEqual(128);
    expect(taken).toBeLessThan(160);
    expect(answers.every(({ status, retryAfter }) => status === 401 || retryAfter === '5')).toBe(true);
  });

  test('is done for 16 sign-ins of an account at a time, from whatever addresses', async () => {
    await forget();
    const flood = Array.from({ length: 60 }, (_, index) =>
      signIn(alice.email, alice.password, `198.51.100.${index}`),
    );
    const answers = await Promise.all(flood);
    const busy = answers.filter(({ retryAfter }) => retryAfter === '5').length;
    expect(busy).toBeGreaterThan(10);
    expect((await signIn(alice.email, alice.password, '198.51.100.200')).status).toBe(200);
  });

  test('that is refused is no failure of the account', async () => {
    await forget();
    const flood = Array.from({ length: 60 }, (_, index) =>
      signIn(alice.email, 'wrong', `198.51.100.${index}`),
    );
    const hashed = (await Promise.all(flood)).filter(({ status }) => status === 401).length;
    expect(hashed).toBeLessThan(50);
    const counts = await query<{ points: number }>(
      mintmark.service.context.db,
      `select points from login_attempts where key like 'account:%'`,
    );
    expect(counts).toEqual([{ points: hashed }]);
  });
});
