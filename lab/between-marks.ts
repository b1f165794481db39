import { readFile, writeFile } from 'node:fs/promises';
import { format, resolveConfig } from 'prettier';

/**
 * Replaces the text between two comments of a page in Markdown, `<!-- begin of NAME -->` and `<!-- end of NAME -->`,
 * and writes the page.
 * @param target where it is written, if not in the place of `source`
 * @throws Error when the page has no such place
 */
export async function writeBetweenMarks(
  source: string,
  name: string,
  replace: (old: string) => string,
  target = source,
): Promise<void> {
  const [begin, end] = [`<!-- begin of ${name} -->`, `<!-- end of ${name} -->`];
  const page = await readFile(source, 'utf8');
  const [from, to] = [page.indexOf(begin) + begin.length, page.indexOf(end)];
  if (from < begin.length || to < from) throw new Error(`${source} has no place for ${name}`);
  const text = `${page.slice(0, from)}\n\n${replace(page.slice(from, to))}\n\n${page.slice(to)}`;
  await writeFile(target, await format(text, { ...(await resolveConfig(source)), filepath: source }));
}
