import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { openConsoleSuite } from '../setup/console-suite.ts';
import type { ConsoleSuite } from '../setup/console-suite.ts';
import { findProgram } from '../../lab/stage/program.ts';
import { RECIPIENT } from '../../lab/stage/tokens.ts';

const SIZES = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
];

/** Runs in the page: what of it can be used, is in sight, and lies under a message all the same. */
const FIND_COVERED = `(() => {
  const toasts = [...document.querySelectorAll('.mantine-Notification-root')].map((each) => each.getBoundingClientRect());
  const header = document.querySelector('header').getBoundingClientRect();
  const usable = 'main :is(a, button, input, textarea, select, [role=tab]), header [aria-label="Open navigation"]';
  return [...document.querySelectorAll(usable)]
    .filter((each) => each.checkVisibility({ visibilityProperty: true }) && !each.disabled)
    .filter((each) => {
      const rect = each.getBoundingClientRect();
      const top = each.closest('header') ? rect.top : Math.max(rect.top, header.bottom);
      return toasts.some((toast) =>
        toast.left < rect.right && toast.right > rect.left && toast.top < rect.bottom && toast.bottom > top);
    })
    .map((each) => each.getAttribute('aria-label') ?? each.textContent ?? each.id);
})()`;

const chromium = await findProgram('chromium', 'chromium');

(chromium === null ? describe.skip : describe)('a message of success', () => {
  let suite: ConsoleSuite;
  let page: Page;

  beforeAll(async () => {
    suite = await openConsoleSuite(chromium!);
    ({ page } = suite);
    await page.emulateMedia({ reducedMotion: 'reduce' });
  });

  afterAll(() => suite?.close());

  const press = (name: string): Promise<void> =>
    page.getByRole('button', { name, exact: true }).first().click();

  const fill = (label: string, text: string): Promise<void> =>
    page.getByLabel(label, { exact: true }).first().fill(text);

  /** Expects that one message stands there, the newest, and that it covers nothing that may be needed next. */
  const expectFree = async (message: string): Promise<void> => {
    const toasts = page.getByRole('alert').filter({ hasText: message });
    await toasts.waitFor();
    expect({ message, covered: await page.evaluate(FIND_COVERED) }).toEqual({ message, covered: [] });
    expect(await page.locator('.mantine-Notification-root').count()).toBe(1);
  };

  test.each(SIZES)('covers nothing that is needed next, at %o', async (size) => {
    await page.setViewportSize(size);
    await suite.open('/tokens/new', 'Deploy a token');
    await fill('Name', 'Harbour');
    await fill('Symbol', 'HARB');
    await press('Deploy the token');
    await expectFree('The token is deployed');
    await fill('To', RECIPIENT);
    await fill('Amount', '5');
    await press('Mint');
    await expectFree('Minted');
    await page.getByRole('tab', { name: 'Metadata' }).click();
    await fill('Name', 'Harbour');
    await press('Save the metadata');
    await expectFree('The metadata are on the chain');
    await suite.open('/collections/new', 'Create a collection');
    await fill('Name', 'Lights');
    await fill('Symbol', 'L');
    await press('Create the collection');
    await expectFree('The collection is created');
    await suite.open('/profile', 'Profile');
    await fill('Wallet address', RECIPIENT);
    await press('Save wallet');
    await expectFree('The wallet is set');
    await press('Clear');
    await expectFree('The wallet is cleared');
  });
});
