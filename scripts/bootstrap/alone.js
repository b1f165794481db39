import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Two commands started at once in a fresh clone must not install or build over each other: the second one waits. */
export async function alone(root, work) {
  const lock = path.join(root, '.node', 'preparing');
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
      else if (!waited) console.error(`Waiting for what process ${holder} installs or builds ...`);
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
