import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { runNpm } from './npm.js';

/** What the console is built of, and what builds it: each is a package for development of the clone. */
const NEEDED = [
  '@mantine/core',
  '@mantine/form',
  '@mantine/hooks',
  '@mantine/notifications',
  '@noble/hashes',
  '@primer/octicons-react',
  '@tanstack/react-query',
  '@vitejs/plugin-react-swc',
  'openapi-fetch',
  'openapi-react-query',
  'papaparse',
  'react',
  'react-dom',
  'vite',
  'wouter',
];

/** Whether the clone has its packages for development. */
export function canBuild(root) {
  return existsSync(path.join(root, 'node_modules/vite/package.json'));
}

/**
 * Calls `work` with these packages in `packages/console`, and takes them away again: in a production installation, which has
 * no packages for development. They are the very ones that the lock file of the clone names, by their hashes.
 */
export async function withBuildPackages(root, npm, work) {
  const folder = path.join(root, 'packages/console');
  const own = ['package.json', 'package-lock.json', 'node_modules'].map((name) => path.join(folder, name));
  const remove = () => Promise.all(own.map((place) => rm(place, { recursive: true, force: true })));
  const { packages } = JSON.parse(await readFile(path.join(root, 'package-lock.json'), 'utf8'));
  const lock = lockOf(packages);
  try {
    await remove();
    await writeFile(own[0], JSON.stringify(lock.packages['']));
    await writeFile(own[1], JSON.stringify(lock));
    await runNpm(root, npm, ['ci'], { what: 'Installing what builds the console', cwd: folder });
    return await work();
  } finally {
    await remove();
  }
}

/** The part of a lock file that these packages need, as a lock file of its own. */
function lockOf(packages) {
  const dependencies = Object.fromEntries(
    NEEDED.map((name) => [name, packages[`node_modules/${name}`].version]),
  );
  const found = new Set();
  const collect = (name, from) => {
    const place = findPlace(packages, name, from);
    if (place === undefined || found.has(place)) return;
    found.add(place);
    const { dependencies: own = {}, optionalDependencies = {}, peerDependencies = {} } = packages[place];
    for (const each of Object.keys({ ...own, ...optionalDependencies, ...peerDependencies }))
      collect(each, place);
  };
  for (const name of NEEDED) collect(name, '');
  // All of them are needed here, whatever they are in the clone.
  const entries = [...found].sort().map((place) => {
    const { dev, devOptional, ...entry } = packages[place];
    return [place, entry];
  });
  const root = { name: 'mintmark-console', version: '0.0.0', private: true, type: 'module', dependencies };
  return {
    name: root.name,
    version: root.version,
    lockfileVersion: 3,
    requires: true,
    packages: { '': root, ...Object.fromEntries(entries) },
  };
}

/** Where Node finds a package from a place: there, or further up. An optional peer may be nowhere. */
function findPlace(packages, name, from) {
  const place = `${from && `${from}/`}node_modules/${name}`;
  if (packages[place]) return place;
  if (from === '') return undefined;
  return findPlace(packages, name, from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))) || '');
}
