import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';

const root = path.join(import.meta.dirname, '..');
const pages = globSync(['*.md', 'docs/*.md', 'examples/*.md', 'packages/*/*.md'], { cwd: root });
const read = (page: string): string => readFileSync(path.join(root, page), 'utf8');
const found = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, part]) => part!);

/** GitHub's name of a heading in a link. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');

test('finds the pages', () => {
  expect(pages).toEqual(expect.arrayContaining(['README.md', path.join('docs', 'architecture.md')]));
});

describe.each(pages)('%s', (page) => {
  const text = read(page);

  test('names only files and folders that exist', () => {
    const named = found(
      text,
      /`((?:contracts|docs|examples|generated|lab|ops|packages|scripts|src|test)\/[^\s`]*|[\w.-]+\.(?:sol|ts)|[\w-]+\/)`/g,
    );
    const isMissing = (name: string): boolean => {
      const pattern = name.replaceAll(/<\w+>/g, '*').replace(/\/$/, '');
      const places = /\/./.test(name)
        ? pattern
        : `{contracts,examples,generated,lab,packages,scripts,src,test}/**/${pattern}`;
      return globSync([places, `./${pattern}`], { cwd: root }).length === 0;
    };
    expect(named.filter(isMissing)).toEqual([]);
  });

  test('links only to files and headings that exist', () => {
    const links = found(text, /\]\((?!https?:)([^)\s]+)\)/g);
    const isBroken = (link: string): boolean => {
      const [file = '', anchor] = link.split('#');
      const target = file === '' ? page : path.join(path.dirname(page), file);
      if (!existsSync(path.join(root, target))) return true;
      return (
        anchor !== undefined &&
        !found(read(target), /^#+ (.+)$/gm)
          .map(anchorOf)
          .includes(anchor)
      );
    };
    expect(links.filter(isBroken)).toEqual([]);
  });
});
