import { execFile } from 'node:child_process';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { readRevision } from '../../src/lib/revision.ts';
import { findProgram } from '../../lab/stage/program.ts';

const run = promisify(execFile);
const git = await findProgram('git', 'git');

(git ? test : test.skip)(
  'the commit of a clone is found as git keeps it; elsewhere there is none',
  async () => {
    await using folder = await mkdtempDisposable(path.join(tmpdir(), 'mintmark-clone-'));
    const say = async (...args: string[]): Promise<string> => {
      const identity = ['-c', 'user.name=test', '-c', 'user.email=test@mint.example'];
      return (await run(git!, [...identity, ...args], { cwd: folder.path })).stdout.trim();
    };
    expect(readRevision(folder.path)).toBeNull();
    await say('init', '--quiet');
    expect(readRevision(folder.path)).toBeNull();
    await say('commit', '--quiet', '--allow-empty', '--message=one');
    const commit = (await say('rev-parse', 'HEAD')).slice(0, 12);
    expect(readRevision(folder.path)).toBe(commit);
    await say('pack-refs', '--all');
    expect(readRevision(folder.path)).toBe(commit);
    await say('checkout', '--quiet', '--detach');
    expect(readRevision(folder.path)).toBe(commit);
  },
);
