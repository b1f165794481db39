import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { expectAccessible } from '../setup/accessible.ts';
import { openConsoleSuite } from '../setup/console-suite.ts';
import type { ConsoleSuite } from '../setup/console-suite.ts';
import { findProgram } from '../../lab/stage/program.ts';

const chromium = await findProgram('chromium', 'chromium');

/** An element of the page: types of the browser are none of the tests'. */
interface Painted {
  ownerDocument: { defaultView: { getComputedStyle(element: Painted): { backgroundColor: string } } };
}

const CLEAR = 'rgba(0, 0, 0, 0)';

/** The ground of an element as the browser paints it in each theme. */
async function groundsOf(element: Locator): Promise<{ light: string; dark: string }> {
  const read = async (theme: 'light' | 'dark'): Promise<string> => {
    const root = element.page().locator('html');
    await root.evaluate(`document.documentElement.setAttribute('data-mantine-color-scheme', '${theme}')`);
    return element.evaluate(
      (shown: Painted) => shown.ownerDocument.defaultView.getComputedStyle(shown).backgroundColor,
    );
  };
  return { light: await read('light'), dark: await read('dark') };
}

(chromium === null ? describe.skip : describe)('the console while the service is away', () => {
  let suite: ConsoleSuite;

  beforeAll(async () => {
    suite = await openConsoleSuite(chromium!);
  });

  afterAll(() => suite?.close());

  test('paints the open place and the sandbox on grounds of their own, by day and by night', async () => {
    const { page, open } = suite;
    await open('/', 'Overview');
    const place = page.getByRole('navigation').getByRole('link', { name: 'Overview' });
    await page.getByLabel('Sandbox', { exact: true }).click();
    const banner = page.getByRole('note').filter({ hasText: 'Sandbox.' });
    for (const element of [place, banner]) {
      const { light, dark } = await groundsOf(element);
      expect([light, dark]).not.toContain(CLEAR);
      expect(light).not.toBe(dark);
    }
    await page.getByLabel('Sandbox', { exact: true }).click();
  });

  test('says so, keeps the key of what was sent, and goes on by itself', async () => {
    const { page, mintmark, open } = suite;
    await open('/keys', 'API keys');
    await page.getByText('No keys yet').waitFor();
    await page.getByRole('button', { name: 'Create key' }).click();
    const dialogue = page.getByRole('dialog');
    await dialogue.getByLabel('Name').fill('night shift');
    const keys: (string | undefined)[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/v1/api-keys'))
        keys.push(request.headers()['idempotency-key']);
    });
    await mintmark.service.stop();
    const create = dialogue.getByRole('button', { name: 'Create key' });
    await create.click();
    await dialogue.getByText('The service does not answer').waitFor();
    await page
      .getByText('Nothing that it accepted is lost. This page tries again by itself.')
      .first()
      .waitFor();
    await expectAccessible(page);
    const banner = await groundsOf(page.getByText('This page tries again by itself.').first().locator('..'));
    expect(Object.values(banner)).not.toContain(CLEAR);

    await mintmark.restart();
    await page.getByRole('button', { name: 'Try now' }).waitFor({ state: 'hidden' });
    await create.click();
    await dialogue.getByText('Copy the key now').waitFor();
    expect(keys).toEqual([expect.stringMatching(/^console-[0-9a-f]{32}$/), keys[0]]);
  });

  test('shows what is out of order in the words of the service', async () => {
    const { page, mintmark, open } = suite;
    await open('/', 'Overview');
    await page.getByText('Everything is in order').waitFor();
    await mintmark.chain.stop();
    await page.getByText('Needs attention').waitFor({ timeout: 120_000 });
    await page.getByText('The chain does not answer').waitFor();
    await expectAccessible(page);
    expect(await page.getByText('The service cannot be reached').count()).toBe(0);
  });
});
