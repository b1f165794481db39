import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..');

/** Every committed file that a script writes. Each script takes the folder to write to as its argument. */
const written = [
  {
    script: 'generate-api.ts',
    files: ['generated/api.ts', 'generated/client.ts'],
    repair: 'npm run generate',
  },
  { script: 'generate-contracts.ts', files: ['generated/contracts.ts'], repair: 'npm run generate' },
  { script: 'dump-schema.ts', files: ['src/db/schema.sql'], repair: 'npm run generate' },
];

const read = (file: string): Promise<string | null> => readFile(file, 'utf8').catch(() => null);

/** Writes again what is committed, beside it, and tells of each file that differs how to repair it. */
const findDrift = async (folder: string): Promise<string[]> => {
  const complaints: string[] = [];
  for (const { script, files, repair } of written) {
    await run(process.execPath, [join(root, 'scripts', script), folder], { cwd: root });
    for (const file of files) {
      const [committed, fresh] = await Promise.all([
        read(join(root, file)),
        read(join(folder, basename(file))),
      ]);
      if (committed !== fresh) complaints.push(`${file} is out of date. Repair it with: ${repair}`);
    }
  }
  return complaints;
};

const folder = await mkdtemp(join(tmpdir(), 'mintmark-drift-'));
try {
  const complaints = await findDrift(folder);
  for (const complaint of complaints) console.error(complaint);
  if (complaints.length > 0) process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
