import { randomUUID } from 'node:crypto';
import { link, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { processStart } from './process-identity.ts';

interface ServiceLock {
  release(): Promise<void>;
}

const RETRY_MS = 20;
/** Removing a lock takes milliseconds: an older turn belongs to a start that was killed meanwhile. */
const MAX_TURN_MS = 10_000;

interface Holder {
  pid: number;
  /** When the process started, see `processStart`. */
  start: string | undefined;
}

/**
 * Takes the lock of a data folder for this process. A lock whose process has ended is removed.
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

/** Creates the lock in one step: linking either makes the whole file or fails because it exists. */
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
 * Removes a stale lock. Two starts may find the same one: only one at a time may remove it, and only while it is still
 * the same file, so that neither removes the new lock of the other.
 */
async function removeStale(file: string, stale: string): Promise<void> {
  const turn = `${file}.removal`;
  if (!(await takeTurn(turn))) {
    await sleep(RETRY_MS);
    return;
  }
  try {
    if ((await readFile(file, 'utf8').catch(() => '')) === stale) await rm(file, { force: true });
  } finally {
    await rm(turn, { force: true });
  }
}

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
    if (age > MAX_TURN_MS) await rm(turn, { force: true });
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
