import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** Root's shell, whose variables and folder go on from block to block. */
export interface Shell {
  /** Returns what it writes to standard output. @throws Error with what it says, when it fails */
  run(block: string, input?: string): Promise<string>;
}

export async function openShell(folder: string, environment: Record<string, string>): Promise<Shell> {
  const [variables, place] = [path.join(folder, 'shell.env'), path.join(folder, 'shell.cwd')];
  const lines = Object.entries(environment).map(([name, value]) => `export ${name}='${value}'\n`);
  await Promise.all([writeFile(variables, lines.join('')), writeFile(place, '/root')]);
  const keep = `export -p > ${variables}; pwd > ${place}`;
  return {
    run: async (block, input = '') => {
      const script = `. ${variables}\ncd "$(cat ${place})"\nset -e\n${block}\n${keep}\n`;
      const child = spawn('sh', ['-c', script], {
        env: {},
        // No terminal, so that a question is read from standard input.
        detached: true,
        stdio: ['pipe', 'pipe', 'pipe'],
      });
      child.stdin.on('error', () => undefined);
      child.stdin.end(input);
      let [out, said] = ['', ''];
      child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
      child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
      const [code] = (await once(child, 'close')) as [number | null];
      if (code !== 0) {
        const kept = await readFile(place, 'utf8');
        throw new Error(`In ${kept.trim()} this ended with ${code}:\n${block}\n${out}\n${said}`);
      }
      return out;
    },
  };
}
