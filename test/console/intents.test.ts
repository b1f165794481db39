import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { expectAccessible } from '../setup/accessible.ts';
import { openChain } from '../setup/chain.ts';
import { openConsoleSuite } from '../setup/console-suite.ts';
import type { ConsoleSuite } from '../setup/console-suite.ts';
import { waitForStatus } from '../../lab/stage/intents.ts';
import { withoutBlocks } from '../setup/mining.ts';
import { findProgram } from '../../lab/stage/program.ts';
import type { TestAccount, TestService } from '../../lab/stage/service.ts';
import { deployToken, requestMint } from '../../lab/stage/tokens.ts';

const PHONE = { width: 390, height: 844 };
const DESK = { width: 1440, height: 900 };
/** Of the list, with a margin. */
const TWO_POLLS_MS = 7_000;

const chromium = await findProgram('chromium', 'chromium');

(chromium === null ? describe.skip : describe)('intents in the console', () => {
  let suite: ConsoleSuite;
  let mintmark: TestService;
  let page: Page;
  let alice: TestAccount;
  let coin: string;

  beforeAll(async () => {
    suite = await openConsoleSuite(chromium!, { MAX_IN_FLIGHT: '1' });
    ({ mintmark, page, alice } = suite);
  });

  afterAll(() => suite?.close());

  const rows = () => page.getByRole('table', { name: 'Intents' }).getByRole('row');
  const firstLink = () => rows().nth(1).getByRole('link').first();
  const idOf = async (link: ReturnType<typeof firstLink>): Promise<string> =>
    (await link.getAttribute('href'))!.split('/').at(-1)!;
  const status = (name: string) => page.getByRole('status', { name: `Status: ${name}` });
  const step = (name: string) => page.getByRole('listitem').filter({ hasText: name });

  /** Requests a mint, and does not wait for the chain. */
  const mint = async (): Promise<string> =>
    (await requestMint(alice, coin, { prefer: 'respond-async' })).intentId!;

  test('an account without intents is told what they are', async () => {
    await suite.open('/intents', 'Intents');
    await page.getByRole('heading', { name: 'No intents yet' }).waitFor();
    await expectAccessible(page);
  });

  test('a new one appears by itself', async () => {
    coin = await deployToken(alice);
    await page.getByRole('link', { name: 'Deploy token' }).waitFor();
    await page.getByRole('cell').getByText('confirmed').waitFor();
  });

  test('one that waits says why, and is cancelled', async () => {
    await withoutBlocks(openChain(mintmark), async () => {
      const first = await mint();
      await waitForStatus(alice, first, 'submitted');
      const second = await mint();
      await suite.open(`/intents/${second}`, 'Mint');
      await status('queued').waitFor();
      await page.getByText('as many as MAX_IN_FLIGHT lets it').waitFor();
      await page.getByText('What helps: Wait').waitFor();
      await step('Mined').getByText('still to come').waitFor();
      await expectAccessible(page);
      await page.getByRole('button', { name: 'Cancel intent' }).click();
      const dialogue = page.getByRole('dialog', { name: 'Cancel this intent' });
      await dialogue.getByRole('button', { name: 'Copy as code' }).click();
      await dialogue.getByText(`/intents/${second}/cancel`).first().waitFor();
      await expectAccessible(page);
      await dialogue.getByRole('button', { name: 'Cancel intent' }).click();
      await status('cancelled').waitFor();
      await step('Withdrawn before it was sent').waitFor();
      expect(await page.getByRole('button', { name: 'Cancel intent' }).count()).toBe(0);
    });
    expect((await waitForStatus(alice, await latest(), 'cancelled', 'confirmed')).status).toBe('cancelled');
  });

  /** The id of the newest intent. */
  const latest = async (): Promise<string> => {
    const { data } = await alice.api.GET('/intents', { params: { query: { limit: 1 } } });
    return data!.data[0]!.id;
  };

  test('one that was sent meanwhile is not cancelled, and the page says so', async () => {
    await withoutBlocks(openChain(mintmark), async (mine) => {
      const first = await mint();
      await waitForStatus(alice, first, 'submitted');
      const second = await mint();
      await suite.open(`/intents/${second}`, 'Mint');
      await page.getByRole('button', { name: 'Cancel intent' }).click();
      await mine();
      await waitForStatus(alice, second, 'confirmed');
      const dialogue = page.getByRole('dialog', { name: 'Cancel this intent' });
      await dialogue.getByRole('button', { name: 'Cancel intent' }).click();
      await dialogue.getByText('only a queued one can be cancelled').waitFor();
      await dialogue.getByRole('button', { name: 'Keep it' }).click();
      await status('confirmed').waitFor();
    });
  });

  test('one is confirmed while the reader looks', async () => {
    await withoutBlocks(openChain(mintmark), async (mine) => {
      const id = await mint();
      await waitForStatus(alice, id, 'submitted');
      await suite.open(`/intents/${id}`, 'Mint');
      await status('submitted').waitFor();
      await step('Sent').waitFor();
      await mine();
      await status('confirmed').waitFor();
      await step('In block').waitFor();
      // Of the bid that was mined: the first one may have been raised.
      const { transaction } = await waitForStatus(alice, id, 'confirmed');
      expect(await page.getByText('Under way').count()).toBe(0);
      const link = page
        .getByRole('region', { name: 'Details' })
        .getByRole('link', { name: transaction!.hash.slice(0, 8) });
      expect(await link.getAttribute('href')).toBe(transaction!.explorerUrl);
      await expectAccessible(page);
      await page.setViewportSize(PHONE);
      await expectAccessible(page);
      await page.setViewportSize(DESK);
    });
  });

  test('one that failed says why, and what helps', async () => {
    const path = { address: coin };
    await alice.api.POST('/tokens/{address}/pause', { params: { path } });
    const { intentId } = await requestMint(alice, coin);
    await alice.api.POST('/tokens/{address}/unpause', { params: { path } });
    await suite.open('/intents?status=failed', 'Intents');
    await page.getByText('TokenPaused()').waitFor();
    await page.getByRole('link', { name: 'Mint 0.000000000000000001 C' }).click();
    await status('failed').waitFor();
    expect(page.url()).toBe(`${mintmark.url}/console/intents/${intentId}`);
    await page.getByText('The call reverted: TokenPaused()').waitFor();
    await page.getByText('Unpause the token, then send the request again.').waitFor();
    await step('Failed').waitFor();
    await expectAccessible(page);
  });

  test('an unknown one is not found, and not asked for again', async () => {
    const path = '/intents/00000000-0000-4000-8000-000000000000';
    await suite.open(path, 'Intent');
    await page.getByText('Not found').waitFor();
    const asked = suite.browser.asked.length;
    await expectAccessible(page);
    await page.waitForTimeout(TWO_POLLS_MS);
    expect(suite.browser.asked.slice(asked).filter((url) => url.includes(path))).toEqual([]);
  });

  test('filters stand in the address, and a reload keeps them', async () => {
    await suite.open('/intents', 'Intents');
    await page.getByLabel('Status').selectOption('failed');
    await page.getByRole('cell').getByText('confirmed').first().waitFor({ state: 'detached' });
    await page.getByLabel('Kind').selectOption('mint');
    await page.getByLabel('Contract').fill(coin);
    await page.waitForURL((url) => url.search === `?status=failed&kind=mint&contract=${coin}`);
    await page.reload();
    await page.getByText('TokenPaused()').waitFor();
    expect(await rows().count()).toBe(2);
    expect(await page.getByLabel('Contract').inputValue()).toBe(coin);
    await page.getByLabel('Kind').selectOption('pause');
    await page.getByRole('heading', { name: 'No intent is like this' }).waitFor();
    await page.getByRole('button', { name: 'Clear the filters' }).click();
    await page.waitForURL((url) => url.search === '');
    await page.getByLabel('Status').selectOption('open');
    await page.getByRole('heading', { name: 'No intent is like this' }).waitFor();
    await page.getByLabel('Contract').fill('0x12');
    await page.getByLabel('Contract').blur();
    await page.getByText('An address: 0x and 40 hexadecimal digits').waitFor();
    await expectAccessible(page);
  });

  test('new ones wait while somebody reads further down', async () => {
    for (let count = 0; count < 12; count += 1) await mint();
    await suite.open('/intents', 'Intents');
    await rows().nth(12).waitFor();
    await page.setViewportSize({ width: 1440, height: 400 });
    const first = await idOf(firstLink());
    const read = rows().nth(10);
    await read.scrollIntoViewIfNeeded();
    await page.mouse.wheel(0, 400);
    const added = await mint();
    const show = page.getByRole('button', { name: 'Show 1 new' });
    await show.waitFor();
    expect(await idOf(firstLink())).toBe(first);
    await expectAccessible(page);
    await show.click();
    await page.locator(`a[href$="${added}"]`).waitFor();
    expect(await idOf(firstLink())).toBe(added);
    await page.setViewportSize(DESK);
    await expectAccessible(page);
    await page.setViewportSize(PHONE);
    await expectAccessible(page);
    await page.setViewportSize(DESK);
  });

  test('a tab that nobody sees asks for nothing', async () => {
    await suite.open('/intents', 'Intents');
    await rows().nth(1).waitFor();
    await page.waitForRequest(/\/intents\?/);
    await setVisibility('hidden');
    const asked = suite.browser.asked.length;
    await page.waitForTimeout(TWO_POLLS_MS);
    expect(suite.browser.asked.slice(asked)).toEqual([]);
    await setVisibility('visible');
    await page.waitForRequest(/\/intents\?/);
  });

  /** As the browser says it to a page whose tab is left, or comes to the front. */
  const setVisibility = (state: string): Promise<void> =>
    page.evaluate(`Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
      document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));`);

  test('nothing is asked of another host, and nothing breaks the policy', () => {
    expect(suite.browser.asked.filter((url) => !url.startsWith(`${mintmark.url}/`))).toEqual([]);
    expect(suite.browser.complaints).toEqual([]);
  });
});
