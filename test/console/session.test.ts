import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { query } from '../../src/db/client.ts';
import { expectAccessible } from '../setup/accessible.ts';
import { openChromium } from '../../lab/stage/chromium.ts';
import { signInto } from '../../lab/stage/console-page.ts';
import { openConsoleSuite } from '../setup/console-suite.ts';
import type { ConsoleSuite } from '../setup/console-suite.ts';
import { startPrefixProxy } from '../setup/prefix-proxy.ts';
import { findProgram } from '../../lab/stage/program.ts';

const chromium = await findProgram('chromium', 'chromium');

/** Of a first visit with its first page, packed: what people wait for. */
const MAX_FIRST_LOAD_BYTES = 300_000;
const PASSWORD = 'correct horse battery';

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });
const SIGN_IN = 'Sign in to Mintmark';

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await heading(page, SIGN_IN).waitFor();
}

async function fillIn(page: Page, values: Record<string, string>): Promise<void> {
  for (const [label, value] of Object.entries(values))
    await page.getByLabel(label, { exact: true }).fill(value);
}

(chromium === null ? describe.skip : describe)('a session in the console', () => {
  let suite: ConsoleSuite;
  let page: Page;

  beforeAll(async () => {
    suite = await openConsoleSuite(chromium!, { LOGIN_FAILURES_PER_ACCOUNT: '3' });
    page = suite.page;
  });

  afterAll(() => suite?.close());

  beforeEach(() => suite.open('/', 'Overview'));

  test('loads little at first', async () => {
    // Another profile, which has nothing of an earlier visit.
    const fresh = await openChromium(chromium!);
    const visit = await fresh.context.newPage();
    const loaded: Promise<number>[] = [];
    visit.on('requestfinished', (request) => {
      if (/\/console\b/.test(new URL(request.url()).pathname))
        loaded.push(request.sizes().then(({ responseBodySize }) => responseBodySize));
    });
    await signInto(visit, suite.mintmark.url, suite.alice);
    const bytes = (await Promise.all(loaded)).reduce((one, other) => one + other, 0);
    await fresh.close();
    process.stdout.write(`the first visit of the console, with the overview: ${bytes} bytes, packed\n`);
    expect(bytes).toBeGreaterThan(100_000);
    expect(bytes).toBeLessThan(MAX_FIRST_LOAD_BYTES);
  });

  test('begins by registering with an invite, which says at the field what is wrong', async () => {
    await signOut(page);
    await page.getByRole('button', { name: 'Create an account' }).click();
    await expectAccessible(page);
    const invite = randomUUID();
    await suite.mintmark.service.context.accounts.ensureInvites([invite]);
    const email = `${randomUUID()}@example.com`;
    await fillIn(page, { 'E-mail': email, Password: 'short', 'Invite code': invite });
    const create = page.getByRole('button', { name: 'Create account' });
    await create.click();
    await page.getByText('password must NOT have fewer than 8 characters').waitFor();
    await expectAccessible(page);
    await fillIn(page, { Password: PASSWORD, 'Invite code': 'unknown' });
    await create.click();
    await page.getByText('This invite code is unknown or was used').waitFor();
    await fillIn(page, { 'Invite code': invite });
    await create.click();
    await heading(page, 'Overview').waitFor();
    await page.getByText('Nothing has happened yet').waitFor();
    await signOut(page);
    await signInto(page, suite.mintmark.url, suite.alice);
  });

  test('keeps the place while somebody signs in again after it ended elsewhere', async () => {
    await suite.open('/keys', 'API keys');
    const { db } = suite.mintmark.service.context;
    const ofAlice = { id: suite.alice.id };
    await query(
      db,
      `update credentials set revoked_at = now() where account_id = :id and kind = 'session'`,
      ofAlice,
    );
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByLabel('Name').fill('late');
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    await page.getByText('Your session has ended').waitFor();
    await expectAccessible(page);
    await fillIn(page, { 'E-mail': suite.alice.email, Password: suite.alice.password });
    await page.getByRole('button', { name: 'Sign in' }).click();
    await heading(page, 'API keys').waitFor();
    expect(new URL(page.url()).pathname).toBe('/console/keys');
  });

  test('gets a new access token by itself when the one in use ends', async () => {
    await suite.open('/usage', 'Usage');
    await page.getByText('mints left').waitFor();
    const { db } = suite.mintmark.service.context;
    const ofAlice = { id: suite.alice.id };
    await query(
      db,
      `update credentials set revoked_at = now()
        where account_id = :id and kind = 'access_token' and created_at > now() - interval '1 minute'`,
      ofAlice,
    );
    const asked = page.waitForResponse((response) => response.url().endsWith('/me') && response.ok());
    await page.getByRole('link', { name: 'Profile' }).click();
    await asked;
    await page.getByText(suite.alice.email).waitFor();
    expect(await page.getByText(SIGN_IN).count()).toBe(0);
  });

  test('ends in every tab at once, and begins in every tab', async () => {
    const other = await suite.browser.context.newPage();
    await other.goto(`${suite.mintmark.url}/console/usage`);
    await heading(other, 'Usage').waitFor();
    await signOut(page);
    await heading(other, SIGN_IN).waitFor();
    await signInto(page, suite.mintmark.url, suite.alice);
    await heading(other, 'Usage').waitFor();
    await other.close();
  });

  test('is another account in both tabs when one of them signs in as that', async () => {
    const bob = await suite.mintmark.register();
    const other = await suite.browser.context.newPage();
    await other.goto(`${suite.mintmark.url}/console/profile`);
    await other.getByText(suite.alice.email).waitFor();
    await signOut(page);
    await signInto(page, suite.mintmark.url, bob);
    await other.getByText(bob.email).waitFor();
    await other.close();
    await signOut(page);
    await signInto(page, suite.mintmark.url, suite.alice);
  });

  test('says how long to wait after too many wrong passwords', async () => {
    const carol = await suite.mintmark.register();
    await signOut(page);
    await fillIn(page, { 'E-mail': carol.email, Password: 'wrong one' });
    const alert = page.getByRole('alert');
    for (const said of [
      'Invalid credentials',
      'Invalid credentials',
      'Invalid credentials',
      'Too many wrong passwords',
    ]) {
      const answered = page.waitForResponse((response) => response.url().endsWith('/v1/auth/login'));
      await page.getByRole('button', { name: 'Sign in' }).click();
      await answered;
      await alert.getByText(said).waitFor();
    }
    await expectAccessible(page);
    await signInto(page, suite.mintmark.url, suite.alice);
  });

  test('keeps its secrets out of what scripts of a later visit could read', async () => {
    const kept = await page.evaluate<string>(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
    );
    expect(kept).not.toMatch(/mt[ak]_|service_session|correct horse/);
  });

  test('works under a host name and a path prefix that the service does not know', async () => {
    await using proxy = await startPrefixProxy(suite.mintmark.url, '/mint');
    const proxied = await suite.browser.context.newPage();
    await signInto(proxied, proxy.url, suite.alice);
    await proxied.getByRole('link', { name: 'API keys' }).click();
    await heading(proxied, 'API keys').waitFor();
    expect(proxied.url()).toBe(`${proxy.url}/console/keys`);
    await proxied.reload();
    await heading(proxied, 'API keys').waitFor();
    await proxied.close();
  });

  // Last, so that it checks all of the above.
  test('asked nothing of another host, and broke no content security policy', () => {
    const hosts = new Set(suite.browser.asked.map((url) => new URL(url).hostname));
    expect([...hosts].sort()).toEqual(['127.0.0.1', 'localhost']);
    expect(suite.browser.complaints).toEqual([]);
  });
});
