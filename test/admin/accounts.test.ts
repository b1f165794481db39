import { Readable } from 'node:stream';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Command } from 'commander';
import { query } from '../../src/db/client.ts';
import { createProgram } from '../../src/admin/program.ts';
import { createKey, sessionOf } from '../../lab/stage/collections.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestService } from '../../lab/stage/service.ts';
import { RECIPIENT, deployToken, requestMint } from '../../lab/stage/tokens.ts';
import { createCli } from '../../lab/stage/cli.ts';

let mintmark: TestService;
let cli: ReturnType<typeof createCli>;

beforeAll(async () => {
  mintmark = await startTestService();
  cli = createCli(mintmark.environment);
});

afterAll(() => mintmark.stop());

function register(inviteCode: string) {
  const email = `${randomUUID()}@example.com`;
  return mintmark.anonymous.POST('/v1/auth/register', {
    body: { email, password: 'correct horse battery', inviteCode },
  });
}

describe('invites', () => {
  test('are made for one account each, and listed with their users', async () => {
    const [first, second] = await cli.ask<{ code: string }[]>('invites', 'create', '--count', '2');
    const { data } = await register(first!.code);
    expect(data!.email).toContain('@example.com');
    expect((await register(first!.code)).response.status).toBe(422);
    const invites = await cli.ask<{ hint: string; usedBy: string | null }[]>('invites', 'list');
    const hinted = (code: string) => invites.find(({ hint }) => hint === `${code.slice(0, 4)}…`);
    expect(hinted(first!.code)).toMatchObject({ usedBy: data!.email });
    expect(hinted(second!.code)).toMatchObject({ usedBy: null, usedAt: null, tries: 0 });
    const shown = await cli.say('invites', 'list');
    expect(shown).toContain(data!.email);
    expect(shown).not.toContain(second!.code);
  });

  test('without a count one of 128 bits is made; each code is printed on its own line', async () => {
    expect(await cli.say('invites', 'create')).toMatch(/^[\w-]{22}\n$/);
  });
});

describe('accounts', () => {
  test('are listed', async () => {
    const { email, id } = await mintmark.register();
    expect(await cli.say('accounts', 'list')).toMatch(new RegExp(`${email} +BASIC +\\d{4}-\\S+ +${id}`));
    const accounts = await cli.ask<object[]>('accounts', 'list');
    expect(accounts).toContainEqual({
      id,
      email,
      plan: 'BASIC',
      createdAt: expect.any(String),
      suspendedAt: null,
    });
  });

  test('a larger plan applies to the current month, and a smaller one leaves 0 and not less', async () => {
    const account = await mintmark.register();
    const token = await deployToken(account);
    await requestMint(account, token);
    const stats = async () => (await account.api.GET('/stats')).data;
    const granted = async () =>
      (
        await query<{ granted: bigint }>(
          mintmark.service.context.db,
          `select granted from balances where account_id = :accountId and meter = 'mints'`,
          { accountId: account.id },
        )
      )[0];
    expect(await stats()).toMatchObject({ plan: 'BASIC', mintsUsed: 2, mintsRemaining: 98 });

    const raised = await cli.ask('accounts', 'set-plan', account.email.toUpperCase(), 'PRO');
    expect(raised).toMatchObject({
      before: 'BASIC',
      plan: 'PRO',
      mintsRemaining: 998,
      creditsRemaining: 1_000,
    });
    expect(await stats()).toMatchObject({ plan: 'PRO', mintsUsed: 2, mintsRemaining: 998 });
    expect((await requestMint(account, token)).status).toBe(200);
    expect(await granted()).toEqual({ granted: 1_000n });

    // As if more than the lesser plan allows had been used.
    await query(
      mintmark.service.context.db,
      `update balances set committed = 500 - held where account_id = :accountId and meter = 'mints'`,
      { accountId: account.id },
    );
    expect(await cli.say('accounts', 'set-plan', account.email, 'BASIC')).toContain('0 mints');
    expect(await stats()).toMatchObject({ plan: 'BASIC', mintsUsed: 500, mintsRemaining: 0 });
    expect((await requestMint(account, token)).body).toMatchObject({ code: 'QUOTA_EXCEEDED' });
    await cli.say('accounts', 'set-plan', account.email, 'PRO_PLUS');
    expect((await requestMint(account, token)).status).toBe(200);
    expect(await granted()).toEqual({ granted: 10_000n });
  });

  test('the gas of a day changes at once, and goes back to that of the plan', async () => {
    const account = await mintmark.register();
    const token = await deployToken(account);
    const remaining = async () => (await account.api.GET('/stats/gas')).data!.remaining;
    const approve = async () => {
      const { response } = await account.api.POST('/tokens/{address}/approve-account', {
        params: { path: { address: token } },
        body: { account: RECIPIENT },
      });
      return response.status;
    };
    expect(await cli.ask('accounts', 'set-gas', account.email.toUpperCase(), '1')).toEqual({
      ...{ id: account.id, email: account.email, before: null, gasPerDay: 1 },
      ...{ gasUsed: 0, gasHeld: 0, gasRemaining: 1 },
    });
    expect(await remaining()).toBe(1);
    expect(await approve()).toBe(429);
    expect(await cli.say('accounts', 'set-gas', account.email, 'plan')).toContain(
      'is that of its plan (it was 1). Left today (UTC): 50000000',
    );
    expect(await remaining()).toBe(50_000_000);
    expect(await approve()).toBe(200);
  });

  test('a reset password ends sessions and tokens, not API keys, and the new one works', async () => {
    const account = await mintmark.register();
    const key = await createKey(mintmark, account);
    const me = () => sessionOf(mintmark, account).GET('/v1/auth/me');
    expect((await me()).response.status).toBe(200);
    const said = await cli.say('accounts', 'reset-password', account.email);
    const password = /once: (\S{24})\n/.exec(said)![1]!;
    expect((await me()).response.status).toBe(401);
    expect((await account.api.GET('/stats')).response.status).toBe(401);
    expect((await key.api.GET('/v1/collections')).response.status).toBe(200);
    const signIn = async (secret: string) =>
      (await mintmark.anonymous.POST('/auth/signin', { body: { email: account.email, password: secret } }))
        .response.status;
    expect(await signIn(account.password)).toBe(401);
    expect(await signIn(password)).toBe(200);
    expect(await cli.ask('accounts', 'reset-password', account.email)).toMatchObject({
      id: account.id,
      password: expect.not.stringContaining(password),
    });
  });
});

