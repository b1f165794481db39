import type { Page } from 'playwright-core';

/** What is drawn where it does not belong, or broken although it is short, one line for each. */
export const findOverflow = (page: Page): Promise<string[]> => page.evaluate<string[]>(FIND_OVERFLOW);

/*
 * Runs in the page. Text belongs into its card, or into the window where it has none; what an ellipsis, a number of
 * lines or a scrolled box cuts on purpose may be longer, and what is for screen readers alone lies anywhere.
 */
const FIND_OVERFLOW = `(() => {
  const [SHORT, HIGH] = [16, 600];
  const found = [];
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth > clientWidth) found.push('the page is ' + scrollWidth + ' px wide in a window of ' + clientWidth);
  const isCutOnPurpose = (style) =>
    style.textOverflow === 'ellipsis' || style.webkitLineClamp !== 'none' || /auto|scroll/.test(style.overflowX);
  const boxOf = (node) => {
    for (let each = node.parentElement; each; each = each.parentElement) {
      const style = getComputedStyle(each);
      if (isCutOnPurpose(style) || style.clipPath !== 'none') return null;
      if (each.matches('td, .mantine-Paper-root, .mantine-Alert-root, [role=dialog] section, header, main')) return each;
    }
    return null;
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const shown = node.textContent.trim();
    const box = shown === '' ? null : boxOf(node);
    if (!box || !node.parentElement.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const outer = box.getBoundingClientRect();
    for (const rect of range.getClientRects())
      if (rect.left < Math.max(outer.left, 0) - 1 || rect.right > Math.min(outer.right, clientWidth) + 1) {
        found.push(shown.slice(0, 40) + ': ' + Math.round(rect.left) + ' to ' + Math.round(rect.right) + ' in ' +
          box.tagName.toLowerCase() + ' ' + Math.round(outer.left) + ' to ' + Math.round(outer.right));
        break;
      }
    const lines = new Set([...range.getClientRects()].map(({ bottom }) => Math.round(bottom))).size;
    if (lines > 1 && shown.length <= SHORT && box.matches('td:not(:first-child)'))
      found.push(shown + ' is broken into ' + lines + ' lines');
  }
  for (const row of document.querySelectorAll('main tr'))
    if (row.offsetHeight > HIGH) found.push(row.textContent.slice(0, 40) + ': a row of ' + row.offsetHeight + ' px');
  const heading = document.querySelector('h1');
  if (heading.offsetHeight > HIGH) found.push('a title of ' + heading.offsetHeight + ' px');
  return found;
})()`;
