import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { createMintmarkClient } from '../../generated/client.ts';
import type { MintmarkClient } from '../../generated/client.ts';
import { setPlan } from '../../lab/stage/accounts.ts';
import { expectAccessible } from '../setup/accessible.ts';
import { waitUntilLoaded } from '../../lab/stage/console-page.ts';
import { openConsoleSuite } from '../setup/console-suite.ts';
import type { ConsoleSuite } from '../setup/console-suite.ts';
import { findProgram } from '../../lab/stage/program.ts';

const chromium = await findProgram('chromium', 'chromium');

const HOLDER = '0x3440326f551B8A7ee198cEE35cb5D517f2d296a2';
const OTHER = '0xAcFB09713f4F9cc14aA498cBf844b94A27DA64FF';
const THIRD = '0x5dad7600C5D89fE3824fFa99ec1c3eB8BF3b0501';
const PHONE = { width: 390, height: 844 };
const DESK = { width: 1440, height: 900 };
const MINT = /\/v1\/collections\/0x[0-9a-fA-F]{40}\/mint$/;
/** The file of a list, as it is dropped: `base64` of its bytes. */
const dropped = (base64: string): string =>
  `(() => { const data = new DataTransfer(); data.items.add(new File([Uint8Array.from(atob('${base64}'), (each) => each.charCodeAt(0))], 'list.csv')); return data; })()`;

