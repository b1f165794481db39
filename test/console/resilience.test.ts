import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page, Route } from 'playwright-core';
import { expectAccessible } from '../setup/accessible.ts';
import { sessionOf } from '../../lab/stage/collections.ts';
import { openConsoleSuite } from '../setup/console-suite.ts';
import type { ConsoleSuite } from '../setup/console-suite.ts';
import { findProgram } from '../../lab/stage/program.ts';
import { deployToken } from '../../lab/stage/tokens.ts';

const PASSWORD = 'staple battery correct';
const CANNOT_BE_REACHED = 'The service cannot be reached.';

const chromium = await findProgram('chromium', 'chromium');

(chromium === null ? describe.skip : describe)('the console when a request fails', () => {
  let suite: ConsoleSuite;
  let page: Page;

  beforeAll(async () => {
    // Without a key for their secrets the service refuses webhooks with 503.
    suite = await openConsoleSuite(chromium!, { WEBHOOK_SECRET_KEY_FILE: '' });
    page = suite.page;
  });

  afterAll(() => suite?.close());
  afterEach(() => page.unrouteAll());

  const session = () => sessionOf(suite.mintmark, suite.alice);

  /** Something between the browser and the service gives the first answer, the service all later ones. */
  const answerFirst = async (
    pattern: RegExp,
    answer: Parameters<Route['fulfill']>[0],
  ): Promise<() => number> => {
    let asked = 0;
    await page.route(pattern, (route) => {
      asked += 1;
      return asked === 1 ? route.fulfill(answer) : route.continue();
    });
    return () => asked;
  };

  const tooMany = (seconds: number): Parameters<Route['fulfill']>[0] => ({
    status: 429,
    headers: { 'Retry-After': String(seconds), 'Content-Type': 'application/json' },
    body: JSON.stringify({ code: 'RATE_LIMITED', message: 'Too many requests.' }),
  });

  test('a read that is refused for seconds is repeated after them', async () => {
    const asked = await answerFirst(/\/v1\/webhooks\?/, tooMany(2));
    const before = Date.now();
    await suite.open('/webhooks', 'Webhooks');
    await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor();
    expect(Date.now() - before).toBeGreaterThanOrEqual(2_000);
    expect(asked()).toBe(2);
  });

  test('one that is refused for minutes says so, and is repeated by hand', async () => {
    await answerFirst(/\/v1\/webhooks\?/, tooMany(600));
    await suite.open('/webhooks', 'Webhooks');
    await page.getByText('Too many requests.').waitFor();
    await page.getByText('Try again in 10 minutes.').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor();
  });

  test('a 503 of the service is shown in its words, and is no outage', async () => {
    await suite.open('/webhooks', 'Webhooks');
    await page.getByRole('button', { name: 'Add webhook' }).click();
    const dialogue = page.getByRole('dialog');
    await dialogue.getByLabel('URL').fill('https://shop.example/hooks');
    await dialogue.getByRole('button', { name: 'Add webhook' }).click();
    await dialogue.getByText('This service has no key for the secrets of webhooks').waitFor();
    expect(await page.getByText(CANNOT_BE_REACHED).count()).toBe(0);
    expect(await dialogue.getByLabel('URL').inputValue()).toBe('https://shop.example/hooks');
    await expectAccessible(page);
  });

  test('a 503 of a gateway before it is an outage, which goes by itself', async () => {
    await suite.open('/intents', 'Intents');
    await page.getByRole('heading', { name: 'No intents yet' }).waitFor();
    await page.route(/\/(intents\?|health$)/, (route) =>
      route.fulfill({ status: 503, contentType: 'text/html', body: '<h1>Service Unavailable</h1>' }),
    );
    await page.getByText(CANNOT_BE_REACHED, { exact: true }).waitFor();
    await page.unrouteAll();
    await page.getByText(CANNOT_BE_REACHED, { exact: true }).waitFor({ state: 'detached' });
    await page.getByText('Live', { exact: true }).waitFor();
  });

  test('a live list goes on after an outage, and keeps what was typed meanwhile', async () => {
    const { mintmark, alice } = suite;
    await suite.open('/intents', 'Intents');
    await page.getByRole('heading', { name: 'No intents yet' }).waitFor();
    await page.getByLabel('Contract').fill('0x12');
    await mintmark.service.stop();
    await page.getByText('Not up to date').waitFor();
    await expectAccessible(page);
    await mintmark.restart();
    await page.getByText('Live', { exact: true }).waitFor();
    expect(await page.getByLabel('Contract').inputValue()).toBe('0x12');
    await deployToken(alice);
    await page.getByRole('link', { name: 'Deploy token' }).waitFor();
  });

  test('a write whose answer was lost is repeated with its key, and done once', async () => {
    await suite.open('/keys', 'API keys');
    await page.getByRole('button', { name: 'Create key' }).click();
    const dialogue = page.getByRole('dialog');
    await dialogue.getByLabel('Name').fill('shop backend');
    await page.route(/\/v1\/api-keys$/, async (route) => {
      await route.fetch();
      await route.abort('connectionreset');
    });
    const create = dialogue.getByRole('button', { name: 'Create key' });
    await create.click();
    await dialogue.getByText('The service does not answer').waitFor();
    await page.unrouteAll();
    await create.click();
    await dialogue.getByText('its answer was lost').waitFor();
    const { data } = await session().GET('/v1/api-keys');
    expect(data!.data.map(({ name }) => name)).toEqual(['shop backend']);
  });

  test('a live list whose session was ended elsewhere comes back with its filters', async () => {
    const { mintmark, alice } = suite;
    await suite.open('/intents?status=failed', 'Intents');
    // Of another browser: it ends every other session, and every access token.
    const { response } = await session().POST('/v1/auth/password', {
      body: { currentPassword: alice.password, newPassword: PASSWORD },
    });
    expect(response.ok).toBe(true);
    await page.getByText('Your session has ended').waitFor();
    await page.getByLabel('E-mail').fill(alice.email);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Intents' }).waitFor();
    expect(page.url()).toBe(`${mintmark.url}/console/intents?status=failed`);
    expect(await page.getByLabel('Status').inputValue()).toBe('failed');
  });
});
