import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openChain } from './setup/chain.ts';
import { startPrism } from './setup/prism.ts';
import { startTestService } from './setup/service.ts';
import type { TestService } from './setup/service.ts';

/** Writes the files of the page and runs its commands. */
const run = promisify(execFile);
const root = path.join(import.meta.dirname, '..');
const page = await readFile(path.join(root, 'docs', 'sdk.md'), 'utf8');

/** Code of the page by the name behind its language: a file to write, or the folder to run lines in. */
const blocks = new Map(
  [...page.matchAll(/^```\w+ (\S+)\n(.*?)^```$/gms)].map(([, name, code]) => [name!, code!]),
);
/** Where each generator puts the types of schemas. */
const models: Record<string, string> = {
  'hey-api': 'sdk/types.gen.ts',
  orval: 'sdk.ts',
  'swagger-typescript-api': 'sdk.ts',
};
const generators = Object.keys(models);

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

test('the page shows a client of each generator', () => {
  expect([...blocks.keys()]).toEqual(
    expect.arrayContaining(generators.flatMap((name) => [name, `${name}/first-mint.ts`])),
  );
});

test.each(generators)('%s generates a typed client from openapi.yaml, which mints', async (name) => {
  const project = path.join(folder, name);
  await mkdir(project);
  await symlink(path.join(root, 'node_modules'), path.join(project, 'node_modules'));
  await copyFile(path.join(root, 'openapi.yaml'), path.join(project, 'openapi.yaml'));
  await writeFile(path.join(project, 'package.json'), '{ "type": "module" }');
  await writeFile(path.join(project, 'tsconfig.json'), blocks.get('tsconfig.json')!);
  for (const [file, code] of blocks) {
    if (file.startsWith(`${name}/`)) await writeFile(path.join(folder, file), code);
  }
  const invite = randomUUID();
  await mintmark.service.context.accounts.ensureInvites([invite]);

  const { stdout } = await run('sh', ['-eu', '-c', blocks.get(name)!], {
    cwd: project,
    env: { ...process.env, API: mintmark.url, INVITE: invite },
  }).catch((error: { stdout: string; stderr: string }) => {
    throw new Error(`${error.stdout}\n${error.stderr}`);
  });
  const generated = await readFile(path.join(project, models[name]!), 'utf8');
  // The rest is a fixed part of swagger-typescript-api.
  const [types] = generated.split('export type QueryParamsType') as [string];
  // A number behind a name means that two things in openapi.yaml share it.
  expect(types.match(/^export \w+ \w+[a-z]2\b/gm)).toBeNull();
  expect(types.match(/^ *("?\w+"?|\[key: string\])\??: (any|unknown)\b/gm)).toBeNull();
  const { address, hash, unknown } = JSON.parse(stdout.trim().split('\n').at(-1)!) as Record<string, string>;
  expect(unknown).toBe('NOT_FOUND');
  using chain = openChain(mintmark);
  expect((await chain.provider.getTransactionReceipt(hash!))?.status).toBe(1);
  expect(await chain.erc20(address!).getFunction('totalSupply')()).toBe(10n ** 18n);
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