(chromium === null ? describe.skip : describe)('collections in the console', () => {
  let suite: ConsoleSuite;
  let page: Page;
  let account: MintmarkClient;

  beforeAll(async () => {
    suite = await openConsoleSuite(chromium!);
    page = suite.page;
    account = createMintmarkClient({ baseUrl: suite.mintmark.url, cookie: suite.alice.cookie });
    await setPlan(suite.mintmark, suite.alice, 'PRO');
  });

  afterAll(() => suite?.close());

  const button = (name: string | RegExp, within: Page | Locator = page) =>
    within.getByRole('button', { name, exact: true });

  const accessible = async (): Promise<void> => {
    await expectAccessible(page);
    await page.setViewportSize(PHONE);
    await expectAccessible(page);
    await page.setViewportSize(DESK);
  };

  /** Creates one by the API. Returns its address. */
  const create = async (name: string, symbol: string): Promise<string> => {
    const { data } = await account.POST('/v1/collections', { body: { name, symbol } });
    if (!data || !('address' in data)) throw new Error('the collection was not created');
    return data.address;
  };

  const mintedIn = async (address: string): Promise<number | undefined> => {
    const { data } = await account.GET('/v1/collections/{address}', { params: { path: { address } } });
    return data?.minted;
  };

  const openList = async (address: string, text: string): Promise<void> => {
    await suite.open(`/collections/${address}/batch`, 'Mint a list');
    await page.getByLabel('Rows', { exact: true }).fill(text);
  };

  const drop = async (bytes: string | Uint8Array): Promise<void> => {
    const dataTransfer = await page.evaluateHandle<unknown>(dropped(Buffer.from(bytes).toString('base64')));
    await page.getByLabel('Rows', { exact: true }).dispatchEvent('drop', { dataTransfer });
  };

  /** Every mint that the page sends, by its key. */
  const watchMints = (): { keys: string[]; stop(): void } => {
    const keys: string[] = [];
    const note = (request: { url(): string; headers(): Record<string, string> }): void => {
      if (MINT.test(request.url())) keys.push(request.headers()['idempotency-key']!);
    };
    page.on('request', note);
    return { keys, stop: () => page.off('request', note) };
  };

  test('from nothing to an NFT in the grid', async () => {
    await suite.open('/collections', 'Collections');
    await page.getByText('No collections yet').waitFor();
    await accessible();
    await page.getByRole('link', { name: 'Create your first collection' }).click();
    await page.getByRole('heading', { level: 1, name: 'Create a collection' }).waitFor();
    await button('Create the collection').click();
    await page.getByText('A name is needed').waitFor();
    await page.getByLabel('Name', { exact: true }).fill('Harbour Lights');
    await page.getByLabel('Symbol', { exact: true }).fill('HARB');
    await page.getByLabel('Cap', { exact: true }).fill('1000');
    expect(await page.getByRole('region', { name: 'Never changes' }).innerText()).toContain('1,000 NFTs');
    await accessible();
    await button('Create the collection').click();
    await page.getByRole('heading', { level: 1, name: 'Harbour Lights' }).waitFor();
    await page.getByText('Nothing minted yet').waitFor();
    await accessible();
    await page.getByRole('link', { name: 'Mint the first NFT' }).click();
    await page.getByLabel('To', { exact: true }).fill(HOLDER);
    await page.getByLabel('Name', { exact: true }).fill('Blue Hour');
    await page.getByRole('img', { name: 'Picture of Blue Hour' }).waitFor();
    await accessible();
    await button('Mint').click();
    await page.getByRole('heading', { name: 'Minted: #1' }).waitFor();
    await page.getByRole('tab', { name: 'NFTs' }).click();
    const card = page.getByRole('list', { name: 'NFTs' }).getByRole('link');
    await card.getByText('Blue Hour').waitFor();
    const picture = card.locator('img');
    expect(await picture.getAttribute('src')).toMatch(/^data:image\/svg\+xml;base64,/);
    await accessible();
    await card.click();
    await page.getByRole('heading', { level: 1, name: 'Harbour Lights #1' }).waitFor();
    await waitUntilLoaded(page);
    await page.getByLabel('Description', { exact: true }).fill('The harbour after sunset.');
    await accessible();
    await button('Save the metadata').click();
    await page.getByText('The metadata are on the chain').waitFor();
  });

  test('says at its fields what the API refuses, and writes the metadata of the collection', async () => {
    const address = await create('Low Tide', 'TIDE');
    await suite.open(`/collections/${address}?tab=mint`, 'Low Tide');
    await page.getByLabel('To', { exact: true }).fill(HOLDER.replace('B8A', 'b8A'));
    await page.getByRole('switch', { name: /^With metadata/ }).click();
    await button('Mint').click();
    await page.getByText(/^to has a wrong checksum/).waitFor();
    await page.getByRole('tab', { name: 'Metadata' }).click();
    await page.getByLabel('Description', { exact: true }).fill('Evenings at the water.');
    await button('Save the metadata').click();
    await page.getByText('The metadata are on the chain').waitFor();
    const { data } = await suite.mintmark.anonymous.GET('/tokenURI/{address}', {
      params: { path: { address } },
    });
    expect(data).toMatchObject({ name: 'Low Tide', description: 'Evenings at the water.' });
    await page.getByRole('tab', { name: 'Activity' }).click();
    await page.getByRole('link', { name: 'Set metadata' }).waitFor();
    await accessible();
  });

  test('a list with bad rows names each of them, and sends nothing', async () => {
    const address = await create('Bad Rows', 'BAD');
    const sent = watchMints();
    await openList(address, `to,name,edition:number\n0x12,A,1\n${HOLDER},B,seven\n${HOLDER},,1`);
    await page.getByText('3 rows to be corrected').waitFor();
    const table = page.getByRole('table', { name: 'What is wrong' });
    expect((await table.getByRole('row').allInnerTexts()).slice(1).map((row) => row.split(/\s/)[0])).toEqual([
      '2',
      '3',
      '4',
    ]);
    await table.getByText('to must be an address: 0x and 40 hexadecimal digits').waitFor();
    await table.getByText('name is required').waitFor();
    expect(await button(/^Mint /).count()).toBe(0);
    await accessible();
    await page.getByLabel('Rows', { exact: true }).fill(`to,name,edition:number\n${HOLDER},A,1`);
    await page.getByRole('heading', { name: '1 NFT, ready to mint' }).waitFor();
    await accessible();
    sent.stop();
    expect(sent.keys).toEqual([]);
    expect(await mintedIn(address)).toBe(0);
  });

  test('a list is minted once, though an answer is lost, the page is closed, and it is dropped again', async () => {
    const address = await create('Many Lights', 'MANY');
    const text = ['to', ...Array.from({ length: 30 }, (_, at) => (at % 2 ? HOLDER : OTHER))].join('\n');
    const sent = watchMints();
    await openList(address, text);
    await page.getByText('For 2 accounts, each NFT by a request of its own').waitFor();
    // The service carries the first one out, and its answer is lost on the way.
    await page.route(
      MINT,
      async (route) => {
        await route.fetch();
        await route.abort('connectionreset');
      },
      { times: 1 },
    );
    page.once('dialog', (dialogue) => void dialogue.accept());
    await button('Mint 30 NFTs').click();
    await page.getByText(/^([1-9]|[12][0-9]) of 30 minted/).waitFor();
    await page.goto('about:blank');

    await suite.open(`/collections/${address}/batch`, 'Mint a list');
    await drop(text.replaceAll('\n', '\r\n'));
    await page.getByText('list.csv').waitFor();
    await button(/^Mint \d+ NFTs?$/).click();
    await page.getByText(/^\d+ NFTs? minted$/).waitFor();
    await accessible();
    expect(await mintedIn(address)).toBe(30);
    sent.stop();
    expect(sent.keys[1]).toBe(sent.keys[0]);
    expect(new Set(sent.keys).size).toBe(30);
    await page.getByRole('link', { name: 'See the collection' }).click();
    await page.getByText('#30, minted to').waitFor();
    await button('Show more').click();
    await page.getByText('#1, minted to').waitFor();
  });

  test('a list with a frozen recipient is corrected and taken again, and mints the rest alone', async () => {
    const address = await create('Frozen Lights', 'FRZ');
    const path = { address };
    await suite.alice.api.POST('/tokens/{address}/freeze', { params: { path }, body: { account: OTHER } });
    await openList(address, ['to', HOLDER, OTHER, HOLDER].join('\n'));
    await button('Mint 3 NFTs').click();
    await page.getByText('2 of 3 minted, 1 failed').waitFor();
    await button('Try the failed again').waitFor();
    const failed = page.getByRole('table', { name: 'Failed rows' });
    await failed.getByText('Unfreeze the account, or name another one.').waitFor();
    await accessible();
    await page.getByLabel('Rows', { exact: true }).fill(['to', HOLDER, THIRD, HOLDER].join('\n'));
    await page.getByText('2 rows minted already').waitFor();
    await accessible();
    await button('Mint 1 NFT').click();
    await page.getByText('1 NFT minted').waitFor();
    expect(await mintedIn(address)).toBe(3);
    // All of it once more, when that is meant.
    await openList(address, ['to', HOLDER, THIRD, HOLDER].join('\n'));
    await page.getByRole('heading', { name: 'Everything in it is minted' }).waitFor();
    await page.getByLabel('Mint all 3 a second time', { exact: true }).click();
    await button('Look at it first').click();
    await button('Mint 3 NFTs').click();
    await page.getByText('3 NFTs minted').waitFor();
    expect(await mintedIn(address)).toBe(6);
  });

  test('a list asks before it mints to accounts that were sent NFTs by somebody else', async () => {
    const address = await create('Old Lights', 'OLD');
    await account.POST('/v1/collections/{address}/mint', {
      params: { path: { address } },
      body: { to: HOLDER },
    });
    await openList(address, [HOLDER, OTHER].join('\n'));
    await page.getByText('1 row may be minted already').waitFor();
    await button('Mint 1 NFT').waitFor();
    await accessible();
    await page.getByLabel('Mint them too', { exact: true }).click();
    await button('Mint 2 NFTs').waitFor();
  });

  test('a list beyond the credits is not begun', async () => {
    const address = await create('Dear Lights', 'DEAR');
    const { data } = await account.GET('/v1/billing/credits');
    const rows = Array.from({ length: data!.creditsRemaining + 1 }, () => HOLDER);
    await openList(address, ['to', ...rows].join('\n'));
    await page.getByText('Take rows out of the list, or ask the operator for a larger plan.').waitFor();
    expect(await button(/^Mint [\d,]+ NFTs$/).isDisabled()).toBe(true);
    await accessible();
  });

  test('a list goes on while its page is left, and says so', async () => {
    const address = await create('Long Lights', 'LONG');
    const release = Promise.withResolvers<void>();
    await page.route(MINT, async (route) => {
      await release.promise;
      await route.continue();
    });
    await openList(address, [HOLDER, OTHER].join('\n'));
    await button('Mint 2 NFTs').click();
    await page.getByText('0 of 2 minted').waitFor();
    // Back to what was open before the console was loaded ends the page, and so the list.
    const asking = page.waitForEvent('dialog');
    await page.evaluate('setTimeout(() => history.back())');
    const question = await asking;
    expect(question.type()).toBe('beforeunload');
    await question.dismiss();
    await page.getByText('0 of 2 minted').waitFor();
    await page.getByRole('link', { name: 'Tokens', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Tokens' }).waitFor();
    const note = page.getByRole('note').filter({ hasText: 'A list is minted' });
    await note.waitFor();
    await accessible();
    expect(await page.getByLabel('Sandbox', { exact: true }).isDisabled()).toBe(true);
    release.resolve();
    await note.waitFor({ state: 'detached' });
    await page.unrouteAll();
    expect(await mintedIn(address)).toBe(2);
    await page.goBack();
    await page.getByText('2 NFTs minted').waitFor();
  });

  test('a file that is not UTF-8 shows its letters before they are taken, and a workbook is refused', async () => {
    const address = await create('Letters', 'LET');
    await suite.open(`/collections/${address}/batch`, 'Mint a list');
    await drop(Buffer.from(`to,name\r\n${HOLDER},Caf\u00e9 Zo\u00eb\r\n`, 'latin1'));
    const letters = page.getByLabel('Lines with letters beyond ASCII');
    await letters.getByText('Café Zoë').waitFor();
    await accessible();
    expect(await button(/^Mint /).count()).toBe(0);
    await page.getByLabel('Encoding', { exact: true }).selectOption('windows-1251');
    await letters.getByText('Cafй Zoл').waitFor();
    await page.getByLabel('Encoding', { exact: true }).selectOption('windows-1252');
    await button('These letters are right').click();
    await page.getByRole('table', { name: 'The first rows' }).getByText('Café Zoë').waitFor();
    await button('Take another one').click();
    await drop(Uint8Array.of(0x50, 0x4b, 3, 4, 20, 0));
    await page.getByText('The file is a workbook').waitFor();
    await accessible();
  });

  test('hostile names and metadata stay text in lists and cards', async () => {
    const name = '<img src=x onerror=alert(1)>\u202Egnp';
    const address = await create(name, '<b>\u202E');
    await openList(
      address,
      `to,name,image,<script>x\n${HOLDER},</title><script>alert(1)</script>\u202E,https://evil.example/a.png,${'v'.repeat(1_000)}`,
    );
    await page.getByRole('heading', { name: '1 NFT, ready to mint' }).waitFor();
    await accessible();
    await button('Mint 1 NFT').click();
    await page.getByText('1 NFT minted').waitFor();
    await suite.open(`/collections/${address}`, name);
    await page.getByText('Hosted elsewhere').waitFor();
    await page.getByText('https://evil.example/a.png').waitFor();
    await accessible();
    await suite.open('/collections', 'Collections');
    await page.getByRole('link', { name }).waitFor();
    await accessible();
    expect(suite.browser.asked.filter((url) => !url.startsWith(`${suite.mintmark.url}/`))).toEqual([]);
    expect(suite.browser.complaints).toEqual([]);
  });

  test('the list is searched', async () => {
    await suite.open('/collections', 'Collections');
    await page.getByRole('link', { name: 'Harbour Lights' }).waitFor();
    await page.getByLabel('Search the collections', { exact: true }).fill('TIDE');
    await page.getByRole('link', { name: 'Harbour Lights' }).waitFor({ state: 'hidden' });
    await page.getByRole('link', { name: 'Low Tide' }).waitFor();
    await page.getByLabel('Search the collections', { exact: true }).fill('nothing like it');
    await page.getByText('No collection of this account matches.').waitFor();
    await accessible();
  });

  test('the sandbox has collections of its own, at no cost', async () => {
    await suite.open('/collections', 'Collections');
    const before = await account.GET('/v1/billing/credits');
    await page.getByLabel('Sandbox', { exact: true }).click();
    await page.getByText('No collections in the sandbox yet').waitFor();
    await page.getByRole('link', { name: 'Create your first collection' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Sand Lights');
    await page.getByLabel('Symbol', { exact: true }).fill('SAND');
    await page.getByText('Free in the sandbox').waitFor();
    await button('Create the collection').click();
    await page.getByRole('heading', { level: 1, name: 'Sand Lights' }).waitFor();
    await page.getByRole('link', { name: 'Mint a list' }).first().click();
    await page.getByLabel('Rows', { exact: true }).fill([HOLDER, OTHER].join('\n'));
    await button('Mint 2 NFTs').click();
    await page.getByText('2 NFTs minted').waitFor();
    await page.getByRole('link', { name: 'See the collection' }).click();
    await page.getByText('There is no chain here').waitFor();
    await page.locator('img[src^="data:image/svg+xml"]').nth(1).waitFor();
    await accessible();
    await page.getByRole('link', { name: /#1/ }).click();
    await page.getByText('The form begins empty in the sandbox').waitFor();
    await accessible();
    await page.getByLabel('Name', { exact: true }).fill('Blue Hour');
    await button('Save the metadata').click();
    await page.getByText('The metadata are right; the sandbox keeps none').waitFor();
    // What is said of the chain is said of another place.
    for (const said of ['Kept on the chain', 'As the chain will', 'are on the chain', 'same transaction'])
      expect({ said, count: await page.getByText(said).count() }).toEqual({ said, count: 0 });
    await page.getByRole('link', { name: 'Sand Lights' }).click();
    await page.getByRole('tab', { name: 'Mint', exact: true }).click();
    await page.getByText('Checked as on the chain').waitFor();
    await page.getByText('As the chain would draw it').waitFor();
    const after = await account.GET('/v1/billing/credits');
    expect(after.data?.creditsRemaining).toBe(before.data?.creditsRemaining);
    await page.getByLabel('Sandbox', { exact: true }).click();
    await page.getByText('Not found').first().waitFor();
  });
});
