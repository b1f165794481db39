import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { until } from '../setup/until.ts';

interface Line {
  log?: string;
  url?: string;
  refused?: string;
  interrupted?: boolean;
  ended?: string;
}

const clone = fileURLToPath(new URL('../..', import.meta.url));

export type Holder = Awaited<ReturnType<typeof hold>>;

const holders = new Set<Holder>();

/** Kills every holder that a test left running. */
export async function endHolders(): Promise<void> {
  for (const holder of holders) await holder.kill();
}

/** Runs `holder.ts` of a clone, in a process group of its own. */
export async function hold(args: string[], { root = clone } = {}) {
  const child = spawn(process.execPath, [path.join(root, 'test/embedded/holder.ts'), ...args], {
    cwd: root,
    detached: true,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const pid = child.pid ?? 0;
  const lines: Line[] = [];
  createInterface(child.stdout).on('line', (line) => lines.push(JSON.parse(line) as Line));
  const exit = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const holder = {
    pid,
    lines,
    exit,
    /** Waits for the first line with the key. */
    line: async <K extends keyof Line>(key: K): Promise<NonNullable<Line[K]>> => {
      const found = await until(() => lines.find((line) => line[key] !== undefined));
      return found[key] as NonNullable<Line[K]>;
    },
    /** Interrupts the whole group, as Ctrl-C in a terminal does. */
    interruptGroup: () => process.kill(-pid, 'SIGINT'),
    letGo: () => child.stdin.write('\n'),
    kill: async () => {
      holders.delete(holder);
      child.kill('SIGKILL');
      await exit;
    },
  };
  holders.add(holder);
  return holder;
}

/** Returns ids of the processes whose command line contains a text. */
export async function processesWith(text: string): Promise<number[]> {
  const found: number[] = [];
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const command = await readFile(`/proc/${entry}/cmdline`, 'utf8').catch(() => '');
    if (command.split('\0').join(' ').includes(text)) found.push(Number(entry));
  }
  return found;
}
