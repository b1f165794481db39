import { expect } from '@jest/globals';
import axe from 'axe-core';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';
import { waitUntilLoaded, waitUntilStill } from '../../lab/stage/console-page.ts';

type Scheme = 'light' | 'dark';

interface Finding {
  rule: string;
  elements: string[];
}

/** All rules by day; by night the ones on colours, since nothing else of a page is different then. */
const RULES: Record<Scheme, RunOptions> = {
  light: {},
  dark: { runOnly: ['color-contrast', 'link-in-text-block'] },
};

/**
 * Expects that axe finds nothing wrong with what the page shows, and that it fits into the window.
 * @param schemes by day and by night, unless only the layout differs from what was looked at before
 */
export async function expectAccessible(page: Page, schemes: Scheme[] = ['light', 'dark']): Promise<void> {
  await waitUntilLoaded(page);
  for (const colorScheme of schemes) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await waitUntilStill(page);
    const found = await findViolations(page, RULES[colorScheme]);
    expect({ colorScheme, found }).toEqual({ colorScheme, found: [] });
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await expectToFit(page);
}

/** Expects that nothing of the page is wider than the window. */
export async function expectToFit(page: Page): Promise<void> {
  await waitUntilStill(page);
  expect(
    await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth'),
  ).toBeLessThanOrEqual(0);
}

async function findViolations(page: Page, rules: RunOptions): Promise<Finding[]> {
  if (!(await page.evaluate<boolean>(`'axe' in globalThis`))) await page.evaluate(axe.source);
  const options = JSON.stringify({ ...rules, resultTypes: ['violations'] });
  const { violations } = await page.evaluate<AxeResults>(`axe.run(${options})`);
  return violations.map(({ id, help, nodes }) => ({
    rule: `${id}: ${help}`,
    elements: nodes.map(({ html, failureSummary }) => `${html.slice(0, 200)} ${failureSummary ?? ''}`),
  }));
}
