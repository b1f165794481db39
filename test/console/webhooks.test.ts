import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page, Response } from 'playwright-core';
import { expectAccessible } from '../setup/accessible.ts';
import { sessionOf } from '../../lab/stage/collections.ts';
import { openConsoleSuite } from '../setup/console-suite.ts';
import type { ConsoleSuite } from '../setup/console-suite.ts';
import { findProgram } from '../../lab/stage/program.ts';
import { isSignedWith, startReceiver } from '../../lab/stage/receiver.ts';
import type { Receiver } from '../../lab/stage/receiver.ts';
import type { TestAccount, TestService } from '../../lab/stage/service.ts';
import { deployToken } from '../../lab/stage/tokens.ts';

const PHONE = { width: 390, height: 844 };
const DESK = { width: 1440, height: 900 };

/** Test events and replays of an account in a minute. */
const MAX_ASKED = 30;

const chromium = await findProgram('chromium', 'chromium');

(chromium === null ? describe.skip : describe)('webhooks in the console', () => {
  let suite: ConsoleSuite;
  let mintmark: TestService;
  let receiver: Receiver;
  let page: Page;
  let alice: TestAccount;
  let secret: string;
  let intentId: string;

  beforeAll(async () => {
    [suite, receiver] = await Promise.all([
      openConsoleSuite(chromium!, { WEBHOOK_ALLOW_PRIVATE: 'true' }),
      startReceiver(),
    ]);
    ({ mintmark, page, alice } = suite);
    await suite.open('/webhooks', 'Webhooks');
  });

  afterAll(async () => {
    await suite?.close();
    await receiver?.stop();
  });

  const dialogue = () => page.getByRole('dialog');
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const inDialogue = (name: string) => dialogue().getByRole('button', { name, exact: true });
  const deliveries = () => page.getByRole('table', { name: 'Deliveries' }).getByRole('row');
  const delivery = (event: string, status: string) =>
    deliveries().filter({ hasText: event }).filter({ hasText: status });
  const choose = async (action: string): Promise<void> => {
    await button('More actions').click();
    await page.getByRole('menuitem', { name: action }).click();
    await dialogue().waitFor();
  };
  const expectAccessibleEverywhere = async (): Promise<void> => {
    await expectAccessible(page);
    await page.setViewportSize(PHONE);
    await expectAccessible(page);
    await page.setViewportSize(DESK);
  };
  const readSecret = async (): Promise<string> =>
    (await dialogue().getByLabel('Signing secret', { exact: true }).innerText()).trim();

  test('an account without one is shown how to receive messages', async () => {
    await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor();
    await page.getByText('@mintmark/client/webhooks').waitFor();
    await expectAccessibleEverywhere();
  });

  test('what the API refuses stands at its field', async () => {
    await button('Add webhook').click();
    await dialogue().getByLabel('URL').fill('ftp://shop.example/hooks');
    await inDialogue('Add webhook').click();
    const field = dialogue().getByLabel('URL');
    await dialogue().getByText('url must begin with https://').waitFor();
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    await expectAccessible(page);
  });

  test('one is added, and its secret is shown once', async () => {
    await dialogue().getByLabel('URL').fill(receiver.urlOf('shop'));
    await dialogue().getByLabel('intent.retracted').uncheck();
    await inDialogue('Copy as code').click();
    const code = await dialogue().getByLabel('Code', { exact: true }).first().innerText();
    expect(code).toContain(`"url": "${receiver.urlOf('shop')}"`);
    expect(code).not.toContain('intent.retracted');
    await inDialogue('Add webhook').click();
    await dialogue().getByText('Copy the signing secret now').waitFor();
    secret = await readSecret();
    expect(secret).toMatch(/^whsec_/);
    await expectAccessibleEverywhere();
    await inDialogue('Done').click();
    await page.getByRole('heading', { level: 1, name: receiver.urlOf('shop') }).waitFor();
    await dialogue().waitFor({ state: 'detached' });
    expect(await page.content()).not.toContain(secret);
    await page.getByText('Nothing was sent yet').waitFor();
  });

  test('a test event reaches the receiver, and its answer the page', async () => {
    await button('Send test event').click();
    const [message] = await receiver.waitForMessages(1);
    expect(isSignedWith(secret, message!)).toBe(true);
    await delivery('webhook.test', 'delivered').getByText('204').waitFor();
    await expectAccessibleEverywhere();
  });

  test('one that failed says so, and is sent again', async () => {
    receiver.answer((response) => void response.writeHead(500).end());
    await deployToken(alice);
    await delivery('intent.confirmed', 'pending').getByText('The receiver answered 500').waitFor();
    await page.getByLabel('Status of deliveries').selectOption('pending');
    await page.waitForURL((url) => url.search === '?status=pending');
    await delivery('webhook.test', 'delivered').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'intent.confirmed' }).click();
    await dialogue().getByText('The last attempt failed').waitFor();
    const link = dialogue().getByRole('link', { name: /^[0-9a-f-]{36}$/ });
    intentId = (await link.innerText()).trim();
    await inDialogue('Copy as code').click();
    await expectAccessibleEverywhere();
    receiver.answer((response) => void response.writeHead(200).end());
    const before = receiver.received.length;
    await inDialogue('Send again').click();
    await receiver.waitForMessages(before + 1);
    const [first, ...others] = receiver.received.filter(({ message }) => message.type === 'intent.confirmed');
    expect(first!.message.data['id']).toBe(intentId);
    expect(others.map(({ id }) => id)).toEqual(others.map(() => first!.id));
    // What is no longer pending leaves the filtered list.
    await page.getByRole('heading', { name: 'No delivery is pending' }).waitFor();
    await page.getByLabel('Status of deliveries').selectOption('delivered');
    await delivery('intent.confirmed', 'delivered').getByText('200').waitFor();
  });

  test('a delivery leads to its intent, and back', async () => {
    await page.getByRole('button', { name: 'intent.confirmed' }).click();
    await dialogue().getByRole('link', { name: intentId }).click();
    await page.getByRole('heading', { level: 1, name: 'Deploy token' }).waitFor();
    await page.goBack();
    await delivery('intent.confirmed', 'delivered').waitFor();
  });

  test('the secret is rotated: for a day both sign', async () => {
    await choose('Rotate secret');
    await inDialogue('Rotate secret').click();
    await dialogue().getByText('Copy the signing secret now').waitFor();
    const rotated = await readSecret();
    expect(rotated).not.toBe(secret);
    await expectAccessibleEverywhere();
    await inDialogue('Done').click();
    await dialogue().waitFor({ state: 'detached' });
    const before = receiver.received.length;
    await button('Send test event').click();
    const message = (await receiver.waitForMessages(before + 1)).at(-1)!;
    expect([isSignedWith(secret, message), isSignedWith(rotated, message)]).toEqual([true, true]);
  });

  test('events and URL are changed', async () => {
    await button('Edit').click();
    expect(await dialogue().getByLabel('URL').inputValue()).toBe(receiver.urlOf('shop'));
    expect(await dialogue().getByLabel('intent.retracted').isChecked()).toBe(false);
    for (const event of ['intent.confirmed', 'intent.failed']) await dialogue().getByLabel(event).uncheck();
    await inDialogue('Save').click();
    await dialogue()
      .getByText(/^events must/)
      .waitFor();
    await dialogue().getByLabel('account.wallet_changed').check();
    await dialogue().getByLabel('URL').fill(receiver.urlOf('v2'));
    await expectAccessible(page);
    await inDialogue('Save').click();
    await page.getByRole('heading', { level: 1, name: receiver.urlOf('v2') }).waitFor();
    await page.getByRole('region', { name: 'Details' }).getByText('account.wallet_changed').waitFor();
  });

  test('it is disabled, which asks first, and enabled', async () => {
    await choose('Disable');
    await inDialogue('Cancel').click();
    await dialogue().waitFor({ state: 'detached' });
    await choose('Disable');
    await inDialogue('Disable webhook').click();
    await page.getByText('It is disabled').waitFor();
    expect(await button('Send test event').isDisabled()).toBe(true);
    await dialogue().waitFor({ state: 'detached' });
    await expectAccessibleEverywhere();
    await choose('Enable');
    await inDialogue('Enable webhook').click();
    await page.getByText('It is disabled').waitFor({ state: 'detached' });
  });

  test('too many test events are refused with when to try again', async () => {
    const { id } = (await session().GET('/v1/webhooks')).data!.data[0]!;
    const path = { id };
    const isAnswered = (response: Response): boolean => response.url().endsWith(`/v1/webhooks/${id}/test`);
    const askInPage = async (): Promise<number> => {
      const answer = page.waitForResponse(isAnswered);
      await button('Send test event').click();
      return (await answer).status();
    };
    // The minute began with an earlier event, and may end between the last of these and the page's own.
    do {
      for (let asked = 0; asked < MAX_ASKED; asked += 1)
        await session().POST('/v1/webhooks/{id}/test', { params: { path } });
    } while ((await askInPage()) !== 429);
    await page.getByText('Too much at once').waitFor();
    await page.getByText(/Try again in \d+ seconds\./).waitFor();
    await expectAccessible(page);
  });

  test('it is deleted, which asks first', async () => {
    await choose('Delete');
    await expectAccessible(page);
    await inDialogue('Delete webhook').click();
    await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor();
    expect((await session().GET('/v1/webhooks')).data!.data).toEqual([]);
  });

  test('the list says which are disabled', async () => {
    const { data } = await session().POST('/v1/webhooks', { body: { url: receiver.urlOf('one') } });
    await session().POST('/v1/webhooks', { body: { url: receiver.urlOf('two') } });
    await session().PATCH('/v1/webhooks/{id}', {
      params: { path: { id: data!.id } },
      body: { enabled: false },
    });
    await page.goto(`${mintmark.url}/console/webhooks`);
    const table = page.getByRole('table', { name: 'Webhooks' });
    await table.getByRole('row', { name: /\/one .*disabled/ }).waitFor();
    await table.getByRole('row', { name: /\/two .*enabled/ }).waitFor();
    await expectAccessibleEverywhere();
  });

  const session = () => sessionOf(mintmark, alice);

  test('nothing is asked of another host, and nothing breaks the policy', () => {
    expect(suite.browser.asked.filter((url) => !url.startsWith(`${mintmark.url}/`))).toEqual([]);
    expect(suite.browser.complaints).toEqual([]);
  });
});
