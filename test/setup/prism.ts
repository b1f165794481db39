import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { findFreePort } from '../../src/embedded/free-port.ts';

export interface Prism extends AsyncDisposable {
  url: string;
  stop(): Promise<void>;
}

/** Starts Prism and waits until it listens. @param command the command that starts it on a port */
export async function startPrism(command: (port: number) => readonly [string, ...string[]]): Promise<Prism> {
  const port = await findFreePort();
  const [program, ...args] = command(port);
  const child = spawn(program, args, {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exit = once(child, 'exit');
  let output = '';
  const listens = new Promise<void>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString();
        if (output.includes('Prism is listening')) resolve();
      });
    }
  });
  const isUp = await Promise.race([listens.then(() => true), exit.then(() => false)]);
  if (!isUp) throw new Error(`Prism did not start: ${output}`);
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await exit;
  };
  return { url: `http://127.0.0.1:${port}`, stop, [Symbol.asyncDispose]: stop };
}
