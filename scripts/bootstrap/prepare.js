import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { installPackages, packagesAreInstalled } from './packages.js';
import { findNode, getNode } from './toolchain.js';

/**
 * Returns `{ node, npm }`, the Node to run everything with and the command line of npm, after getting what is missing.
 * Touches no network when all is there.
 */
export async function prepare(root, { runtimeOnly }) {
  const here = await findNode(root);
  if (here && (await packagesAreInstalled(root, { runtimeOnly }))) return here;
  return alone(root, async () => {
    const toolchain = (await findNode(root)) ?? (await getNode(root));
    if (!(await packagesAreInstalled(root, { runtimeOnly }))) await installPackages(root, toolchain);
    return toolchain;
  });
}

/** Two commands started at once in a fresh clone must not install over each other: the second one waits. */
async function alone(root, work) {
  const lock = path.join(root, '.node', 'installing');
  await mkdir(path.dirname(lock), { recursive: true });
  const mine = `${lock}.${process.pid}`;
  await writeFile(mine, String(process.pid));
  try {
    for (let waited = false; ; waited = true) {
      try {
        await link(mine, lock);
        break;
      } catch (error) {
        if (error.code !== 'EEXIST') throw error;
      }
      const holder = Number(await readFile(lock, 'utf8').catch(() => ''));
      if (!isAlive(holder)) await rm(lock, { force: true });
      else if (!waited) console.error(`Waiting for the installation that process ${holder} has begun ...`);
      await sleep(200);
    }
  } finally {
    await rm(mine, { force: true });
  }
  try {
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}

function isAlive(pid) {
  if (!pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
