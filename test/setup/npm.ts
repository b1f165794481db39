import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

export const execute = promisify(execFile);

export const root = path.join(import.meta.dirname, '../..');

/** The npm that came with the tests' own Node, where the bootstrap got one: the machine's may not run under it. */
const OWN_NPM = path.join(root, '.node/node_modules/npm/bin/npm-cli.js');

/** Runs npm without scripts of packages. Returns what it prints. */
export async function npm(cwd: string, args: string[]): Promise<string> {
  const [program, ...first] = existsSync(OWN_NPM) ? [process.execPath, OWN_NPM] : ['npm'];
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { stdout } = await execute(program, [...first, ...args, ...quiet], { cwd });
  return stdout;
}

/** Packs folders as `npm publish` would. Returns their archives, in the same order. */
export async function pack(to: string, folders: readonly string[]): Promise<string[]> {
  await mkdir(to, { recursive: true });
  const listed = await npm(to, ['pack', '--json', ...folders]);
  return (JSON.parse(listed) as { filename: string }[]).map(({ filename }) => path.join(to, filename));
}

/** Makes an empty project and installs archives in it, without a registry: they must name all that they need. */
export async function installInto(project: string, archives: readonly string[]): Promise<void> {
  await mkdir(project, { recursive: true });
  await writeFile(path.join(project, 'package.json'), '{ "private": true, "type": "module" }');
  await npm(project, ['install', '--offline', ...archives]);
}
