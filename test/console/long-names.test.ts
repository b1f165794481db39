import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { query } from '../../src/db/client.ts';
import { sessionOf } from '../../lab/stage/collections.ts';
import { waitUntilLoaded } from '../../lab/stage/console-page.ts';
import { openConsoleSuite } from '../setup/console-suite.ts';
import type { ConsoleSuite } from '../setup/console-suite.ts';
import { findOverflow } from '../setup/overflow.ts';
import { findProgram } from '../../lab/stage/program.ts';
import { startReceiver } from '../../lab/stage/receiver.ts';
import type { Receiver } from '../../lab/stage/receiver.ts';
import { RECIPIENT } from '../../lab/stage/tokens.ts';

const OTHER = '0x5dad7600C5D89fE3824fFa99ec1c3eB8BF3b0501';

const chromium = await findProgram('chromium', 'chromium');

const SIZES = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
];

/** As long as the contract takes them, and without a place to break a line at. */
const LATIN = { name: 'W'.repeat(64), symbol: 'W'.repeat(16) };
const ARABIC = { name: 'ش'.repeat(32), symbol: 'ش'.repeat(8) };
const EMOJI = { name: '🐘'.repeat(16), symbol: '🐘'.repeat(4) };
const HUGE = '9'.repeat(60);
const METADATA = {
  name: 'M'.repeat(200),
  description: 'D'.repeat(500),
  attributes: { ['K'.repeat(60)]: 'V'.repeat(120), short: 'ش'.repeat(60) },
};

(chromium === null ? describe.skip : describe)('the longest names', () => {
  let suite: ConsoleSuite;
  let receiver: Receiver;
  let page: Page;
  const made = { coin: '', art: '', webhook: '', intent: '' };

  beforeAll(async () => {
    receiver = await startReceiver();
    suite = await openConsoleSuite(chromium!, { WEBHOOK_ALLOW_PRIVATE: 'true' });
    ({ page } = suite);
    await makeAccount();
  });

  afterAll(async () => {
    await suite?.close();
    await receiver?.[Symbol.asyncDispose]();
  });

  const makeAccount = async (): Promise<void> => {
    const { mintmark, alice } = suite;
    const account = sessionOf(mintmark, alice);
    await query(mintmark.service.context.db, 'update accounts set email = :email where id = :id', {
      email: `${'w'.repeat(200)}@example.com`,
      id: alice.id,
    });
    const { data: webhook } = await account.POST('/v1/webhooks', {
      body: { url: receiver.urlOf('w'.repeat(1_900)) },
    });
    made.webhook = webhook!.id;
    await account.POST('/v1/api-keys', { body: { name: 'W'.repeat(64), environment: 'live' } });
    for (const names of [ARABIC, EMOJI, LATIN]) {
      const { data } = await alice.api.POST('/tokens', { body: { type: 'ERC20', decimals: 0, ...names } });
      made.coin = (data as { data: { address: string } }).data.address;
      const path = { address: made.coin };
      const answer = await alice.api.POST('/tokens/{address}/mint', {
        params: { path },
        body: { owner: RECIPIENT, amount: HUGE },
      });
      made.intent = answer.response.headers.get('Intent-Id')!;
      await account.POST('/v1/collections', { body: names });
    }
    await alice.api.POST('/tokens/{address}/pause', { params: { path: { address: made.coin } } });
    await alice.api.POST('/tokens/{address}/mint', {
      params: { path: { address: made.coin } },
      body: { owner: RECIPIENT, amount: '1' },
    });
    const { data } = await account.POST('/v1/collections', { body: LATIN });
    made.art = (data as { address: string }).address;
    await account.POST('/v1/collections/{address}/mint', {
      params: { path: { address: made.art } },
      body: { to: RECIPIENT, metadata: METADATA },
    });
  };

  const fill = (rows: string): Promise<void> => page.getByLabel('Rows', { exact: true }).fill(rows);

  const expectToFit = async (what: string, sizes = SIZES): Promise<void> => {
    await waitUntilLoaded(page);
    for (const size of sizes) {
      await page.setViewportSize(size);
      // A page takes a moment for another width, the longer the busier the machine is.
      for (let look = 0; look < 100 && (await findOverflow(page)).length > 0; look += 1)
        await page.waitForTimeout(100);
      expect({ what, width: size.width, found: await findOverflow(page) }).toEqual({
        what,
        width: size.width,
        found: [],
      });
    }
  };

  test.each([
    ['the overview', () => '/'],
    ['the tokens', () => '/tokens'],
    ['a token', () => `/tokens/${made.coin}`],
    ['its mint', () => `/tokens/${made.coin}?tab=mint`],
    ['its metadata', () => `/tokens/${made.coin}?tab=metadata`],
    ['its accounts', () => `/tokens/${made.coin}?tab=accounts`],
    ['its controls', () => `/tokens/${made.coin}?tab=controls`],
    ['the collections', () => '/collections'],
    ['a collection', () => `/collections/${made.art}`],
    ['its mint', () => `/collections/${made.art}?tab=mint`],
    ['its metadata', () => `/collections/${made.art}?tab=metadata`],
    ['its activity', () => `/collections/${made.art}?tab=activity`],
    ['an NFT', () => `/collections/${made.art}/tokens/1`],
    ['the intents', () => '/intents'],
    ['an intent', () => `/intents/${made.intent}`],
    ['the webhooks', () => '/webhooks'],
    ['a webhook', () => `/webhooks/${made.webhook}`],
    ['the keys', () => '/keys'],
    ['the audit log', () => '/audit'],
    ['the profile', () => '/profile'],
  ])('fit into %s', async (what, path) => {
    await suite.open(path(), /./);
    await expectToFit(what);
  });

  test('fit into a list that is to be minted, and into what is wrong with one', async () => {
    const columns = `to,name,${'K'.repeat(60)}`;
    const row = (to: string): string => `${to},${METADATA.name},${'V'.repeat(120)}`;
    await suite.open(`/collections/${made.art}/batch`, 'Mint a list');
    await fill(`${columns}\n${row(OTHER)}`);
    await page.getByRole('heading', { name: '1 NFT, ready to mint' }).waitFor();
    await expectToFit('a list');
    await fill(`${columns}\n${row('W'.repeat(200))}`);
    await page.getByText('1 row to be corrected').waitFor();
    await expectToFit('a list with a fault');
  });

  test.each(SIZES)('fit into dialogues and menus at %o', async (size) => {
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.setViewportSize(size);
    await suite.open('/keys', 'API keys');
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
    await expectToFit('the menu of the account', [size]);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: /^Revoke W/ }).click();
    await page.getByRole('dialog').waitFor();
    await expectToFit('the revocation of a key', [size]);
    await suite.open(`/tokens/${made.coin}?tab=controls`, LATIN.name);
    await page.getByRole('button', { name: 'Close minting', exact: true }).click();
    await page.getByRole('dialog').waitFor();
    await expectToFit('a confirmation', [size]);
    await suite.open(`/webhooks/${made.webhook}`, /./);
    await page.getByRole('table', { name: 'Deliveries' }).getByRole('button').first().click();
    await page.getByRole('dialog').waitFor();
    await expectToFit('a delivery', [size]);
  });
});
