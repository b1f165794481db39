import { execFile } from 'node:child_process';
import { cp, mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** Copies the files of the repository as they are now, changes included, with the packages as a link. */
export async function copyTree(to: string): Promise<void> {
  const { stdout } = await promisify(execFile)(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate'],
    { cwd: ROOT, maxBuffer: 64 << 20 },
  );
  for (const file of stdout.split('\0').filter(Boolean)) {
    await mkdir(path.dirname(path.join(to, file)), { recursive: true });
    await cp(path.join(ROOT, file), path.join(to, file)).catch((error: NodeJS.ErrnoException) => {
      // Git still knows a file that was deleted and not committed yet.
      if (error.code !== 'ENOENT') throw error;
    });
  }
  await symlink(path.join(ROOT, 'node_modules'), path.join(to, 'node_modules'));
}
