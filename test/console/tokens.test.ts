import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import type { components } from '../../generated/api.ts';
import { expectAccessible } from '../setup/accessible.ts';
import { waitUntilLoaded } from '../../lab/stage/console-page.ts';
import { openConsoleSuite } from '../setup/console-suite.ts';
import type { ConsoleSuite } from '../setup/console-suite.ts';
import { findProgram } from '../../lab/stage/program.ts';

const chromium = await findProgram('chromium', 'chromium');

const HOLDER = '0x3440326f551B8A7ee198cEE35cb5D517f2d296a2';
const OTHER = '0xAcFB09713f4F9cc14aA498cBf844b94A27DA64FF';
const PHONE = { width: 390, height: 844 };
const DESK = { width: 1440, height: 900 };

(chromium === null ? describe.skip : describe)('tokens in the console', () => {
  let suite: ConsoleSuite;
  let page: Page;

  beforeAll(async () => {
    suite = await openConsoleSuite(chromium!);
    page = suite.page;
  });

  afterAll(() => suite?.close());

  /** Deploys by the API. Returns the address. */
  const deploy = async (body: components['schemas']['DeployTokenRequest']): Promise<string> => {
    const { data } = await suite.alice.api.POST('/tokens', { body });
    if (!data || !('data' in data)) throw new Error('the token was not deployed');
    return data.data.address;
  };

  const openToken = async (address: string, name: string, tab = ''): Promise<void> => {
    await suite.open(`/tokens/${address}${tab === '' ? '' : `?tab=${tab}`}`, name);
    await waitUntilLoaded(page);
  };

  const button = (name: string, within: Page | Locator = page) =>
    within.getByRole('button', { name, exact: true });

  /** Presses a dangerous button, types the symbol, and confirms. */
  const confirm = async (action: string, symbol: string): Promise<void> => {
    await button(action).click();
    const dialogue = page.getByRole('dialog');
    await dialogue.getByLabel(/^Type the symbol/).fill(symbol);
    await button(action, dialogue).click();
  };

  const accessible = async (): Promise<void> => {
    await expectAccessible(page);
    await page.setViewportSize(PHONE);
    await expectAccessible(page);
    await page.setViewportSize(DESK);
  };

  test('from nothing to an NFT on the screen', async () => {
    await suite.open('/tokens', 'Tokens');
    await page.getByText('No tokens yet').waitFor();
    await accessible();
    await page.getByRole('link', { name: 'Deploy your first token' }).click();
    await page.getByRole('heading', { level: 1, name: 'Deploy a token' }).waitFor();
    await page.getByRole('radio', { name: 'ERC-721: one of a kind' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Alice Art');
    await page.getByLabel('Symbol', { exact: true }).fill('ART');
    await page.getByLabel('Cap', { exact: true }).fill('10000');
    await page.getByLabel('Receiver', { exact: true }).fill(HOLDER);
    await page.getByLabel('Percent of the price', { exact: true }).fill('2.5');
    const never = page.getByRole('region', { name: 'Never changes' });
    expect(await never.innerText()).toContain('10,000 ART');
    await button('Copy as code').click();
    const code = await page.getByLabel('Code', { exact: true }).first().innerText();
    expect(code).toContain('"maxSupply": "10000"');
    expect(code).toContain('"basisPoints": 250');
    await accessible();
    await button('Deploy the token').click();

    await page.getByRole('heading', { level: 1, name: 'Alice Art' }).waitFor();
    await page.getByLabel('To', { exact: true }).fill(HOLDER);
    await button('Mint').click();
    await page.getByRole('heading', { name: 'Minted: #1' }).waitFor();
    const picture = page.getByRole('img', { name: 'Picture of Alice Art #1' });
    await picture.waitFor();
    expect(await picture.getAttribute('src')).toMatch(/^data:image\/svg\+xml;base64,/);
    expect(await picture.evaluate((image: { naturalWidth: number }) => image.naturalWidth)).toBeGreaterThan(
      0,
    );
    await accessible();

    const address = new URL(page.url()).pathname.split('/').at(-1)!;
    const { data: limits } = await suite.alice.api.GET('/tokens/{address}/limits', {
      params: { path: { address } },
    });
    expect(limits).toMatchObject({
      totalSupply: '1',
      maxSupply: '10000',
      royalty: { receiver: HOLDER, basisPoints: 250 },
    });
  });

  test('a deployment says at its fields what is wrong', async () => {
    await suite.open('/tokens/new', 'Deploy a token');
    await page.getByLabel('Cap', { exact: true }).fill('many');
    await button('Deploy the token').click();
    await page.getByText('A name is needed').waitFor();
    await page.getByText('A symbol is needed').waitFor();
    await page.getByText('A number is needed, with 18 decimals at most').waitFor();
    await page.getByRole('radio', { name: 'ERC-721: one of a kind' }).click();
    await page.getByLabel('Cap', { exact: true }).fill('');
    await page.getByLabel('Name', { exact: true }).fill('Wrong');
    await page.getByLabel('Symbol', { exact: true }).fill('WRG');
    await page.getByLabel('Receiver', { exact: true }).fill(HOLDER.replace('B8A', 'b8A'));
    await page.getByLabel('Percent of the price', { exact: true }).fill('5');
    await button('Deploy the token').click();
    await page.getByText(/^royalty\.receiver has a wrong checksum/).waitFor();
    expect(await page.getByLabel('Receiver', { exact: true }).getAttribute('aria-invalid')).toBe('true');
    await accessible();
  });

  test('amounts are typed with decimals and sent as raw units', async () => {
    const address = await deploy({
      type: 'ERC20',
      name: 'Loyalty Points',
      symbol: 'PTS',
      decimals: 2,
      maxSupply: '100000',
      mintLimitPerDay: '50000',
    });
    await openToken(address, 'Loyalty Points', 'mint');
    await page.getByLabel('To', { exact: true }).fill(HOLDER);
    await page.getByLabel('Amount', { exact: true }).fill('1.505');
    await button('Mint').click();
    await page.getByText('A number is needed, with 2 decimals at most').waitFor();
    await page.getByLabel('Amount', { exact: true }).fill('1.5');
    await page.getByText('150 raw units').waitFor();
    await button('Copy as code').click();
    expect(await page.getByLabel('Code', { exact: true }).first().innerText()).toContain('"amount": "150"');
    await button('Mint').click();
    await page.getByRole('heading', { name: 'Minted', exact: true }).waitFor();
    await page.getByRole('tab', { name: 'Overview' }).click();
    await page.getByText('of 1,000 PTS at the most').waitFor();
    expect(await page.getByRole('region', { name: 'Supply' }).innerText()).toContain('1.5');
    await page.getByRole('link', { name: 'Deploy token' }).waitFor();
    await accessible();
  });

  test('a write that is still under way leads to its intent', async () => {
    const address = await deploy({ type: 'ERC20', name: 'Slow Coin', symbol: 'SLOW' });
    await openToken(address, 'Slow Coin', 'mint');
    await page.route('**/mint', (route) =>
      route.continue({ headers: { ...route.request().headers(), prefer: 'respond-async' } }),
    );
    await page.getByLabel('To', { exact: true }).fill(HOLDER);
    await page.getByLabel('Amount', { exact: true }).fill('1');
    await button('Mint').click();
    await page.waitForURL(/\/console\/intents\/[0-9a-f-]{36}$/);
    await page.unroute('**/mint');
  });

  test('what stops every holder is confirmed by the symbol, and resumed at once', async () => {
    const address = await deploy({ type: 'ERC20', name: 'Steered Coin', symbol: 'STC' });
    await openToken(address, 'Steered Coin', 'controls');
    await accessible();
    await button('Pause').click();
    const dialogue = page.getByRole('dialog');
    await dialogue.getByLabel(/^Type the symbol/).fill('stc');
    expect(await button('Pause', dialogue).isDisabled()).toBe(true);
    await expectAccessible(page);
    await dialogue.getByLabel(/^Type the symbol/).fill('STC');
    await button('Pause', dialogue).click();
    await page.getByText('paused', { exact: true }).waitFor();
    await button('Resume').click();
    await page.getByText('paused', { exact: true }).waitFor({ state: 'hidden' });
    await confirm('Lock transfers', 'STC');
    await page.getByText('transfers locked').waitFor();
    await button('Unlock transfers').click();
    await page.getByText('transfers locked').waitFor({ state: 'hidden' });
    await confirm('Close minting', 'STC');
    await page.getByText('Minting is closed. Nobody can undo it.', { exact: true }).waitFor();
    await confirm('Give up control', 'STC');
    await page.getByText('Control over holders is given up. Nobody can undo it.', { exact: true }).waitFor();
    await page.getByText('Nobody can pause this token any more.').waitFor();
    await accessible();
    await page.getByRole('tab', { name: 'Mint', exact: true }).click();
    await page.getByText('Nobody can mint this token any more').waitFor();
    const { data } = await suite.alice.api.GET('/tokens/{address}/limits', {
      params: { path: { address } },
    });
    expect(data).toMatchObject({ mintClosed: true, controlsRenounced: true });
  });

  test('the limit is lowered, and a higher one is refused in the words of the API', async () => {
    const address = await deploy({
      type: 'ERC721',
      name: 'Bounded Art',
      symbol: 'BND',
      mintLimitPerDay: '10',
    });
    await openToken(address, 'Bounded Art', 'controls');
    await page.getByText('The limit is 10 NFTs.').waitFor();
    await page.getByLabel('New limit', { exact: true }).fill('4');
    await confirm('Set the limit', 'BND');
    await page.getByText('The limit is 4 NFTs.').waitFor();
    await page.getByLabel('New limit', { exact: true }).fill('5');
    await confirm('Set the limit', 'BND');
    const dialogue = page.getByRole('dialog');
    await dialogue.getByText('Not allowed').waitFor();
    await button('Cancel', dialogue).click();
    await page.getByLabel('Receiver', { exact: true }).fill(OTHER);
    await page.getByLabel('Percent of the price', { exact: true }).fill('7.5');
    await button('Set the royalty').click();
    await page.getByText('The royalty is set').waitFor();
    const { data } = await suite.alice.api.GET('/tokens/{address}/limits', {
      params: { path: { address } },
    });
    expect(data).toMatchObject({ mintLimitPerDay: '4', royalty: { receiver: OTHER, basisPoints: 750 } });
  });

  test('accounts are looked up, approved and frozen, and a holding is moved', async () => {
    const address = await deploy({
      type: 'ERC20',
      name: 'Known Coin',
      symbol: 'KNW',
      isPermissionless: false,
      recoverable: true,
    });
    const path = { address };
    await openToken(address, 'Known Coin', 'accounts');
    await page.getByLabel('Address', { exact: true }).fill(HOLDER);
    await page.getByText('Refused: it is not approved').waitFor();
    await accessible();
    await button('Approve').click();
    await page.getByText('Allowed: it is approved').waitFor();
    await suite.alice.api.POST('/tokens/{address}/mint', {
      params: { path },
      body: { owner: HOLDER, amount: '3000000000000000000' },
    });
    await button('Freeze').click();
    await page.getByText('frozen', { exact: true }).waitFor();
    await page.getByRole('tab', { name: 'Controls' }).click();
    await page.getByLabel('From', { exact: true }).fill(HOLDER);
    await page.getByLabel('To', { exact: true }).fill(OTHER);
    await page.getByLabel('Amount', { exact: true }).fill('2.5');
    await confirm('Move the holding', 'KNW');
    await page.getByText('The holding is moved').waitFor();
    const { data } = await suite.alice.api.GET('/tokens/{address}/accounts/{account}', {
      params: { path: { address, account: OTHER } },
    });
    expect(data?.balance).toBe('2500000000000000000');
  });

  test('metadata are drawn while they are typed, saved with their kinds, and frozen', async () => {
    const address = await deploy({ type: 'ERC721', name: 'Drawn Art', symbol: 'DRW' });
    const path = { address };
    await suite.alice.api.POST('/tokens/{address}/mint', { params: { path }, body: { owner: HOLDER } });
    await openToken(address, 'Drawn Art', 'metadata');
    const preview = page.getByRole('region', { name: 'Preview' });
    await preview.getByRole('img', { name: 'Picture of Drawn Art #1' }).waitFor();
    await page.getByLabel('Name', { exact: true }).fill('Blue Hour');
    await preview.getByRole('img', { name: 'Picture of Blue Hour' }).waitFor();
    await page.getByLabel('Description', { exact: true }).fill('The harbour after sunset.');
    for (const [at, [name, kind, value]] of ATTRIBUTES.entries()) {
      await button('Add an attribute').click();
      await page.getByLabel(`Name of attribute ${at + 1}`).fill(name);
      await page.getByLabel(`Kind of attribute ${at + 1}`).selectOption(kind);
      const field = page.getByLabel(`Value of attribute ${at + 1}`);
      await (kind === 'boolean' ? field.selectOption(value) : field.fill(value));
    }
    await preview.getByText('edition').waitFor();
    await accessible();
    await page.getByLabel('Value of attribute 1', { exact: true }).fill('seven');
    await button('Save the metadata').click();
    await page.getByText(/^attributes\.edition is not exactly a number/).waitFor();
    await page.getByLabel('Value of attribute 1', { exact: true }).fill('7');
    await button('Save the metadata').click();
    await page.getByText('The metadata are on the chain').waitFor();
    const { data } = await suite.alice.api.GET('/tokens/{address}/metadata', {
      params: { path, query: { tokenId: '1' } },
    });
    expect(data).toEqual({
      name: 'Blue Hour',
      description: 'The harbour after sunset.',
      image: null,
      attributes: { edition: 7, framed: false, mood: 'calm' },
    });
    await confirm('Freeze for ever', 'DRW');
    await page.getByText('The metadata are frozen').waitFor();
    await button('Save the metadata').click();
    await page.getByText('The chain refused it').waitFor();
    await page.getByText('The metadata are frozen: take that back as long as it can be done.').waitFor();
  });

  test('hostile names and metadata stay text, and ask no other host for anything', async () => {
    const name = '<img src=x onerror=alert(1)>\u202Egnp';
    const symbol = '<b>X</b>\u202E';
    const address = await deploy({ type: 'ERC721', name, symbol });
    const path = { address };
    await suite.alice.api.POST('/tokens/{address}/mint', { params: { path }, body: { owner: HOLDER } });
    const { response } = await suite.alice.api.PUT('/tokens/{address}/metadata', {
      params: { path },
      body: HOSTILE,
    });
    expect(response.status).toBe(200);
    await suite.open('/tokens', 'Tokens');
    await page.getByText(name).waitFor();
    await accessible();
    await openToken(address, name, 'metadata');
    const preview = page.getByRole('region', { name: 'Preview' });
    await preview.getByText('Hosted elsewhere').waitFor();
    await preview.getByText(HOSTILE.image).waitFor();
    await preview.getByText(HOSTILE.name).waitFor();
    await accessible();
    expect(suite.browser.asked.filter((url) => !url.startsWith(`${suite.mintmark.url}/`))).toEqual([]);
    expect(suite.browser.complaints).toEqual([]);
  });

  test('the open tab is in sight on a phone', async () => {
    const address = await deploy({ type: 'ERC20', name: 'Narrow', symbol: 'NRW' });
    await page.setViewportSize(PHONE);
    await openToken(address, 'Narrow', 'controls');
    const { x, width } = (await page.getByRole('tab', { name: 'Controls' }).boundingBox())!;
    expect(x + width).toBeLessThanOrEqual(PHONE.width);
    await page.setViewportSize(DESK);
  });

  test('the list is searched and filtered', async () => {
    const address = await deploy({ type: 'ERC20', name: 'Needle', symbol: 'NDL' });
    await suite.open('/tokens', 'Tokens');
    const rows = page.getByRole('table', { name: 'Tokens' }).getByRole('row');
    const search = page.getByLabel('Search the tokens', { exact: true });
    await page.getByRole('link', { name: 'Alice Art' }).waitFor();
    await search.fill('needl');
    await page.getByRole('link', { name: 'Alice Art' }).waitFor({ state: 'hidden' });
    await page.getByRole('link', { name: 'Needle' }).waitFor();
    expect(await rows.count()).toBe(2);
    await search.fill(address.slice(0, 12));
    await page.getByRole('link', { name: 'Needle' }).waitFor();
    await page.getByText('ERC-721', { exact: true }).first().click();
    await page.getByText('No token of this account matches.').waitFor();
    await search.fill('');
    await page.getByRole('link', { name: 'Alice Art' }).waitFor();
    expect(await page.getByRole('link', { name: 'Needle' }).count()).toBe(0);
    await suite.open('/tokens/0x0000000000000000000000000000000000000001', 'Token');
    await page.getByText('Not found').first().waitFor();
    await accessible();
  });
});

const ATTRIBUTES = [
  ['edition', 'number', '7'],
  ['framed', 'boolean', 'false'],
  ['mood', 'text', 'calm'],
] as const;

/** Some 8,000 of the 8,192 bytes that fit. */
const HOSTILE = {
  tokenId: '1',
  name: '<svg onload=alert(1)>\u202Elive',
  description: `</script><script>alert(1)</script>${'\u05D0'.repeat(900)}`,
  image: `https://evil.example/${'a'.repeat(1_900)}`,
  attributes: Object.fromEntries(
    Array.from({ length: 13 }, (_, at) => [`"><script>${at}`, `${'v'.repeat(290)}`]),
  ),
};
