import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { findNpm, runNpm } from './npm.js';

/** The packages need Node 24.18 or later; an older machine gets exactly these from the npm registry. */
const oldestNode = [24, 18];
const nodeVersion = '24.21.0';
const npmVersion = '11.19.1';

const [major, minor] = process.versions.node.split('.').map(Number);
const isRecent = major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1]);

/** The registry's package with the binary itself; the package `node` would fetch the same one by an install script. */
const nodePackage = [
  process.platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node',
  process.platform,
  process.arch,
].join('-');
const wanted = `${nodePackage}@${nodeVersion} npm@${npmVersion}`;

const folder = (root) => path.join(root, '.node');
const stamp = (root) => path.join(folder(root), 'ready');

function downloaded(root) {
  const packages = path.join(folder(root), 'node_modules');
  const node = path.join(packages, nodePackage, 'bin', 'node');
  return { node, npm: [node, path.join(packages, 'npm', 'bin', 'npm-cli.js')] };
}

/** The Node to use when it is there already: the running one, or the one that was downloaded, whole. */
export async function findNode(root) {
  if (isRecent) return { node: process.execPath, npm: await findNpm(process.execPath) };
  const ready = await readFile(stamp(root), 'utf8').catch(() => '');
  return ready === wanted && existsSync(downloaded(root).node) ? downloaded(root) : undefined;
}

/**
 * Gets Node 24 and a npm that knows it into `.node`. The machine's npm cannot be relied on to run under Node 24:
 * distributions take it apart. The stamp comes last, so that an interrupted download is begun anew.
 */
export async function getNode(root) {
  console.error(`Getting Node ${nodeVersion} (this machine has ${process.versions.node}) ...`);
  await rm(stamp(root), { force: true });
  await rm(path.join(folder(root), 'node_modules'), { recursive: true, force: true });
  const args = ['install', '--prefix', folder(root), '--no-save', '--no-package-lock', ...wanted.split(' ')];
  await runNpm(root, await findNpm(process.execPath), args, { what: `Getting Node ${nodeVersion}` });
  await writeFile(stamp(root), wanted);
  return downloaded(root);
}
