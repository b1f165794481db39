import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import { createCli } from '../../lab/stage/cli.ts';
import { createKey, sessionOf } from '../../lab/stage/collections.ts';
import { withoutBlocks } from '../setup/mining.ts';
import { openChain } from '../setup/chain.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestAccount, TestService } from '../../lab/stage/service.ts';
import { deployToken, requestMint } from '../../lab/stage/tokens.ts';

const SUSPENDED = {
  code: 'FORBIDDEN',
  message: 'This account is suspended. Ask the operator of this service.',
};

let mintmark: TestService;
let cli: ReturnType<typeof createCli>;

beforeAll(async () => {
  mintmark = await startTestService();
  cli = createCli(mintmark.environment);
});

afterAll(() => mintmark?.stop());

async function signIn({ email }: TestAccount, password: string) {
  const { error, response } = await mintmark.anonymous.POST('/auth/signin', { body: { email, password } });
  return { status: response.status, error };
}

async function logIn({ email }: TestAccount, password: string) {
  const { error, response } = await mintmark.anonymous.POST('/v1/auth/login', { body: { email, password } });
  return { status: response.status, error };
}

/** What each credential of an account is answered. */
async function statuses(account: TestAccount, keys: Awaited<ReturnType<typeof createKey>>[]) {
  const answers = [
    await account.api.GET('/me'),
    await sessionOf(mintmark, account).GET('/v1/auth/me'),
    ...(await Promise.all(keys.map(({ api }) => api.GET('/v1/collections')))),
  ];
  return answers.map(({ response, error }) => [response.status, error ?? null]);
}

test('a suspended account is refused with each credential and its password until it is resumed', async () => {
  const alice = await mintmark.register();
  const bob = await mintmark.register();
  const keys = [await createKey(mintmark, alice), await createKey(mintmark, alice, 'sandbox')];
  expect(await cli.ask('accounts', 'suspend', alice.email.toUpperCase())).toEqual({
    id: alice.id,
    email: alice.email,
    isSuspended: true,
  });
  expect(await statuses(alice, keys)).toEqual(Array.from({ length: 4 }, () => [403, SUSPENDED]));
  for (const enter of [signIn, logIn]) {
    expect(await enter(alice, alice.password)).toEqual({ status: 403, error: SUSPENDED });
    // Who does not know the password learns nothing.
    expect(await enter(alice, 'wrong')).toMatchObject({ status: 401, error: { code: 'UNAUTHORIZED' } });
    expect((await enter(bob, bob.password)).status).toBe(200);
  }
  expect(await cli.refuse('accounts', 'suspend', alice.email)).toBe(`${alice.email} is suspended already`);
  expect(await cli.say('accounts', 'list')).toMatch(new RegExp(`${alice.id} +\\d{4}-`));

  expect(await cli.say('accounts', 'resume', alice.email)).toContain('no longer suspended');
  expect((await statuses(alice, keys)).map(([status]) => status)).toEqual([200, 200, 200, 200]);
  expect((await signIn(alice, alice.password)).status).toBe(200);
  expect(await cli.refuse('accounts', 'resume', alice.email)).toBe(`${alice.email} is not suspended`);
  expect(await cli.refuse('accounts', 'suspend', 'nobody@example.com')).toMatch(/No account has the e-mail/);
});

test('what was accepted before the suspension goes on', async () => {
  const alice = await mintmark.register();
  const address = await deployToken(alice);
  const chain = openChain(mintmark);
  let id = '';
  await withoutBlocks(chain, async () => {
    const accepted = await requestMint(alice, address, { prefer: 'respond-async' });
    expect(accepted.status).toBe(202);
    id = accepted.intentId!;
    await cli.ask('accounts', 'suspend', alice.email);
  });
  chain.close();
  expect((await requestMint(alice, address)).body).toEqual(SUSPENDED);
  const status = async (): Promise<string> =>
    (
      await query<{ status: string }>(
        mintmark.service.context.db,
        'select status from intents where id = :id',
        { id },
      )
    )[0]!.status;
  for (let look = 0; look < 600 && (await status()) !== 'confirmed'; look += 1) await sleep(50);
  expect(await status()).toBe('confirmed');
});
