import { execFile } from 'node:child_process';
import { chmod, mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { bareEnvironment } from '../../lab/stage/bare-environment.ts';
import { startTestService } from '../../lab/stage/service.ts';

const run = promisify(execFile);
const ROOT = path.join(import.meta.dirname, '../..');

test('the unit of the archive runs a command that the command line takes', async () => {
  await using mintmark = await startTestService();
  await using folder = await mkdtempDisposable(path.join(tmpdir(), 'mintmark-timer-'));
  // As npm runs the script of package.json, with the Node of this test.
  const npm = path.join(folder.path, 'npm');
  await writeFile(npm, `#!/bin/sh\nshift 4\nexec '${process.execPath}' '${ROOT}/scripts/admin.ts' "$@"\n`);
  await chmod(npm, 0o755);
  const unit = await readFile(path.join(ROOT, 'ops/mintmark-archive.service'), 'utf8');
  // What systemd makes of it: it has signs of its own for a percent sign and a dollar.
  const [, words] = /^ExecStart=\/bin\/sh -c '(.*)'$/m.exec(unit)!;
  const command = words!
    .replaceAll('%%', '%')
    .replaceAll('$$', '$')
    .replaceAll('/var/lib/mintmark', folder.path);
  const { stdout } = await run('/bin/sh', ['-c', command], {
    env: { ...bareEnvironment(), ...mintmark.environment, PATH: `${folder.path}:${process.env['PATH']}` },
  });
  const { before, file } = JSON.parse(stdout) as { before: string; file: string | null };
  expect(file).toBe(null);
  const days = (Date.now() - Date.parse(before)) / 86_400_000;
  expect(Math.floor(days)).toBeGreaterThanOrEqual(90);
  expect(Math.floor(days)).toBeLessThanOrEqual(91);
}, 60_000);
