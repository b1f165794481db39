import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { startEmbeddedPostgres } from '../src/embedded/postgres.ts';
import { openChromium } from '../lab/stage/chromium.ts';
import { signInto, waitUntilInSight } from '../lab/stage/console-page.ts';
import { findProgram } from '../lab/stage/program.ts';
import { startReceiver } from '../lab/stage/receiver.ts';
import { startTestService } from '../lab/stage/service.ts';
import { prepareTemplate } from '../lab/stage/template.ts';
import { SHOWN_PAGES } from './console/pages-to-show.ts';
import type { ShownPage, ShownWorld } from './console/pages-to-show.ts';
import { makeShownWorld, registerAlice } from './console/shown-world.ts';

/*
 * Takes a picture of every page of the console into docs/console/, as it is built: on a desk and on a phone, by day and
 * by night. Arguments are names of pages, when not all are wanted.
 */

const FOLDER = path.join(import.meta.dirname, '../docs/console');
const SIZES = { desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } };
const COLOURS_MS = 300;
const SCHEMES = ['light', 'dark'] as const;

const wanted = process.argv.slice(2);
const pages = SHOWN_PAGES.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
const chromium = await findProgram('chromium', 'chromium');
if (chromium === null) throw new Error('the pictures are taken by Chromium');

await using stack = new AsyncDisposableStack();
const folder = stack.use(await mkdtempDisposable(path.join(tmpdir(), 'mintmark-pictures-')));
const postgres = stack.use(
  await startEmbeddedPostgres({ dataDir: folder.path, data: 'throwaway', log: () => undefined }),
);
process.env['TEST_DATABASE_URL'] = postgres.url;
await prepareTemplate(postgres.url);
const mintmark = stack.use(await startTestService({ WEBHOOK_ALLOW_PRIVATE: 'true' }));
const receiver = stack.use(await startReceiver());
const browser = await openChromium(chromium);
stack.defer(() => browser.close());

const alice = await registerAlice(mintmark);
const page = await browser.context.newPage();
if (wanted.length === 0 || wanted.includes('sign-in'))
  await takeAll(page, 'sign-in', async () => {
    await page.goto(`${mintmark.url}/console`);
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
  });
const world = await makeShownWorld(mintmark, alice, receiver.urlOf('hooks/mintmark'));
await page.setViewportSize(SIZES.desktop);
await signInto(page, mintmark.url, alice);
for (const shown of pages) await takeAll(page, shown.name, () => show(page, shown, world));

async function show(opened: Page, shown: ShownPage, made: ShownWorld): Promise<void> {
  await opened.goto(`${mintmark.url}/console${shown.path(made)}`);
  await opened.getByRole('heading', { level: 1, name: shown.heading }).waitFor();
  await waitUntilInSight(opened);
  await shown.prepare?.(opened);
}

/** @param open opens the page anew for each size, since some of it depends on where it was opened */
async function takeAll(opened: Page, name: string, open: () => Promise<void>): Promise<void> {
  for (const [size, viewport] of Object.entries(SIZES)) {
    await opened.setViewportSize(viewport);
    await open();
    for (const colorScheme of SCHEMES) {
      await opened.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      // Colours change slowly, even where less motion is asked for.
      await opened.waitForTimeout(COLOURS_MS);
      const file = `${name}-${size}-${colorScheme}.png`;
      await opened.screenshot({ path: path.join(FOLDER, file) });
      console.log(file);
    }
  }
}
