import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openChromium } from '../../lab/stage/chromium.ts';
import type { Browser } from '../../lab/stage/chromium.ts';
import { findProgram } from '../../lab/stage/program.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestService } from '../../lab/stage/service.ts';

const program = await findProgram('chromium', 'chromium');

(program ? describe : describe.skip)('the first pages in Chromium', () => {
  let mintmark: TestService;
  let browser: Browser;

  beforeAll(async () => {
    [mintmark, browser] = await Promise.all([startTestService(), openChromium(program!)]);
  });

  afterAll(async () => {
    await browser?.close();
    await mintmark?.stop();
  });

  test.each([1440, 390])('the first page fits into %d pixels and asks nobody else', async (width) => {
    const page = await browser.context.newPage();
    await page.setViewportSize({ width, height: 844 });
    browser.asked.length = 0;
    await page.goto(`${mintmark.url}/`, { waitUntil: 'load' });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    expect(browser.asked.every((url) => url.startsWith(mintmark.url))).toBe(true);
    expect(browser.complaints).toEqual([]);
    await page.close();
  });

  test('/docs begins with where a token comes from', async () => {
    const page = await browser.context.newPage();
    await page.goto(`${mintmark.url}/docs`, { waitUntil: 'load' });
    const first = page.getByRole('heading', { name: 'Start here' }).first();
    await first.waitFor();
    const text = await page.locator('body').innerText();
    expect(text.indexOf('answers an access token')).toBeGreaterThan(0);
    expect(text.indexOf('answers an access token')).toBeLessThan(text.indexOf('Two families'));
    await page.close();
  });
});
