import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { collectPlaces, readLock } from './lock.js';
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
  const lock = lockOf(await readLock(root));
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
  // All of them are needed here, whatever they are in the clone.
  const entries = [...collectPlaces(packages, NEEDED)].sort().map((place) => {
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
