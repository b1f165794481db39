import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { createMintmarkClient } from '../../generated/client.ts';
import type { MintmarkClient } from '../../generated/client.ts';
import { expectAccessible } from '../setup/accessible.ts';
import { openConsoleSuite } from '../setup/console-suite.ts';
import type { ConsoleSuite } from '../setup/console-suite.ts';
import { findProgram } from '../../lab/stage/program.ts';

const chromium = await findProgram('chromium', 'chromium');

const HOLDER = '0x3440326f551B8A7ee198cEE35cb5D517f2d296a2';
const NEXT_PASSWORD = 'staple correct horse';

(chromium === null ? describe.skip : describe)('what is typed into the console', () => {
  let suite: ConsoleSuite;
  let page: Page;
  let account: MintmarkClient;
  let address: string;

  beforeAll(async () => {
    suite = await openConsoleSuite(chromium!);
    page = suite.page;
    account = createMintmarkClient({ baseUrl: suite.mintmark.url, cookie: suite.alice.cookie });
    const { data } = await account.POST('/v1/collections', { body: { name: 'Harbour', symbol: 'HARB' } });
    address = (data as { address: string }).address;
  });

  afterAll(() => suite?.close());

  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const openMint = () => suite.open(`/collections/${address}?tab=mint`, 'Harbour');
  const minted = async (): Promise<number | undefined> => {
    const { data } = await account.GET('/v1/collections/{address}', { params: { path: { address } } });
    return data?.minted;
  };

  test('an address that is pasted with blanks around it keeps all its digits', async () => {
    await openMint();
    const to = page.getByLabel('To', { exact: true });
    await to.focus();
    await page.keyboard.insertText(` ${HOLDER}\n`);
    expect(await to.inputValue()).toBe(HOLDER);
  });

  test('a form that succeeded is disarmed until somebody wants it once more', async () => {
    await openMint();
    await page.getByLabel('To', { exact: true }).fill(HOLDER);
    await page.getByLabel('Name', { exact: true }).fill('Blue Hour');
    await button('Mint').click();
    await page.getByRole('heading', { name: 'Minted: #1' }).waitFor();
    expect(await button('Mint').isDisabled()).toBe(true);
    await page.getByLabel('To', { exact: true }).press('Enter');
    await button('Once more').click();
    expect(await button('Mint').isEnabled()).toBe(true);
    expect(await minted()).toBe(1);
    await page.getByLabel('Name', { exact: true }).fill('Low Tide');
    await button('Mint').click();
    await page.getByRole('heading', { name: 'Minted: #2' }).waitFor();
  });

  test('a decimal comma is refused where it is typed, and nothing is sent', async () => {
    await suite.open('/tokens/new', 'Deploy a token');
    await page.getByLabel('Name', { exact: true }).fill('Credits');
    await page.getByLabel('Symbol', { exact: true }).fill('CRD');
    await page.getByLabel('Cap', { exact: true }).fill('1,5');
    await button('Deploy the token').click();
    await page
      .getByText('Digits alone are read, with a point before decimals and no comma: 1000.5')
      .waitFor();
    const { data } = await suite.alice.api.GET('/tokens', { params: { query: { search: 'CRD' } } });
    expect(data!.data).toEqual([]);
  });

  test('is asked about before the sandbox takes its place, where tokens have no pages', async () => {
    await openMint();
    await page.getByLabel('To', { exact: true }).fill(HOLDER);
    await page.getByLabel('Sandbox', { exact: true }).click();
    await page.getByText('What you typed on this page is not sent yet, and is lost.').waitFor();
    await expectAccessible(page);
    await button('Stay here').click();
    expect(await page.getByLabel('To', { exact: true }).inputValue()).toBe(HOLDER);
    await page.getByRole('link', { name: 'Tokens', exact: true }).click();
    await page.getByRole('link', { name: 'Deploy a token' }).first().waitFor();
    await page.getByLabel('Sandbox', { exact: true }).click();
    await page.getByText('Tokens have no sandbox').first().waitFor();
    expect(await page.getByRole('link', { name: 'Deploy a token' }).count()).toBe(0);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Leave the sandbox' }).click();
    await page.getByRole('link', { name: 'Deploy a token' }).first().waitFor();
  });

  test('a key that is shown once is closed by its own button alone', async () => {
    await suite.open('/keys', 'API keys');
    await button('Create key').click();
    const dialogue = page.getByRole('dialog');
    await dialogue.getByLabel('Name').fill('shop backend');
    await dialogue.getByRole('button', { name: 'Create key' }).click();
    await dialogue.getByText('Copy the key now').waitFor();
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
    const key = await dialogue.getByLabel('API key', { exact: true }).innerText();
    expect(key).toMatch(/^mtk_/);
    await dialogue.getByRole('button', { name: 'Done' }).click();
    await dialogue.waitFor({ state: 'detached' });
  });

  test('stays when the session ends, for the account whose it was', async () => {
    await openMint();
    await page.getByLabel('To', { exact: true }).fill(HOLDER);
    await page.getByLabel('Name', { exact: true }).fill('Night Watch');
    // The page's requests wait until all is typed: the first that is refused hides the form.
    const typed = Promise.withResolvers<void>();
    await page.route('**/v1/**', async (route) => {
      await typed.promise;
      await route.continue();
    });
    // Of another browser: it ends every other session.
    const { response } = await account.POST('/v1/auth/password', {
      body: { currentPassword: suite.alice.password, newPassword: NEXT_PASSWORD },
    });
    expect(response.ok).toBe(true);
    await page.getByLabel('Description', { exact: true }).fill('After dark.');
    // The preview asks, and is refused.
    typed.resolve();
    await page.getByText('Your session has ended').waitFor();
    expect(await page.getByLabel('To', { exact: true }).isVisible()).toBe(false);
    await expectAccessible(page);
    await page.getByLabel('E-mail').fill(suite.alice.email);
    await page.getByLabel('Password', { exact: true }).fill(NEXT_PASSWORD);
    await button('Sign in').click();
    await page.getByRole('heading', { level: 1, name: 'Harbour' }).waitFor();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Night Watch');
    expect(await page.getByLabel('Description', { exact: true }).inputValue()).toBe('After dark.');
    expect(await page.getByLabel('To', { exact: true }).inputValue()).toBe(HOLDER);
  });
});
