import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { expectAccessible, expectToFit } from '../setup/accessible.ts';
import { openConsoleSuite } from '../setup/console-suite.ts';
import type { ConsoleSuite } from '../setup/console-suite.ts';
import { findProgram } from '../../lab/stage/program.ts';
import { createAsk } from '../../lab/stage/request.ts';

const chromium = await findProgram('chromium', 'chromium');

const WALLET = '0x5dad7600C5D89fE3824fFa99ec1c3eB8BF3b0501';
const HOSTILE = '<img src=x onerror=alert(1)> \u202Eexe.\u200B ' + 'x'.repeat(30);

(chromium === null ? describe.skip : describe)('the account in the console', () => {
  let suite: ConsoleSuite;
  let page: Page;

  beforeAll(async () => {
    suite = await openConsoleSuite(chromium!);
    page = suite.page;
  });

  afterAll(() => suite?.close());

  test.each([
    ['/', 'Overview'],
    ['/keys', 'API keys'],
    ['/usage', 'Usage'],
    ['/audit', 'Audit log'],
    ['/profile', 'Profile'],
    ['/nowhere', 'Not found'],
  ])('%s is accessible on a desk, on a phone and on a wall', async (path, title) => {
    await suite.open(path, title);
    await expectAccessible(page);
    await page.setViewportSize({ width: 390, height: 844 });
    await expectAccessible(page, ['light']);
    await page.setViewportSize({ width: 2560, height: 1440 });
    await expectToFit(page);
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  test('a key is shown once and works until it is revoked', async () => {
    await suite.open('/keys', 'API keys');
    await page.getByRole('button', { name: 'Create key' }).click();
    const dialogue = page.getByRole('dialog');
    await expectAccessible(page);
    await dialogue.getByLabel('Name').fill(HOSTILE);
    await dialogue.getByRole('button', { name: 'Create key' }).click();
    const key = await dialogue.getByLabel('API key').innerText();
    await expectAccessible(page);
    const ask = createAsk(suite.mintmark.url);
    expect((await ask({ token: key }, 'GET', '/tokens')).status).toBe(200);
    await dialogue.getByRole('button', { name: 'Done' }).click();
    await page.getByText(`${key.slice(0, 12)}…`).waitFor();
    expect(await page.getByText(key).count()).toBe(0);

    await page.getByRole('button', { name: /^Revoke / }).click();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Revoke key' }).click();
    await page.getByText(`Revoked ${key.slice(0, 12)}`).waitFor();
    expect((await ask({ token: key }, 'GET', '/tokens')).status).toBe(401);
    await page.getByText('No keys yet').waitFor();
    await page.getByLabel('Show revoked keys').check();
    await page.getByText(HOSTILE.slice(0, 28)).waitFor();
    await expectAccessible(page);
  });

  test('the wallet is set, refused and cleared', async () => {
    await suite.open('/profile', 'Profile');
    const field = page.getByLabel('Wallet address');
    const save = page.getByRole('button', { name: 'Save wallet' });
    await field.fill('0x5DAD7600C5D89fE3824fFa99ec1c3eB8BF3b0501');
    await save.click();
    await page.getByText(/^walletAddress /).waitFor();
    await expectAccessible(page);
    await field.fill(WALLET);
    await save.click();
    await page.getByText('The wallet is set').waitFor();
    expect((await suite.alice.api.GET('/me')).data!.walletAddress).toBe(WALLET);
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByText('The wallet is cleared').waitFor();
    expect((await suite.alice.api.GET('/me')).data!.walletAddress).toBeNull();
  });

  test('the audit log has it, and tells the time in UTC too', async () => {
    await suite.open('/audit', 'Audit log');
    await page.getByText('Wallet changed').first().waitFor();
    await page.getByText('Key revoked').waitFor();
    const time = page.locator('time').first();
    await time.focus();
    await page
      .getByRole('tooltip')
      .getByText(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/)
      .waitFor();
  });

  test('a reload is no sign-in', async () => {
    const signIns = async (): Promise<number> => {
      const params = { query: { action: 'sign_in' as const, limit: 100 } };
      return (await suite.alice.api.GET('/audit', { params })).data!.data.length;
    };
    await suite.open('/tokens', 'Tokens');
    const before = await signIns();
    expect(before).toBeGreaterThan(0);
    const asked = page.waitForRequest(/\/auth\/token$/);
    await page.reload();
    await asked;
    await page.getByText('No tokens yet').waitFor();
    expect(await signIns()).toBe(before);
  });

  test('the sandbox is switched on and off, and has collections of its own', async () => {
    await suite.open('/collections', 'Collections');
    const asked = (token: RegExp) =>
      page.waitForRequest(
        (request) =>
          request.url().includes('/intents') && token.test(request.headers()['authorization'] ?? 'cookie'),
      );
    await page.getByRole('switch', { name: 'Sandbox' }).click();
    const banner = page.getByRole('note').getByText('nothing goes to a chain');
    await banner.waitFor();
    await Promise.all([asked(/^Bearer mts_/), page.getByRole('link', { name: 'Overview' }).click()]);
    await expectAccessible(page);
    await Promise.all([asked(/^Bearer mts_/), page.reload()]);
    await Promise.all([asked(/^cookie$/), page.getByRole('switch', { name: 'Sandbox' }).click()]);
    await banner.waitFor({ state: 'hidden' });
  });

  test('the keyboard alone gets to the content and through the navigation', async () => {
    await suite.open('/', 'Overview');
    await page.keyboard.press('Tab');
    const focused = () =>
      page.evaluate<string>('document.activeElement.textContent || document.activeElement.id');
    expect(await focused()).toBe('Skip to content');
    await page.keyboard.press('Enter');
    expect(await page.evaluate<string>('document.activeElement.id')).toBe('main');
    await page.getByRole('link', { name: 'Usage' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Usage' }).waitFor();
    expect(await focused()).toBe('Usage');
    expect(await page.title()).toBe('Usage · Mintmark');
  });

  test('the colours are chosen by hand, and stay chosen', async () => {
    await page.getByRole('button', { name: 'Colours' }).click();
    await expectAccessible(page);
    await page.getByRole('menuitem', { name: 'Dark' }).click();
    const scheme = () => page.evaluate<string>('document.documentElement.dataset.mantineColorScheme');
    expect(await scheme()).toBe('dark');
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Usage' }).waitFor();
    expect(await scheme()).toBe('dark');
    await page.getByRole('button', { name: 'Colours' }).click();
    await page.getByRole('menuitem', { name: 'As the system' }).click();
  });

  test('the password is changed, and the access token in use replaced by another one', async () => {
    await suite.open('/profile', 'Profile');
    const change = async (current: string, next: string): Promise<void> => {
      await page.getByLabel('Current password').fill(current);
      await page.getByLabel('New password').fill(next);
      await page.getByRole('button', { name: 'Change password' }).click();
    };
    await change('not the password', 'staple correct horse');
    await page.getByText('The current password is wrong').waitFor();
    await expectAccessible(page);
    await change(suite.alice.password, 'password');
    await page.getByText('newPassword is one of the commonest passwords').waitFor();
    await change(suite.alice.password, 'staple correct horse');
    await page.getByText('The password is changed').waitFor();
    await page.getByRole('link', { name: 'Usage' }).click();
    await page.getByText('mints left').waitFor();
  });

  test('nothing broke the content security policy', () => {
    expect(suite.browser.complaints).toEqual([]);
  });
});
