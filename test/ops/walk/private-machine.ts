import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Own mounts, network and processes, all of which end with the first process. */
const NAMESPACES = ['--mount', '--net', '--pid', '--fork', '--kill-child', '--mount-proc'];

/**
 * Why this machine does not let the tests have a machine of their own inside it, as one sentence; null when it does.
 */
export async function whyNoPrivateMachine(): Promise<string | null> {
  if (process.platform !== 'linux') return 'Only Linux has namespaces.';
  if (process.getuid?.() !== 0) return 'Only root makes namespaces.';
  return run('unshare', [...NAMESPACES, 'true']).then(
    () => null,
    (error: unknown) => `This machine refuses namespaces: ${String(error)}`,
  );
}

/**
 * Runs a script of this folder in such a machine: its own network with the loopback interface alone, its own mounts,
 * its own processes. Nothing that it does remains.
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
