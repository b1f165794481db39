import type { Page } from 'playwright-core';

/** Signs an account in by the page's own form, and waits for the overview. */
export async function signInto(
  page: Page,
  url: string,
  account: { email: string; password: string },
): Promise<void> {
  await page.goto(`${url}/console`);
  await page.getByLabel('E-mail').fill(account.email);
  await page.getByLabel('Password', { exact: true }).fill(account.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
}

const POLL_MS = 50;
const LOADING = '.mantine-Skeleton-root, [data-loading=true], .mantine-Loader-root';

/** Waits until nothing in sight is loading: further down a picture is asked for once somebody scrolls there. */
export async function waitUntilInSight(page: Page): Promise<void> {
  const isLoading = `[...document.querySelectorAll('${LOADING}')].some((each) => each.getBoundingClientRect().top < innerHeight)`;
  // The policy of the page refuses `waitForFunction`.
  while (await page.evaluate<boolean>(isLoading)) await page.waitForTimeout(POLL_MS);
}

/** Waits until nothing is loading: no skeleton, no button that turns. */
export async function waitUntilLoaded(page: Page): Promise<void> {
  const loading = page.locator(LOADING);
  while ((await loading.count()) > 0) await loading.first().waitFor({ state: 'detached' });
}

/**
 * Waits until nothing moves into its place, or changes its colour: a busy browser draws few pictures of a transition.
 */
export async function waitUntilStill(page: Page): Promise<void> {
  await page.evaluate(
    `Promise.allSettled(document.getAnimations().flatMap((each) => each instanceof CSSTransition ? [each.finished] : [])).then(() => {})`,
  );
}
