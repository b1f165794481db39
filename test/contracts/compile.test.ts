import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { findCompiler } from '../../hardhat.config.ts';

/** Compiles the contracts of another folder as `npm run generate` compiles ours. */
const compile = (milliseconds: number): string => `
  import { setTimeout as sleep } from 'node:timers/promises';
  import { createHardhatRuntimeEnvironment } from 'hardhat/hre';
  import config, { fewWords } from './hardhat.config.ts';
  const slow = {
    id: 'slow',
    hookHandlers: {
      solidity: async () => ({
        default: async () => ({
          readSourceFile: async (context, file, next) => {
            await sleep(${milliseconds});
            return next(context, file);
          },
        }),
      }),
    },
  };
  const { profiles } = config.solidity;
  const hre = await createHardhatRuntimeEnvironment(
    { plugins: [fewWords, slow], solidity: { profiles } }, { buildProfile: 'deployed' }, process.argv[1],
  );
  await hre.tasks.getTask('build').run({ quiet: true });
`;

const contract = (name: string, body = '', imported = ''): string =>
  `// SPDX-License-Identifier: MIT\npragma solidity ^0.8.0;\n${imported}\ncontract ${name} {${body}}\n`;
const PROGRESS = 'Compiling the contracts ...\n';
const WARNING = 'function odd() external pure { uint256 unused; }';

let folder: string;

async function put(file: string, text: string): Promise<void> {
  await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
  await writeFile(path.join(folder, file), text);
}

/** All output. */
async function hear({ milliseconds = 0 } = {}): Promise<string> {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', compile(milliseconds), folder], {
    env: { ...process.env, HARDHAT_DISABLE_TELEMETRY: 'true' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
  await once(child, 'close');
  return said;
}

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'mintmark-compile-'));
  await put('package.json', '{"type":"module"}');
  await put('node_modules/theirs/package.json', '{"name":"theirs","version":"1.0.0"}');
  await put('node_modules/theirs/Theirs.sol', contract('Theirs', WARNING));
  await put('contracts/One.sol', contract('One is Theirs', '', 'import {Theirs} from "theirs/Theirs.sol";'));
  await put('contracts/Two.sol', contract('Two'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

test('compiling prints warnings about our own code', async () => {
  await put('contracts/Odd.sol', contract('Odd', WARNING));
  const said = await hear();
  expect(said).toMatch(/Warning: Unused local variable\.\n +--> .*contracts\/Odd\.sol/);
  expect(said).not.toContain('Theirs.sol');
});

test('compiling prints errors', async () => {
  await put('node_modules/theirs/Theirs.sol', contract('Theirs', 'nonsense'));
  expect(await hear()).toMatch(/Error: .*\n +--> .*Theirs\.sol/);
});

test('compiling prints that it is under way when it takes long, and no warnings about the code of packages', async () => {
  expect(await hear({ milliseconds: 1_000 })).toBe(PROGRESS);
});

test('only a native compiler of the right version takes the place of the one from npm', async () => {
  await put('script/solc', '#!/bin/sh\necho Version: 0.8.37+commit.0.Linux.g++\n');
  await chmod(path.join(folder, 'script/solc'), 0o755);
  await mkdir(path.join(folder, 'other'));
  await symlink(process.execPath, path.join(folder, 'other/solc'));
  const folders = ['script', 'other', 'empty'].map((name) => path.join(folder, name));
  expect(findCompiler(folders)).toMatch(/node_modules\/solc\/soljson\.js$/);
});
