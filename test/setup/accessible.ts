import { expect } from '@jest/globals';
import axe from 'axe-core';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { waitUntilLoaded } from '../../lab/stage/console-page.ts';

type Scheme = 'light' | 'dark';

interface Finding {
  rule: string;
  elements: string[];
}

/**
 * Expects that axe finds nothing wrong with what the page shows, and that it fits into the window.
 * @param schemes by day and by night, unless only the layout differs from what was looked at before
 */
export async function expectAccessible(page: Page, schemes: Scheme[] = ['light', 'dark']): Promise<void> {
  await waitUntilLoaded(page);
  for (const colorScheme of schemes) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    expect({ colorScheme, found: await findViolations(page) }).toEqual({ colorScheme, found: [] });
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await expectToFit(page);
}

/** Expects that nothing of the page is wider than the window. */
export async function expectToFit(page: Page): Promise<void> {
  expect(
    await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth'),
  ).toBeLessThanOrEqual(0);
}

async function findViolations(page: Page): Promise<Finding[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<AxeResults>(`axe.run({ resultTypes: ['violations'] })`);
  return violations.map(({ id, help, nodes }) => ({
    rule: `${id}: ${help}`,
    elements: nodes.map(({ html, failureSummary }) => `${html.slice(0, 200)} ${failureSummary ?? ''}`),
  }));
}
