import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findFreePort } from '../../src/embedded/free-port.ts';
import { percentile } from '../../lab/load/http.ts';
import type { Settings } from './settings.ts';
import { say } from '../lib/say.ts';
import { renderTable } from './table.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const STARTS = 7;

/** Milliseconds from the start of a process to `Mintmark is ready`, and what the service says of its own part of it. */
interface Start {
  whole: number;
  own: number;
}

/**
 * `npm start` with a database and a chain of its own, until it is ready: packages and the console are there, and so is
 * what the first start left in its folder.
 */
export async function measureStart({ runs }: Settings): Promise<string> {
  await using folder = await mkdtempDisposable(path.join(tmpdir(), 'mintmark-start-'));
  await startOnce(folder.path);
  const starts: Start[] = [];
  for (let nth = 0; nth < STARTS * runs; nth += 1) {
    starts.push(await startOnce(folder.path));
    say(`  ${starts[nth]!.whole.toFixed(0)} ms`);
  }
  const rows = [
    { clock: 'from the command to "is ready"', ms: starts.map(({ whole }) => whole) },
    {
      clock: 'by the service, which does not count npm and the checks before it',
      ms: starts.map(({ own }) => own),
    },
  ];
  return `${starts.length} starts, one after the other, in a folder that had one before.\n\n${renderTable(
    [
      ['Milliseconds', ({ clock }) => clock],
      ['p50', ({ ms }) => percentile(ms, 0.5).toFixed(0)],
      ['Shortest', ({ ms }) => Math.min(...ms).toFixed(0)],
      ['Longest', ({ ms }) => Math.max(...ms).toFixed(0)],
    ],
    rows,
  )}`;
}

async function startOnce(dataDir: string): Promise<Start> {
  const [port, chainPort] = [await findFreePort(), await findFreePort()];
  const startedAt = performance.now();
  const child = spawn('npm', ['start'], {
    cwd: ROOT,
    env: {
      ...process.env,
      PORT: String(port),
      EMBEDDED_CHAIN_PORT: String(chainPort),
      DATA_DIR: dataDir,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const said = new Promise<Start>((resolve) => {
    child.stdout.on('data', (chunk: Buffer) => {
      const [, seconds] = /is ready after ([\d.]+) s/.exec(chunk.toString()) ?? [];
      if (seconds) resolve({ whole: performance.now() - startedAt, own: Number(seconds) * 1_000 });
    });
  });
  const start = await Promise.race([said, ended]);
  child.kill('SIGTERM');
  await ended;
  if (Array.isArray(start)) throw new Error('the service ended before it was ready');
  return start;
}
