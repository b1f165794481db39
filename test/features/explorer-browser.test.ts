import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { openChromium } from '../../lab/stage/chromium.ts';
import type { Browser } from '../../lab/stage/chromium.ts';
import { findProgram } from '../../lab/stage/program.ts';
import { createAsk } from '../../lab/stage/request.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestService } from '../../lab/stage/service.ts';
import { RECIPIENT } from '../../lab/stage/tokens.ts';

const HOSTILE = '"><img src=x onerror=ran=1><svg onload=ran=1>\u202Egnp.';
const program = await findProgram('chromium', 'chromium');

(program ? describe : describe.skip)('the explorer in Chromium', () => {
  let mintmark: TestService;
  let browser: Browser;
  let page: Page;
  let coin: string;
  let art: string;
  let transaction: string;
  /** What of the requests was let through. */
  const answers: string[] = [];

  beforeAll(async () => {
    [mintmark, browser] = await Promise.all([startTestService(), openChromium(program!)]);
    const ask = createAsk(mintmark.url);
    const alice = await mintmark.register();
    const deploy = async (type: string) => {
      const { body } = await ask(alice, 'POST', '/tokens', { type, name: HOSTILE, symbol: '<i>' });
      return (body as { data: { address: string } }).data.address;
    };
    [coin, art] = [await deploy('ERC20'), await deploy('ERC721')];
    for (let count = 0; count < 3; count += 1) {
      await ask(alice, 'POST', `/tokens/${art}/mint`, { owner: RECIPIENT });
    }
    const { headers } = await ask(alice, 'PUT', `/tokens/${art}/metadata`, {
      tokenId: '1',
      name: HOSTILE,
      description: HOSTILE,
      image: `${mintmark.url}/picture.png`,
      attributes: { [`${HOSTILE.slice(0, 40)}`]: `</script><script>ran=1</script>${'x'.repeat(900)}` },
    });
    transaction = headers.get('Transaction-Hash')!;
    page = await browser.context.newPage();
    page.on('response', (response) => answers.push(response.url()));
  });

  afterAll(async () => {
    await browser?.close();
    await mintmark?.stop();
  });

  /** Opens a page and answers what was asked of whom meanwhile. */
  async function open(path: string): Promise<string[]> {
    for (const list of [browser.asked, browser.complaints, answers]) list.length = 0;
    await page.goto(mintmark.url + path, { waitUntil: 'load' });
    await page.waitForTimeout(100);
    return browser.asked;
  }

  const paths = () =>
    [
      '/explorer',
      `/explorer/tx/${transaction}`,
      `/explorer/address/${coin}`,
      `/explorer/address/${art}`,
    ] as const;

  test('no script runs and nothing is loaded from other hosts when names hold markup', async () => {
    for (const path of paths()) {
      expect(await open(path)).toEqual([mintmark.url + path]);
      expect(await page.evaluate('document.scripts.length')).toBe(0);
      expect(await page.evaluate('typeof ran')).toBe('undefined');
      expect(browser.complaints).toEqual([]);
    }
    expect(await page.locator('h1').innerText()).toBe(HOSTILE.replace('\u202E', '[U+202E]'));
  });

  test('the content security policy stops injected scripts, images and frames', async () => {
    await open(paths()[1]);
    await page.evaluate(`{
      const script = document.createElement('script');
      script.textContent = 'ran = 1';
      const picture = document.createElement('img');
      picture.src = '/picture.png';
      const frame = document.createElement('iframe');
      frame.src = '/explorer';
      document.body.append(script, picture, frame);
      document.body.setAttribute('onclick', 'ran = 1');
      document.body.click();
    }`);
    await page.waitForTimeout(300);
    expect(await page.evaluate('typeof ran')).toBe('undefined');
    expect(answers).toEqual([mintmark.url + paths()[1]]);
    expect(
      browser.complaints.filter((text) => text.includes('Content Security Policy')).length,
    ).toBeGreaterThan(2);
  });

  test('the pictures of tokens are visible', async () => {
    await open(`/explorer/address/${art}`);
    const widths = await page.evaluate<number[]>(
      '[...document.images].map(({ complete, naturalWidth, width }) => complete && naturalWidth > 0 ? width : 0)',
    );
    expect(widths).toHaveLength(2);
    for (const width of widths) expect(width).toBeGreaterThan(100);
  });

  test('a page fits the width of a phone', async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    for (const path of paths()) {
      await open(path);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    }
    await page.setViewportSize({ width: 1_200, height: 800 });
  });

  test('an address stands in one line on a phone', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await open('/explorer');
    const heights = await page.evaluate<number[]>(
      "[...document.querySelectorAll('dd code')].map((code) => code.getClientRects().length)",
    );
    expect(heights).toEqual(Array.from({ length: 6 }, () => 1));
    await page.setViewportSize({ width: 1_200, height: 800 });
  });

  test('the colour scheme follows the browser', async () => {
    const lightness = async (scheme: 'light' | 'dark'): Promise<number[]> => {
      await page.emulateMedia({ colorScheme: scheme });
      await open('/explorer');
      const colours = await page.evaluate<string[]>(
        '[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]',
      );
      return colours.map((colour) => Number(/\d+/.exec(colour)![0]));
    };
    const [[lightGround, lightText], [darkGround, darkText]] = [
      await lightness('light'),
      await lightness('dark'),
    ];
    expect(lightGround! - lightText!).toBeGreaterThan(150);
    expect(darkText! - darkGround!).toBeGreaterThan(150);
  });

  test('the search field and the links lead to transaction and address pages', async () => {
    await open('/explorer');
    await page.fill('input[name=q]', transaction);
    await page.click('button');
    await page.waitForURL(`**/explorer/tx/${transaction}`);
    await page.locator('h3 a').first().click();
    await page.waitForURL(`**/explorer/address/${art}`);
    await page.locator('figcaption a').first().click();
    await page.waitForURL('**?token=3');
    expect(await page.locator('figure').count()).toBe(3);
  });
});
