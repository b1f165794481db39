import type { Page } from 'playwright-core';
import { openChromium } from '../../lab/stage/chromium.ts';
import type { Browser } from '../../lab/stage/chromium.ts';
import { signInto } from '../../lab/stage/console-page.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestAccount, TestChainOptions, TestService } from '../../lab/stage/service.ts';

/** One service and one browser for a suite of the console. */
export interface ConsoleSuite {
  mintmark: TestService;
  browser: Browser;
  page: Page;
  /** Signed in on `page`. */
  alice: TestAccount;
  /** Opens a path below `/console`, and waits for its title. */
  open(path: string, title: string | RegExp): Promise<void>;
  close(): Promise<void>;
}

/** @param program path of Chromium. @param variables of the service. @param chain on which it is */
export async function openConsoleSuite(
  program: string,
  variables: Record<string, string> = {},
  chain: TestChainOptions = {},
): Promise<ConsoleSuite> {
  await using opening = new AsyncDisposableStack();
  const mintmark = opening.use(await startTestService(variables, chain));
  const browser = await openChromium(program);
  opening.defer(() => browser.close());
  const alice = await mintmark.register();
  const page = await browser.context.newPage();
  await signInto(page, mintmark.url, alice);
  const opened = opening.move();
  return {
    mintmark,
    browser,
    page,
    alice,
    open: async (path, title) => {
      await page.goto(`${mintmark.url}/console${path}`);
      await page.getByRole('heading', { level: 1, name: title }).waitFor();
    },
    close: () => opened.disposeAsync(),
  };
}
