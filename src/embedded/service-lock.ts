import { randomUUID } from 'node:crypto';
import { link, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { processStart } from './process-identity.ts';

export type ServiceLock = { release(): Promise<void> };

const RETRY_MS = 20;
const OLD_TURN_MS = 10_000;

type Holder = { pid: number; start: string | undefined };

/**
 * Takes the lock of a data folder for this process. A lock whose process is gone, killed or not, does not count.
 * @throws Error with one sentence when another running service holds it
 */
export async function takeServiceLock(folder: string): Promise<ServiceLock> {
  const file = path.join(folder, 'service.lock');
  const mine = JSON.stringify({ pid: process.pid, start: await processStart(process.pid) });
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, mine);
  try {
    while (!(await tryLink(draft, file))) {
      const holder = await readFile(file, 'utf8').catch(() => undefined);
      if (holder === undefined) continue;
      if (await isRunning(holder)) throw new Error(refusal(folder, holder));
      await removeStale(file, holder);
    }
  } finally {
    await rm(draft, { force: true });
  }
  return {
    release: async () => {
      if ((await readFile(file, 'utf8').catch(() => '')) === mine) await rm(file, { force: true });
    },
  };
}

/** Whether a running service holds the lock of a data folder. */
export async function isLocked(folder: string): Promise<boolean> {
  return isRunning(await readFile(path.join(folder, 'service.lock'), 'utf8').catch(() => ''));
}

/** Linking is the one step that either makes the whole file or fails because it exists. */
async function tryLink(draft: string, file: string): Promise<boolean> {
  try {
    await link(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Two starts may find the same stale lock: only one at a time may remove it, and only while it is still that one, so
 * that nobody removes the lock of the other, who was faster.
 */
async function removeStale(file: string, stale: string): Promise<void> {
  const turn = `${file}.removal`;
  if (!(await takeTurn(turn))) return void (await sleep(RETRY_MS));
  try {
    if ((await readFile(file, 'utf8').catch(() => '')) === stale) await rm(file, { force: true });
  } finally {
    await rm(turn, { force: true });
  }
}

/** A turn takes milliseconds; one that is old belongs to a start that was killed in the middle of it. */
async function takeTurn(turn: string): Promise<boolean> {
  try {
    await writeFile(turn, '', { flag: 'wx' });
    return true;
  } catch {
    const age =
      Date.now() -
      (await stat(turn)
        .then(({ mtimeMs }) => mtimeMs)
        .catch(() => Date.now()));
    if (age > OLD_TURN_MS) await rm(turn, { force: true });
    return false;
  }
}

async function isRunning(text: string): Promise<boolean> {
  const holder = parse(text);
  const start = holder && (await processStart(holder.pid));
  return start !== undefined && start === holder?.start;
}

function parse(text: string): Holder | undefined {
  try {
    return JSON.parse(text) as Holder;
  } catch {
    return undefined;
  }
}

function refusal(folder: string, holder: string): string {
  return (
    `The database in ${folder} is in use by another Mintmark (process ${parse(holder)?.pid}); ` +
    'stop that one first, or give this one a DATA_DIR of its own.'
  );
}