test('a revoked API key gets 401 at once', async () => {
  const account = await mintmark.register();
  const key = await createKey(mintmark, account);
  expect((await key.api.GET('/v1/collections')).response.status).toBe(200);
  expect(await cli.ask('keys', 'revoke', key.id)).toMatchObject({
    id: key.id,
    accountId: account.id,
    revokedAt: expect.any(String),
  });
  expect((await key.api.GET('/v1/collections')).response.status).toBe(401);
  expect(await cli.refuse('keys', 'revoke', key.id)).toBe('This API key is already revoked');
});

describe('an impossible command fails with one sentence', () => {
  test.each([
    [['accounts', 'set-plan', 'nobody@example.com', 'PRO'], /No account has the e-mail nobody@example.com/],
    [['accounts', 'set-plan', 'nobody@example.com', 'GOLD'], /Allowed choices are BASIC, PRO, PRO_PLUS/],
    [['accounts', 'set-gas', 'nobody@example.com', '1'], /No account/],
    [['accounts', 'set-gas', 'nobody@example.com', '-1'], /unknown option|whole number/],
    [['accounts', 'set-gas', 'nobody@example.com', '1e9'], /whole number up to 1000000000000000, or "plan"/],
    [['accounts', 'reset-password', 'nobody@example.com'], /No account/],
    [['accounts', 'reset-password'], /missing required argument 'email'/],
    [['keys', 'revoke', randomUUID()], /no API key with this id/],
    [['keys', 'revoke', 'x'], /An id looks like/],
    [['invites', 'create', '--count', '1001'], /from 1 to 1000/],
    [['invites', 'burn'], /unknown command 'burn'/],
    [['intents', 'show', randomUUID()], /no intent with this id/],
    [['recover', '--accept-loss', '--accept-reorg'], /cannot be used with/],
    [['signers', 'grant', '0x3440326f551B8A7ee198cEE35cb5D517f2d296A2'], /checksum/],
  ])('%j', async (args, sentence) => {
    expect(await cli.refuse(...args)).toMatch(sentence);
  });

  test.each([
    [
      { DATABASE_URL: '', RPC_URL: '', DATA_DIR: '/nonexistent' },
      /No Mintmark runs on \/nonexistent\/embedded: start it/,
    ],
    [{ DATABASE_URL: 'postgres://127.0.0.1:1/none' }, /cannot be read: .*; check DATABASE_URL/],
    [{ RPC_URL: '' }, /RPC_URL is not/],
    [{ RPC_URL: 'http://127.0.0.1:1' }, /The chain does not answer: check RPC_URL/],
  ])('%j', async (variables, sentence) => {
    const elsewhere = createCli({ ...mintmark.environment, ...variables });
    expect(await elsewhere.refuse('signers', 'status')).toMatch(sentence);
  });
});

test('every command has a help text, --json, and a row in docs/operate.md', async () => {
  const leaves = (command: Command): Command[] =>
    command.commands.length === 0 ? [command] : command.commands.flatMap(leaves);
  const nameOf = (command: Command): string =>
    command.parent ? `${nameOf(command.parent)} ${command.name()}`.trim() : '';
  const handbook = readFileSync('docs/operate.md', 'utf8');
  const commands = leaves(
    createProgram({ env: {}, write: () => undefined, writeError: () => undefined, input: Readable.from([]) }),
  );
  expect(commands.length).toBeGreaterThan(10);
  for (const command of commands) {
    expect([nameOf(command), command.description()]).toEqual([
      nameOf(command),
      expect.stringMatching(/^[A-Z]/),
    ]);
    expect(command.options.map(({ long }) => long)).toContain('--json');
    expect(handbook).toMatch(new RegExp(`^\\| \`${nameOf(command)}\\b`, 'm'));
    for (const { long } of command.options) expect(command.helpInformation()).toContain(long);
  }
  expect(await cli.say('signers', 'rotate', '--help')).toContain('--from');
  const { code, stdout, stderr } = await cli.run();
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^Usage: npm run admin -- /);
});
