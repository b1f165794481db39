import { createHash } from 'node:crypto';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { alone } from './alone.js';
import { runChild } from './child.js';
import { canBuild, withBuildPackages } from './console-packages.js';

/** What the build is made of, beside the packages that the lock file names. */
const SOURCES = [
  'packages/console/src',
  'packages/console/public',
  'packages/console/index.html',
  'packages/client/src/keyless.ts',
  'packages/console/build',
  'package-lock.json',
];

const BUILD = ['packages/console/build/build.ts'];

/** Goes away with the build: Vite empties the folder first. */
const stamp = (root) => path.join(root, 'packages/console/dist/.hash');

/** A hash of everything that the build of the console is made of. */
async function hashConsole(root) {
  const files = (await Promise.all(SOURCES.map((source) => listFiles(path.join(root, source))))).flat();
  const contents = await Promise.all(files.map((file) => readFile(file)));
  const hash = createHash('sha256');
  files.forEach((file, nth) => hash.update(path.relative(root, file)).update('\0').update(contents[nth]));
  return hash.digest('hex');
}

/** Its files, in an order that is the same everywhere; a file alone is its own list. */
async function listFiles(place) {
  const entries = await readdir(place, { recursive: true, withFileTypes: true }).catch((error) => {
    if (error.code === 'ENOTDIR') return null;
    throw error;
  });
  if (!entries) return [place];
  const files = entries.filter((entry) => entry.isFile());
  return files.map(({ parentPath, name }) => path.join(parentPath, name)).sort();
}

const isBuilt = async (root) =>
  (await readFile(stamp(root), 'utf8').catch(() => '')) === (await hashConsole(root));

/**
 * Builds the console where it is missing or older than its sources. Without the packages for development there is nothing to
 * build it with, and a build that fails is no reason not to start: `/console` says then what to do.
 */
export async function keepConsoleBuilt(root, { node }) {
  if (!canBuild(root) || (await isBuilt(root))) return;
  await alone(root, () => buildIfStale(root, node));
}

async function buildIfStale(root, node) {
  if (await isBuilt(root)) return;
  console.error('Building the console ...');
  const { code, output } = await runChild(node, BUILD, {
    cwd: root,
    env: process.env,
    keep: true,
    show: false,
  });
  if (code === 0) await leaveStamp(root);
  else console.error(`The console could not be built; the service starts without it.\n${output}`);
}

/** `npm run console:build`. Resolves to the exit code. */
export async function buildConsole(root, runner, { npm }) {
  const build = () => alone(root, () => runner.run('node', BUILD));
  const code = await (canBuild(root) ? build() : withBuildPackages(root, npm, build));
  if (code === 0) await leaveStamp(root);
  return code;
}

const leaveStamp = async (root) => writeFile(stamp(root), await hashConsole(root));
