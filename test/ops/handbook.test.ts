import { execFile } from 'node:child_process';
import { mkdtemp, mkdtempDisposable, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseEnv, promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readConfig } from '../../src/config.ts';
import { findProgram } from '../../lab/stage/program.ts';
import { readBlocks } from './walk/handbook.ts';
import type { WalkReport } from './walk/main.ts';
import { runInPrivateMachine, whyNoPrivateMachine } from './walk/private-machine.ts';

const run = promisify(execFile);

const refusal = await whyNoPrivateMachine();

async function findPrograms(): Promise<{ postgres: string } | null> {
  const postgres = await findProgram('postgres', 'postgresql');
  const others = [
    await findProgram('nginx', 'nginx-light'),
    await findProgram('openssl', 'openssl'),
    await findProgram('git', 'git'),
    await findProgram('curl', 'curl'),
    await findProgram('systemd-notify', 'systemd'),
  ];
  return postgres && others.every((program) => program !== null) ? { postgres } : null;
}
const programs = refusal === null ? await findPrograms() : null;

const analyze = await findProgram('systemd-analyze', 'systemd');
(analyze ? test : test.skip)('systemd finds nothing wrong with the units', async () => {
  // The template, as an instance of it.
  const units = ['ops/mintmark-api@3001.service', 'ops/mintmark-engine@1.service'];
  const { stderr } = await run(analyze!, ['verify', ...units]);
  expect(stderr.split('\n').filter((line) => line.includes('mintmark'))).toEqual([]);
});

test('the line that prepares nginx.conf may be run again', async () => {
  await using folder = await mkdtempDisposable(path.join(tmpdir(), 'mintmark-nginx-'));
  const file = path.join(folder.path, 'nginx.conf');
  await writeFile(file, 'user www-data;\nevents {\n\tworker_connections 768;\n}\n');
  const [, line = ''] =
    /^(sed .*) \/etc\/nginx\/nginx\.conf$/m.exec(await readFile('docs/operate.md', 'utf8')) ?? [];
  const once = 'worker_rlimit_nofile 20000;\nuser www-data;\nevents {\n\tworker_connections 8192;\n}\n';
  for (let times = 0; times < 2; times += 1) {
    await run('sh', ['-c', `${line} ${file}`]);
    expect(await readFile(file, 'utf8')).toBe(once);
  }
});

test('ops/mintmark.env names nobody as admin, and leaves to the profile what is of the chain', async () => {
  const variables = parseEnv(await readFile('ops/mintmark.env', 'utf8'));
  expect(() => readConfig(['--role', 'api'], variables)).toThrow('OPERATOR_ADMIN is "ADDRESS"');
  const { confirmations, chainProfile } = readConfig(['--role', 'api'], { ...variables, OPERATOR_ADMIN: '' });
  expect({ confirmations, chainProfile }).toEqual({ confirmations: null, chainProfile: null });
});

// Nothing that can be installed helps there, as in most containers: the walk is left out, and not counted as skipped.
if (refusal !== null) {
  process.stderr.write(`The walk of docs/operate.md is left out. ${refusal}\n`);
  test('a walk is left out only where a script cannot have a machine of its own', async () => {
    await expect(runInPrivateMachine('main.ts', [])).rejects.toThrow();
  });
} else
  (programs ? describe : describe.skip)('docs/operate.md, walked on a fresh machine', () => {
    let folder: string;
    let walked: WalkReport;
    beforeAll(async () => {
      folder = await mkdtemp(path.join(tmpdir(), 'mintmark-walk-'));
      walked = await runInPrivateMachine<WalkReport>('main.ts', [folder, programs!.postgres]);
    });
    afterAll(() => rm(folder, { recursive: true, force: true }));

    test('every block works as it is written', () => {
      const blocks = ['Install', 'Upgrade', 'Rollback'].flatMap(readBlocks);
      expect(walked.blocks).toEqual(blocks.map(({ text }) => text.trim().split('\n')[0]));
    });

    test('the installation is small', () => {
      expect(walked.packages).toBeLessThan(320);
      expect(walked.megabytes).toBeLessThan(180);
    });

    test('an upgrade of all processes, one after the other, and back, fails no request', () => {
      const { failures, requests, statuses, mints } = walked.load;
      expect({ failures, statuses }).toEqual({ failures: [], statuses: expect.any(Object) });
      expect(requests).toBeGreaterThanOrEqual(450);
      expect(Object.values(statuses).reduce((sum, count) => sum + count, 0)).toBe(requests);
      expect(walked.supply).toBe(String(mints));
    });
  });
