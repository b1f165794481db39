import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { components } from '../../generated/api.ts';
import { waitUntilLoaded } from '../../lab/stage/console-page.ts';
import { findProgram } from '../../lab/stage/program.ts';
import { RECIPIENT } from '../../lab/stage/tokens.ts';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import { expectAccessible } from '../setup/accessible.ts';
import { openChain } from '../setup/chain.ts';
import { openConsoleSuite } from '../setup/console-suite.ts';
import type { ConsoleSuite } from '../setup/console-suite.ts';

const chromium = await findProgram('chromium', 'chromium');

const DAY_S = 86_400;
/** On a local chain nothing can be taken back. */
const PUBLIC_CHAIN = { chainId: 5 };
const VARIABLES = {
  CHAIN_PROFILE: 'anvil',
  OPERATOR_ADMIN: embeddedAccounts[0].address,
  OPERATOR_ADMIN_DELAY: '0',
};

(chromium === null ? describe.skip : describe)('what can be given up, and taken back for a day', () => {
  let suite: ConsoleSuite;
  let page: Page;

  beforeAll(async () => {
    suite = await openConsoleSuite(chromium!, VARIABLES, PUBLIC_CHAIN);
    page = suite.page;
  });

  afterAll(() => suite?.close());

  /** Deploys an ERC-721 whose first NFTs the recipient holds. Returns the address. */
  const deploy = async (name: string, symbol: string, mints: number): Promise<string> => {
    const { data } = await suite.alice.api.POST('/tokens', {
      body: { type: 'ERC721', name, symbol, mintLimitPerDay: '10', recoverable: true },
    });
    if (!data || !('data' in data)) throw new Error('the token was not deployed');
    const { address } = data.data;
    for (let minted = 0; minted < mints; minted += 1) {
      const params = { path: { address } };
      const { response, error } = await suite.alice.api.POST('/tokens/{address}/mint', {
        params,
        body: { owner: RECIPIENT },
      });
      if (response.status !== 200) throw new Error(JSON.stringify(error));
    }
    return address;
  };

  const limitsOf = async (address: string): Promise<components['schemas']['TokenLimits']> =>
    (await suite.alice.api.GET('/tokens/{address}/limits', { params: { path: { address } } })).data!;

  const open = async (address: string, name: string, tab: string): Promise<void> => {
    await suite.open(`/tokens/${address}?tab=${tab}`, name);
    await waitUntilLoaded(page);
  };
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const see = (text: string | RegExp) => page.getByText(text).first().waitFor();
  /** What a region says. */
  const textOf = (region: string) => page.getByRole('region', { name: region, exact: true }).innerText();

  /** Presses a dangerous button, types the symbol, and confirms. @param asked what the question says */
  const confirm = async (
    action: string,
    symbol: string,
    asked = 'For a day you can take it back',
  ): Promise<void> => {
    await press(action);
    const dialogue = page.getByRole('dialog');
    await dialogue.getByText(asked).waitFor();
    await dialogue.getByLabel(/^Type the symbol/).fill(symbol);
    await dialogue.getByRole('button', { name: action, exact: true }).click();
  };

  test('what can be minted now, and when the limit is full again', async () => {
    const address = await deploy('Bucket Art', 'BKT', 4);
    await open(address, 'Bucket Art', 'overview');
    expect(await textOf('Mintable now')).toMatch(/6\s+of 10 NFTs; the whole limit in 9 hours/);
    await expectAccessible(page);
    await open(address, 'Bucket Art', 'mint');
    await see('6 NFTs can be minted now; the whole limit in 9 hours.');
    await open(address, 'Bucket Art', 'controls');
    await see('The limit is 10 NFTs. 6 NFTs can be minted now; the whole limit in 9 hours.');
  });

  test('minting is closed, and opened again', async () => {
    const address = await deploy('Closed Art', 'CLS', 0);
    await open(address, 'Closed Art', 'controls');
    await confirm('Close minting', 'CLS');
    await see(/^Minting is closed\. It can be taken back until /);
    expect(Date.parse((await limitsOf(address)).mintClosesForGoodAt!)).toBeGreaterThan(Date.now());
    await expectAccessible(page);
    await open(address, 'Closed Art', 'mint');
    await see(/^Nobody can mint this token any more, its owner included\. It can be taken back until /);
    await open(address, 'Closed Art', 'overview');
    expect(await textOf('Minting')).toMatch(/Closed\s+It can be taken back until /);
    await open(address, 'Closed Art', 'controls');
    await press('Open minting');
    await see('Minting is open again');
    expect((await limitsOf(address)).mintClosed).toBe(false);
    await page.getByRole('button', { name: 'Close minting', exact: true }).waitFor();
  });

  test('metadata are frozen, all and those of one NFT, and can change again', async () => {
    const address = await deploy('Frozen Art', 'FRZ', 1);
    await open(address, 'Frozen Art', 'controls');
    await confirm('Freeze all', 'FRZ');
    await see(/^All metadata are frozen\. It can be taken back until /);
    await open(address, 'Frozen Art', 'overview');
    await see(/^Frozen\. It can be taken back until /);
    await open(address, 'Frozen Art', 'metadata');
    await see('All metadata are frozen');
    await expectAccessible(page);
    await open(address, 'Frozen Art', 'controls');
    await press('Unfreeze all');
    await see('Metadata can change again');
    expect((await limitsOf(address)).metadataFrozen).toBe(false);

    await open(address, 'Frozen Art', 'metadata');
    await confirm('Freeze for ever', 'FRZ');
    await see('The metadata are frozen');
    await page.getByLabel('Name', { exact: true }).fill('Blue Hour');
    await press('Save the metadata');
    await see('The metadata are frozen: take that back as long as it can be done.');
    await press('Unfreeze');
    await see('The metadata can change');
    await press('Save the metadata');
    await see('The metadata are on the chain');
  });

  test('control over holders is given up, and taken back', async () => {
    const address = await deploy('Free Art', 'FREE', 1);
    await open(address, 'Free Art', 'controls');
    await confirm('Pause', 'FREE', 'until you resume the token');
    await confirm('Give up control', 'FREE');
    await see(/^Control over holders is given up\. It can be taken back until /);
    await see('Nobody can lock its transfers any more.');
    expect(await page.getByRole('region', { name: 'Move or burn a holding' }).count()).toBe(0);
    await press('Resume');
    await see('Nobody can pause this token any more.');
    await expectAccessible(page);
    await open(address, 'Free Art', 'accounts');
    await page.getByLabel('Address', { exact: true }).fill(RECIPIENT);
    await see('Nobody can freeze an account any more.');
    await open(address, 'Free Art', 'overview');
    await see(/^Given up\. It can be taken back until /);
    await open(address, 'Free Art', 'controls');
    await press('Take control back');
    await see('You have control again');
    await page.getByRole('button', { name: 'Lock transfers', exact: true }).waitFor();
    expect((await limitsOf(address)).controlsRenounced).toBe(false);
  });

  test('who takes it back too late is told that it is for good', async () => {
    const address = await deploy('Late Art', 'LATE', 0);
    await open(address, 'Late Art', 'controls');
    await confirm('Close minting', 'LATE');
    await page.getByRole('button', { name: 'Open minting', exact: true }).waitFor();
    using chain = openChain(suite.mintmark);
    await chain.provider.send('evm_increaseTime', [DAY_S]);
    await chain.provider.send('evm_mine', []);
    await press('Open minting');
    await see('The time to take it back is over: it is for good.');
    expect((await limitsOf(address)).mintClosed).toBe(true);
  });
});
