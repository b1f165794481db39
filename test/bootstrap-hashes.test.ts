import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';

/** What npm itself makes of our hashes and settings, with a registry that has one package under every name. */
const clone = path.join(import.meta.dirname, '..');
const execute = promisify(execFile);

const sha512 = (bytes: Buffer | string): string => `sha512-${hash('sha512', bytes, 'base64')}`;

/** A package whose install script leaves a file in the clone. */
async function pack(folder: string): Promise<Buffer> {
  const scripts = { postinstall: `node -e 'require("fs").writeFileSync("../../ran", "")'` };
  await mkdir(path.join(folder, 'package'));
  await writeFile(
    path.join(folder, 'package/package.json'),
    JSON.stringify({ name: 'thing', version: '1.0.0', scripts }),
  );
  await execute('tar', ['-czf', 'thing.tgz', 'package'], { cwd: folder });
  return readFile(path.join(folder, 'thing.tgz'));
}

/** @param versionOf the version that it has of a package */
async function startRegistry(tarball: Buffer, versionOf: (name: string) => Promise<string>) {
  const server = createServer((request, response) => {
    void (async () => {
      const url = decodeURIComponent(request.url ?? '');
      if (url.endsWith('.tgz')) return response.end(tarball);
      const name = url.slice(1);
      const version = await versionOf(name);
      const dist = { tarball: `http://${request.headers.host}/${name}.tgz`, integrity: sha512(tarball) };
      const versions = { [version]: { name, version, dist } };
      return response.end(JSON.stringify({ name, 'dist-tags': { latest: version }, versions }));
    })().catch(() => response.writeHead(404).end());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** npm's own file, which the Node of the tests can run; without one, the bootstrap finds npm by itself. */
const npmFile = [
  path.join(clone, '.node/node_modules/npm/bin/npm-cli.js'),
  process.env['npm_execpath'] ?? '',
].find((file) => path.basename(file) === 'npm-cli.js' && existsSync(file));

/** Makes a clone that needs `thing`, with this hash of it in its lock file. */
async function makeClone(folder: string, integrity: string): Promise<void> {
  for (const part of ['scripts/bootstrap.js', 'scripts/bootstrap', '.npmrc']) {
    await cp(path.join(clone, part), path.join(folder, part), { recursive: true });
  }
  const own = { type: 'module', dependencies: { thing: '1.0.0' } };
  await writeFile(path.join(folder, 'package.json'), JSON.stringify(own));
  const packages = { '': own, 'node_modules/thing': { version: '1.0.0', integrity, hasInstallScript: true } };
  await writeFile(path.join(folder, 'package-lock.json'), JSON.stringify({ lockfileVersion: 3, packages }));
}

interface RunOptions {
  registry: string;
  asOldNode?: boolean;
}

async function bootstrap(folder: string, { registry, asOldNode = false }: RunOptions) {
  const oldNode =
    'data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"18.0.0"}})';
  const args = [
    ...(asOldNode ? ['--import', oldNode] : []),
    ...['scripts/bootstrap.js', 'exec', 'node', '-p', '"hello"'],
  ];
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    npm_config_registry: registry,
    npm_config_cache: path.join(folder, 'cache'),
    ...(npmFile ? { npm_execpath: npmFile } : {}),
  };
  const { code, stdout, stderr } = await execute(process.execPath, args, { cwd: folder, env }).then(
    (said) => ({ code: 0, ...said }),
    (failure: { code: number; stdout: string; stderr: string }) => failure,
  );
  // A slow machine says in between how far it is.
  return { code, said: (stderr + stdout).replaceAll(/^.+ after \d+ s \.\.\.\n/gm, '') };
}

const REFUSED =
  "what the npm registry delivers is not what the lock file names by its hash (npm's output is in .node/npm-output.log).\n";

test('a package is installed by its hash, and its install script is not run', async () => {
  await using folder = await mkdtempDisposable(path.join(tmpdir(), 'mintmark-hashes-'));
  const tarball = await pack(folder.path);
  await using registry = await startRegistry(tarball, async () => '1.0.0');
  await makeClone(folder.path, sha512(tarball));
  expect(await bootstrap(folder.path, { registry: registry.url })).toEqual({
    code: 0,
    said: 'Installing packages ...\nhello\n',
  });
  expect(existsSync(path.join(folder.path, 'node_modules/thing/package.json'))).toBe(true);
  expect(existsSync(path.join(folder.path, 'ran'))).toBe(false);
});

test('npm ci alone runs no install script either', async () => {
  await using folder = await mkdtempDisposable(path.join(tmpdir(), 'mintmark-hashes-'));
  const tarball = await pack(folder.path);
  await using registry = await startRegistry(tarball, async () => '1.0.0');
  await makeClone(folder.path, sha512(tarball));
  const [command, ...args] = npmFile ? [process.execPath, npmFile] : ['npm'];
  const env = { PATH: process.env['PATH'], HOME: folder.path, npm_config_registry: registry.url };
  await execute(command, [...args, 'ci', '--cache', path.join(folder.path, 'cache')], {
    cwd: folder.path,
    env,
  });
  expect(existsSync(path.join(folder.path, 'node_modules/thing/package.json'))).toBe(true);
  expect(existsSync(path.join(folder.path, 'ran'))).toBe(false);
});

test('a package that is not the one of the lock file is refused', async () => {
  await using folder = await mkdtempDisposable(path.join(tmpdir(), 'mintmark-hashes-'));
  await using registry = await startRegistry(await pack(folder.path), async () => '1.0.0');
  await makeClone(folder.path, sha512('another package'));
  const { code, said } = await bootstrap(folder.path, { registry: registry.url });
  expect([code, said]).toEqual([1, `Installing packages ...\nInstalling packages failed: ${REFUSED}`]);
  expect(existsSync(path.join(folder.path, 'node_modules/thing'))).toBe(false);
});

test('a Node that is not the one whose hash is in the bootstrap is refused', async () => {
  await using folder = await mkdtempDisposable(path.join(tmpdir(), 'mintmark-hashes-'));
  const tarball = await pack(folder.path);
  const wanted = async (name: string): Promise<string> => {
    const text = await readFile(path.join(folder.path, '.node/package.json'), 'utf8');
    return (JSON.parse(text) as { dependencies: Record<string, string> }).dependencies[name]!;
  };
  await using registry = await startRegistry(tarball, wanted);
  await makeClone(folder.path, sha512(tarball));
  const { code, said } = await bootstrap(folder.path, { registry: registry.url, asOldNode: true });
  expect(code).toBe(1);
  expect(said).toMatch(
    /^Getting Node [\d.]+ \(this machine has 18\.0\.0\) \.\.\.\nGetting Node [\d.]+ failed: /,
  );
  expect(said.endsWith(REFUSED)).toBe(true);
  expect(existsSync(path.join(folder.path, '.node/ready'))).toBe(false);
  expect(existsSync(path.join(folder.path, 'node_modules'))).toBe(false);
});
