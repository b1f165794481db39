import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Own mounts, network and processes, all of which end with the first process. */
const NAMESPACES = ['--mount', '--net', '--pid', '--fork', '--kill-child', '--mount-proc'];

/**
 * Whether this machine lets the tests have a machine of their own inside it: as root, on Linux.
 * @returns false after a sentence: the test is to be skipped then
 */
export async function canHavePrivateMachine(): Promise<boolean> {
  if (process.platform === 'linux' && process.getuid?.() === 0) {
    const made = await run('unshare', [...NAMESPACES, 'true']).then(
      () => true,
      () => false,
    );
    if (made) return true;
  }
  process.stderr.write('The walk of docs/operate.md is skipped: it needs root, and Linux namespaces.\n');
  return false;
}

/**
 * Runs a script of this folder in such a machine: its own network with the loopback interface alone, its own mounts, its
 * own processes. Nothing that it does remains.
 * @returns what it writes at the end, as JSON. @throws Error with what it says, when it fails
 */
export async function runInPrivateMachine<Result>(script: string, args: string[]): Promise<Result> {
  const file = path.join(import.meta.dirname, script);
  const child = spawn('unshare', [...NAMESPACES, process.execPath, file, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    // What npm and Jest say to their children is not for a fresh machine.
    env: { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8' },
  });
  const [out, said] = [[] as Buffer[], [] as Buffer[]];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => said.push(chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${script} ended with ${code}: ${Buffer.concat(said).toString()}`);
  return JSON.parse(Buffer.concat(out).toString()) as Result;
}
