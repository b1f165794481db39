import { randomUUID } from 'node:crypto';
import { copyFile, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from '@jest/globals';
import { openChain } from './chain.ts';
import { execute, root } from './npm.ts';
import type { TestService } from '../../lab/stage/service.ts';

/** Writes the files of docs/sdk.md and runs its commands. */
const page = await readFile(path.join(root, 'docs', 'sdk.md'), 'utf8');

/** Code of the page by the name behind its language: a file to write, or the folder to run lines in. */
export const blocks = new Map(
  [...page.matchAll(/^```\w+ (\S+)\n(.*?)^```$/gms)].map(([, name, code]) => [name!, code!]),
);

/** Arguments of npm in the lines of the page that install a generator. */
export function installLines(name: string): string[][] {
  const section = page.split(/^### /m).find((each) => each.includes(`\`\`\`sh ${name}\n`))!;
  return [...section.matchAll(/`npm (install [^`]+)`/g)].map(([, line]) => line!.split(' '));
}

/** Gives a project a `node_modules` that is elsewhere. */
export const linkModules =
  (modules: string) =>
  (project: string): Promise<void> =>
    symlink(modules, path.join(project, 'node_modules'));

/** Where a generator puts the types of schemas. */
const MODELS: Record<string, string> = { 'hey-api': 'sdk/types.gen.ts', kubb: 'sdk/types.ts' };
const USUAL_MODELS = 'sdk.ts';

/**
 * Plays what the page has about a generator, in a project of its own: generates the client, compiles it, and runs its
 * first mint.
 * @param install gives the project its `node_modules`, with the generator
 */
export async function playGenerator(
  name: string,
  {
    mintmark,
    folder,
    install,
  }: { mintmark: TestService; folder: string; install: (project: string) => Promise<void> },
): Promise<void> {
  const project = path.join(folder, name);
  await mkdir(project);
  await copyFile(path.join(root, 'openapi.yaml'), path.join(project, 'openapi.yaml'));
  await writeFile(path.join(project, 'package.json'), '{ "type": "module" }');
  await writeFile(path.join(project, 'tsconfig.json'), blocks.get('tsconfig.json')!);
  for (const [file, code] of blocks) {
    if (file.startsWith(`${name}/`)) await writeFile(path.join(folder, file), code);
  }
  await install(project);
  const invite = randomUUID();
  await mintmark.service.context.accounts.ensureInvites([invite]);

  const { stdout } = await execute('sh', ['-eu', '-c', blocks.get(name)!], {
    cwd: project,
    env: { ...process.env, API: mintmark.url, INVITE: invite },
  }).catch((error: { stdout: string; stderr: string }) => {
    throw new Error(`${error.stdout}\n${error.stderr}`);
  });
  const generated = await readFile(path.join(project, MODELS[name] ?? USUAL_MODELS), 'utf8');
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
}
