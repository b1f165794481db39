import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Image } from '../../scripts/image/run-steps.ts';
import { UNTIL_PIPE_CLOSES } from '../../lab/stage/anvil.ts';

/** A process of the image, as a container runs it. */
export interface ContainerProcess {
  child: ChildProcess;
  /** What it has written, both streams in one. */
  said(): string;
  /** Its exit code, once it has ended. */
  ended: Promise<number | null>;
}

/**
 * Starts a program of the image with the image's own environment, working directory and user, and with nothing of this
 * process. As root that user owns nothing, so that it can write nothing but what everybody can; there is no home and no
 * folder for temporary files.
 */
export function startInImage(
  { root, workdir, user, environment }: Image,
  [program = '', ...args]: string[],
  further: Record<string, string> = {},
): ContainerProcess {
  const [uid, gid] = user.split(':').map(Number) as [number, number];
  const own = path.join(root, '/usr/local/bin', program);
  const child = spawn('/bin/sh', ['-c', UNTIL_PIPE_CLOSES, 'sh', own, ...args], {
    cwd: path.join(root, workdir),
    env: { ...environment, HOME: '/nonexistent', TMPDIR: '/nonexistent', ...further },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
    ...(process.getuid?.() === 0 ? { uid, gid } : {}),
  });
  child.stdin.on('error', () => undefined);
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const ended = once(child, 'exit').then(([code]) => {
    child.stdin.end();
    return code as number | null;
  });
  return { child, said: () => text, ended };
}
