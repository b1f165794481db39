import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { expectAccessible } from '../setup/accessible.ts';
import { openConsoleSuite } from '../setup/console-suite.ts';
import type { ConsoleSuite } from '../setup/console-suite.ts';
import { findProgram } from '../setup/program.ts';

const chromium = await findProgram('chromium', 'chromium');

(chromium === null ? describe.skip : describe)('the console while the service is away', () => {
  let suite: ConsoleSuite;

  beforeAll(async () => {
    suite = await openConsoleSuite(chromium!);
  });

  afterAll(() => suite?.close());

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
