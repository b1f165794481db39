import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { blocks, installLines, linkModules, playGenerator } from './setup/generated-client.ts';
import { root } from './setup/npm.ts';
import { startPrism } from './setup/prism.ts';
import { startTestService } from '../lab/stage/service.ts';
import type { TestService } from '../lab/stage/service.ts';

const run = promisify(execFile);
/** Those that package.json has; the others are in test/generators/. */
const generators = ['hey-api', 'orval', 'oazapfts', 'swagger-typescript-api'];

let mintmark: TestService;
let folder: string;

beforeAll(async () => {
  mintmark = await startTestService();
  folder = await mkdtemp(path.join(tmpdir(), 'mintmark-sdk-'));
});

afterAll(async () => {
  await mintmark?.stop();
  if (folder) await rm(folder, { recursive: true, force: true });
});

test('the lines that install name the versions that are tested', async () => {
  const tested: Record<string, string> = {};
  for (const file of ['package.json', 'test/programs/package.json', 'test/generators/package.json']) {
    const { dependencies, devDependencies } = JSON.parse(
      await readFile(path.join(root, file), 'utf8'),
    ) as Record<string, Record<string, string>>;
    Object.assign(tested, dependencies, devDependencies);
  }
  const lines = [...generators, 'openapi-zod-client', 'kubb'].flatMap((name) => installLines(name));
  const packages = lines.flatMap((line) => line.filter((word) => !/^(install|--save-dev)$/.test(word)));
  expect(packages.length).toBeGreaterThan(20);
  for (const each of packages) {
    const at = each.lastIndexOf('@');
    expect(each).toBe(`${each.slice(0, at)}@${tested[each.slice(0, at)]}`);
  }
});

test.each(generators)('%s generates a typed client from openapi.yaml, which mints', async (name) => {
  const install = linkModules(path.join(root, 'node_modules'));
  await playGenerator(name, { mintmark, folder, install });
});

test('the mock that the page starts gives the answers that the page shows', async () => {
  // npx does not pass signals on to its child.
  await using mock = await startPrism((port) => [
    'sh',
    '-c',
    blocks.get('mock')!.replace('npx ', 'exec node_modules/.bin/').replace('4010', String(port)),
  ]);
  const lines = blocks.get('mocked')!.replaceAll('http://127.0.0.1:4010', mock.url);
  const { stdout } = await run('sh', ['-eu', '-c', lines]);
  expect(stdout).toMatch(/^\{"ok":true\}\{"code":"FORBIDDEN".*\}\{"code":"VALIDATION_ERROR".*page is not/s);
});
