import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createMintmarkClient } from '../../generated/client.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestService } from '../../lab/stage/service.ts';

let mintmark: TestService;

beforeAll(async () => {
  mintmark = await startTestService();
});

afterAll(() => mintmark?.stop());

async function register(email: string, password: string, inviteCode: string) {
  const { error, response } = await mintmark.anonymous.POST('/v1/auth/register', {
    body: { email, password, inviteCode },
  });
  return { status: response.status, message: error?.message };
}

const COMMON = 'is one of the commonest passwords; choose another one';
const LENGTH = 'needs 8 to 128 characters in its NFKC form';
const OWN = 'must not be the e-mail of the account';

async function signIn(email: string, password: string): Promise<number> {
  const { response } = await mintmark.anonymous.POST('/auth/signin', { body: { email, password } });
  return response.status;
}

test.each([
  ['lower case alone', 'correcthorsebattery', 'correcthorseBattery'],
  ['digits alone', '8305721946608', '83057219466080'],
  ['spaces at its ends', ' eight to nine ', 'eight to nine'],
  ['another script', 'пароль из слов', 'пароль из слоВ'],
  ['more than bcrypt would read', `${'x'.repeat(100)}y`, `${'x'.repeat(100)}z`],
])('a password of %s counts as it was sent', async (_case, password, similar) => {
  const email = `${randomUUID()}@example.com`;
  const inviteCode = randomUUID();
  await mintmark.service.context.accounts.ensureInvites([inviteCode]);
  expect((await register(email, password, inviteCode)).status).toBe(201);
  expect([await signIn(email, password), await signIn(email, similar)]).toEqual([200, 401]);
});

test.each([
  ['NFC and NFD', 'p\u00fcnktlich um acht', 'pu\u0308nktlich um acht'],
  ['NFD and NFC', 'pu\u0308nktlich um neun', 'p\u00fcnktlich um neun'],
  ['full width and ASCII', '\uff43orrect horse', 'correct horse'],
])('a password is the same in %s', async (_case, password, same) => {
  const email = `${randomUUID()}@example.com`;
  const inviteCode = randomUUID();
  await mintmark.service.context.accounts.ensureInvites([inviteCode]);
  expect((await register(email, password, inviteCode)).status).toBe(201);
  expect(await signIn(email, same)).toBe(200);
});

describe('a password that is guessed first', () => {
  test.each([
    ['one character again and again', 'zzzzzzzzzzzz', 'repeats one character; choose another one'],
    ['one character in both cases', 'zZzZzZzZ', 'repeats one character; choose another one'],
    ['one blank again and again', '        ', 'repeats one character; choose another one'],
    ['blanks of several kinds', '  \t\t \u00a0\u3000\n\n', 'consists of blanks; choose another one'],
    ['four letters with their accents apart', 'a\u0301e\u0301i\u0301o\u0301', LENGTH],
    ['more than 128 characters once ligatures are taken apart', `${'\ufb03'.repeat(43)}x`, LENGTH],
    ['among the commonest, in full width', '\uff31azwsx123', COMMON],
    ['among the commonest', '1qaz2wsx', COMMON],
    ['among the commonest, in other letters', 'PassWord1', COMMON],
    ['the last of the commonest', '13101988', COMMON],
    ['the e-mail', 'alice.of.passwords@example.com', OWN],
    ['the e-mail in other letters', 'Alice.Of.Passwords@Example.com', OWN],
  ])('%s is refused at registration, and the invite stays usable', async (_case, password, reason) => {
    const inviteCode = randomUUID();
    await mintmark.service.context.accounts.ensureInvites([inviteCode]);
    expect(await register('alice.of.passwords@example.com', password, inviteCode)).toEqual({
      status: 422,
      message: `password ${reason}`,
    });
    expect((await register(`${randomUUID()}@example.com`, 'correct horse battery', inviteCode)).status).toBe(
      201,
    );
  });

  test.each([
    ['one of the commonest', () => 'Trustno1', COMMON],
    ['the e-mail', (email: string) => email.toUpperCase(), OWN],
  ])('%s is refused as a new password, and the old one stays', async (_case, choose, reason) => {
    const alice = await mintmark.register();
    const { error, response } = await createMintmarkClient({
      baseUrl: mintmark.url,
      cookie: alice.cookie,
    }).POST('/v1/auth/password', {
      body: { currentPassword: alice.password, newPassword: choose(alice.email) },
    });
    expect([response.status, error?.message]).toEqual([422, `newPassword ${reason}`]);
    expect(await signIn(alice.email, alice.password)).toBe(200);
  });

  test('the list has 3,000 different entries that could be passwords here', () => {
    const file = path.join(import.meta.dirname, '../../src/features/accounts/common-passwords.txt');
    const entries = readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    expect(new Set(entries).size).toBe(3_000);
    const odd = entries.filter(
      (entry) => entry !== entry.toLowerCase() || entry.length < 8 || entry.length > 128,
    );
    expect(odd).toEqual([]);
  });
});
