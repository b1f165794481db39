import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { secondPart } from '../scripts/bootstrap/second-part.js';
import { processStart } from '../src/embedded/process-identity.ts';
import { until } from './setup/until.ts';

/** Runs the bootstrap in an otherwise empty clone, with a fake npm that records its calls. */
const clone = fileURLToPath(new URL('..', import.meta.url));
const execute = promisify(execFile);
let folder: string;

const npm = `
const fs = require('node:fs');
const [command, ...args] = process.argv.slice(2);
const prefix = args.includes('--prefix') ? args[args.indexOf('--prefix') + 1] : null;
const scope = args.find((each) => each.startsWith('--workspace'));
const part = { '--workspaces=false': ' root', '--workspace=mintmark-outside': ' tests' }[scope] ?? '';
fs.appendFileSync('calls', (prefix ? 'node' : command + part) + '\\n');
const behaviour = fs.existsSync('behaviour') ? fs.readFileSync('behaviour', 'utf8') : '';
if (behaviour.startsWith('npm error')) {
  console.error(behaviour);
  process.exit(1);
}
if (!prefix) {
  if (command === 'ci') fs.rmSync('node_modules', { recursive: true, force: true });
  fs.mkdirSync('node_modules/half', { recursive: true });
  if (behaviour === 'hang') setInterval(() => undefined, 1000);
  const wait = (milliseconds) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
  if (behaviour === 'slow') wait(1000);
  if (behaviour === 'slower') {
    fs.mkdirSync('node_modules/a');
    fs.writeFileSync('node_modules/a/package.json', '{}');
    wait(10500);
  }
} else {
  const { dependencies } = JSON.parse(fs.readFileSync(prefix + '/package.json', 'utf8'));
  const node = Object.keys(dependencies).find((name) => name.startsWith('node-'));
  fs.mkdirSync(prefix + '/node_modules/' + node + '/bin', { recursive: true });
  fs.mkdirSync(prefix + '/node_modules/' + node + '/include');
  fs.mkdirSync(prefix + '/node_modules/npm/bin', { recursive: true });
  fs.copyFileSync(__filename, prefix + '/node_modules/npm/bin/npm-cli.js');
  if (behaviour === 'hang') setInterval(() => undefined, 1000);
  fs.symlinkSync(process.execPath, prefix + '/node_modules/' + node + '/bin/node');
}
`;

const oldNode = `
Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.0.0' } });
`;

const lock = (version: string) =>
  JSON.stringify({
    packages: {
      '': { dependencies: { a: version, foreign: '1.0.0' }, devDependencies: { chain: '1.0.0' } },
      'node_modules/a': { version, optionalDependencies: { native: '1.0.0' } },
      'node_modules/chain': { version: '1.0.0', dev: true, peerDependencies: { part: '1.0.0' } },
      'node_modules/chain/node_modules/part': { version: '1.0.0', dev: true },
      // Workspaces, which nothing of the root needs, and what they are there for.
      'node_modules/own': { resolved: 'test/outside', link: true },
      'test/outside': { version: '1.0.0', devDependencies: { tool: '1.0.0' } },
      'node_modules/tool': { version: '1.0.0', dev: true },
      'node_modules/programs': { resolved: 'test/programs', link: true },
      'test/programs': { version: '1.0.0', devDependencies: { program: '1.0.0' } },
      'node_modules/program': { version: '1.0.0', dev: true },
      'node_modules/native': {
        version: '1.0.0',
        optional: true,
        os: [process.platform],
        cpu: [process.arch],
      },
      'node_modules/foreign': { version: '1.0.0', optional: true, os: ['aix'], cpu: ['ppc64'] },
    },
  });

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'mintmark-bootstrap-'));
  for (const part of ['scripts/bootstrap.js', 'scripts/bootstrap']) {
    await cp(path.join(clone, part), path.join(folder, part), { recursive: true });
  }
  await put('npm/npm-cli.js', npm);
  await put('npm/package.json', '{}');
  await put('old-node.cjs', oldNode);
  await put('package.json', JSON.stringify({ type: 'module', scripts: {} }));
  await put('package-lock.json', lock('1.0.0'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

async function put(file: string, text: string) {
  await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
  await writeFile(path.join(folder, file), text);
}

const calls = async () =>
  (await readFile(path.join(folder, 'calls'), 'utf8').catch(() => '')).split('\n').filter(Boolean);

interface LaunchOptions {
  asOldNode?: boolean;
  /** Modules that are loaded before it. */
  preload?: string[];
  environment?: Record<string, string>;
}

/** Starts the bootstrap in a process group of its own. */
function launch(args: string[], { asOldNode = false, preload = [], environment = {} }: LaunchOptions = {}) {
  const first = [...(asOldNode ? ['./old-node.cjs'] : []), ...preload].flatMap((file) => ['--require', file]);
  const child = spawn(process.execPath, [...first, 'scripts/bootstrap.js', ...args], {
    cwd: folder,
    detached: true,
    env: { PATH: process.env['PATH'], npm_execpath: path.join(folder, 'npm/npm-cli.js'), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  }
  const exit = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  return { child, pid: child.pid ?? 0, exit, said: () => text };
}

async function run(args: string[], options: LaunchOptions = {}) {
  const launched = launch(args, options);
  const [code] = await launched.exit;
  return { code, said: launched.said() };
}

const hello = ['exec', 'node', '-e', 'console.log("hello")'];

describe('installing packages', () => {
  test('happens once, with one line of output, and again when the lock file changes', async () => {
    expect(await run(hello)).toEqual({ code: 0, said: 'Installing packages ...\nhello\n' });
    expect(await run(hello)).toEqual({ code: 0, said: 'hello\n' });
    expect(await calls()).toEqual(['ci']);
    await put('package-lock.json', lock('2.0.0'));
    await run(hello);
    expect(await calls()).toEqual(['ci', 'ci']);
  });

  test('shows progress when it takes long', async () => {
    await put('behaviour', 'slower');
    expect((await run(hello)).said).toBe(
      'Installing packages ...\nInstalling packages: 1 of 6 after 10 s ...\nhello\n',
    );
  });

  test('starts over after an interrupted installation', async () => {
    await put('behaviour', 'hang');
    const interrupted = launch(hello);
    await until(async () => (await calls()).length === 1);
    process.kill(-interrupted.pid, 'SIGKILL');
    await interrupted.exit;
    await put('behaviour', '');
    expect((await run(hello)).said).toBe('Installing packages ...\nhello\n');
  });

  test('happens once when two commands start together', async () => {
    await put('behaviour', 'slow');
    const both = await Promise.all([run(hello), run(hello)]);
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    expect(both.map(({ said }) => said).join('')).toContain('Waiting for what process');
    expect(await calls()).toEqual(['ci']);
  });

  test('is skipped when npm has installed them', async () => {
    await put('node_modules/.package-lock.json', lock('1.0.0'));
    expect((await run(hello)).said).toBe('hello\n');
  });

  test.each([
    ['another version', { 'node_modules/a': { version: '0.9.0' } }],
    ['a package is missing', { 'node_modules/a': undefined }],
    [
      'the native part for this machine is missing, as an older Node leaves it',
      { 'node_modules/native': undefined },
    ],
  ])('happens when npm left something else: %s', async (_, change) => {
    const record = JSON.parse(lock('1.0.0')) as { packages: object };
    record.packages = { ...record.packages, ...change };
    await put('node_modules/.package-lock.json', JSON.stringify(record));
    expect((await run(hello)).said).toBe('Installing packages ...\nhello\n');
  });

  test('on a terminal is one line that is rewritten', async () => {
    await put('behaviour', 'slow');
    await put('terminal.cjs', 'process.stderr.isTTY = true; process.stderr.columns = 30;');
    const { said } = await run(hello, { preload: ['./terminal.cjs'] });
    const lines = said.split('\r\u001b[K');
    expect(lines.length).toBeGreaterThan(3);
    expect(lines.slice(0, 2)).toEqual(['', 'Installing packages ...']);
    // No longer than the terminal is wide: what wraps is not rewritten.
    expect(lines[2]).toBe('Installing packages: 0 of 6 a');
    expect(lines.at(-1)).toBe('Installing packages: 0 of 6 a\nhello\n');
  });

  test("is of the root's own part for a start, and of the rest once something needs it, which removes nothing", async () => {
    await put('src/main.ts', 'console.log("serving");');
    expect((await run(['start'])).said).toBe('Installing packages ...\nserving\n');
    expect((await run(['start'])).said).toBe('serving\n');
    await put('node_modules/in-use', '');
    expect((await run(hello)).said).toBe('Installing packages ...\nhello\n');
    expect(existsSync(path.join(folder, 'node_modules/in-use'))).toBe(true);
    for (const args of [hello, ['start']]) expect((await run(args)).said).not.toContain('Installing');
    expect(await calls()).toEqual(['ci root', 'install']);
  });

  test('is of what its tests need for `npm test` without arguments, and of the programs besides once something calls one', async () => {
    // No suite is there: what is installed is there before that is said.
    expect((await run(['test'])).said).toContain('Installing packages ...');
    expect((await run(['test'])).said).not.toContain('Installing');
    expect((await run(hello)).said).toBe('Installing packages ...\nhello\n');
    expect(await calls()).toEqual(['ci tests', 'install']);
  });

  test('begins anew when the rest was interrupted', async () => {
    await put('src/main.ts', 'console.log("serving");');
    await run(['start']);
    await put('behaviour', 'npm error');
    expect((await run(hello)).code).toBe(1);
    await put('behaviour', '');
    expect((await run(hello)).code).toBe(0);
    expect(await calls()).toEqual(['ci root', 'install', 'ci']);
  });

  test('is skipped for a start when npm has installed all but what only tests and tools need', async () => {
    await put('src/main.ts', 'console.log("serving");');
    const record = JSON.parse(lock('1.0.0')) as { packages: object };
    const without = {
      ...{ 'test/outside': undefined, 'node_modules/own': undefined, 'node_modules/tool': undefined },
      ...{
        'test/programs': undefined,
        'node_modules/programs': undefined,
        'node_modules/program': undefined,
      },
    };
    await put(
      'node_modules/.package-lock.json',
      JSON.stringify({ packages: { ...record.packages, ...without } }),
    );
    expect((await run(['start'])).said).toBe('serving\n');
    expect((await run(hello)).said).toBe('Installing packages ...\nhello\n');
  });

  test('is skipped when only development packages are missing and the service only has to run', async () => {
    await put('src/main.ts', 'console.log(`arguments: ${process.argv.slice(2).join()}`);');
    const record = JSON.parse(lock('1.0.0')) as { packages: object };
    const part = 'node_modules/chain/node_modules/part';
    const without = { 'node_modules/tool': undefined, 'node_modules/chain': undefined, [part]: undefined };
    await put(
      'node_modules/.package-lock.json',
      JSON.stringify({ packages: { ...record.packages, ...without } }),
    );
    // With a database, and so a chain, of its own; the embedded ones are packages for development.
    const environment = { DATABASE_URL: 'postgres://database.example/mintmark' };
    expect(await run(['start', '--', '--role', 'api'], { environment })).toEqual({
      code: 0,
      said: 'arguments: --role,api\n',
    });
    await put('scripts/admin.ts', 'console.log(`admin: ${process.argv.slice(2).join()}`); process.exit(1);');
    expect(await run(['admin', 'signers', 'status'], { environment })).toEqual({
      code: 1,
      said: 'admin: signers,status\n',
    });
    expect((await run(['start'])).said).toBe('Installing packages ...\narguments: \n');
  });

  test.each([
    ['npm error code ENOTFOUND\nnpm error network request failed', 'the npm registry cannot be reached'],
    ['npm error code ENOSPC', 'the disk is full'],
    ['npm error code EWHAT\nnpm error Something else broke', 'Something else broke'],
  ])('fails with one sentence that names the reason (%#)', async (behaviour, reason) => {
    await put('behaviour', behaviour);
    const { code, said } = await run(hello);
    expect(code).toBe(1);
    expect(said).toBe(
      `Installing packages ...\nInstalling packages failed: ${reason} (npm's output is in .node/npm-output.log).\n`,
    );
  });
});

describe('on a machine with an older Node', () => {
  test('a recent Node is downloaded once, and runs npm and everything else', async () => {
    const first = await run(['exec', 'node', '-p', 'process.versions.node'], { asOldNode: true });
    expect(first.said).toMatch(
      /^Getting Node [\d.]+ \(this machine has 18\.0\.0\) \.\.\.\nInstalling packages \.\.\.\n/,
    );
    expect(first.said).toContain(`${process.versions.node}\n`);
    expect((await run(hello, { asOldNode: true })).said).toBe('hello\n');
    expect(await calls()).toEqual(['node', 'ci']);
    const packages = path.join(folder, '.node/node_modules');
    const [name] = (await readdir(packages)).filter((each) => each.startsWith('node-'));
    expect(await readdir(path.join(packages, name!))).toEqual(['bin']);
  });

  test('a machine for which there is none is told to install it', async () => {
    await put('old-node.cjs', `${oldNode}Object.defineProperty(process, 'arch', { value: 'riscv64' });`);
    expect(await run(hello, { asOldNode: true })).toEqual({
      code: 1,
      said: `Mintmark needs Node 24.18 or newer, and knows none for ${process.platform}-riscv64: install it.\n`,
    });
    expect(await calls()).toEqual([]);
  });

  test('an interrupted download is repeated', async () => {
    await put('behaviour', 'hang');
    const interrupted = launch(hello, { asOldNode: true });
    await until(async () => (await calls()).length === 1);
    process.kill(-interrupted.pid, 'SIGKILL');
    await interrupted.exit;
    await put('behaviour', '');
    expect((await run(hello, { asOldNode: true })).code).toBe(0);
    expect(await calls()).toEqual(['node', 'node', 'ci']);
  });
});

describe('signals', () => {
  const service = `
    import { appendFileSync } from 'node:fs';
    for (const signal of ['SIGINT', 'SIGTERM']) {
      process.on(signal, () => {
        appendFileSync('signals', signal + ' ');
        setTimeout(() => process.exit(3), 300);
      });
    }
    setInterval(() => undefined, 1000);
    console.log('serving');
  `;
  const signals = async () => (await readFile(path.join(folder, 'signals'), 'utf8')).trim().split(' ').sort();

  beforeEach(async () => {
    await put('src/main.ts', service);
    await run(hello);
  });

  test('Ctrl-C in a terminal: the child gets one SIGINT and one SIGTERM, and its exit code is passed on', async () => {
    const launched = launch(['start']);
    await until(() => launched.said().includes('serving'));
    process.kill(-launched.pid, 'SIGINT');
    expect(await launched.exit).toEqual([3, null]);
    expect(await signals()).toEqual(['SIGINT', 'SIGTERM']);
  });

  test('any number of signals to the bootstrap alone become one SIGTERM to the child', async () => {
    const launched = launch(['start']);
    await until(() => launched.said().includes('serving'));
    launched.child.kill('SIGINT');
    launched.child.kill('SIGTERM');
    launched.child.kill('SIGINT');
    expect(await launched.exit).toEqual([3, null]);
    expect(await signals()).toEqual(['SIGTERM']);
  });

  test('a child that a signal kills gives exit code 128 plus its number', async () => {
    await put('src/main.ts', `process.kill(process.pid, 'SIGKILL');`);
    expect((await run(['start'])).code).toBe(137);
  });
});

describe('the test command', () => {
  const jest = (result: object, code: number) => `
    import { writeFileSync } from 'node:fs';
    const file = process.argv.find((argument) => argument.startsWith('--outputFile=')).slice(13);
    console.log(process.argv.slice(2, -2).join(' '));
    writeFileSync(file, JSON.stringify(${JSON.stringify(result)}));
    process.exit(${code});
  `;
  const lastLine = (said: string) => said.trimEnd().split('\n').at(-1);
  const scripts = (lines: Record<string, string>) =>
    put('package.json', JSON.stringify({ type: 'module', scripts: lines }));

  /** Jest's program must exist after the installation. */
  const withJest = async (result: object, code: number) => {
    await run(hello);
    await put('node_modules/jest/bin/package.json', '{"type":"module"}');
    await put('node_modules/jest/bin/jest.js', jest(result, code));
  };
  const passed = {
    numPassedTests: 5,
    numFailedTests: 0,
    numRuntimeErrorTestSuites: 0,
    numPendingTests: 0,
    numTodoTests: 0,
  };

  test('prints a summary as its last line', async () => {
    await withJest({ ...passed, numPendingTests: 2, numTodoTests: 1 }, 0);
    await scripts({ types: 'true', 'test:contracts:quick': `printf '\\033[32m3 passing\\033[0m\\n'` });
    const { code, said } = await run(['test']);
    expect([code, lastLine(said)]).toEqual([0, '8 passed, 0 failed, 3 skipped']);
  });

  test.each([
    ['a failed test', { ...passed, numFailedTests: 2 }, 1, {}, '5 passed, 2 failed, 0 skipped'],
    [
      'a file that cannot be run',
      { ...passed, numRuntimeErrorTestSuites: 1 },
      1,
      {},
      '5 passed, 1 failed, 0 skipped',
    ],
    ['a crash of Jest', passed, 7, {}, '5 passed, 1 failed, 0 skipped'],
    ['wrong types', passed, 0, { types: 'false' }, '5 passed, 1 failed, 0 skipped'],
    [
      'a failed contract test',
      passed,
      0,
      { 'test:contracts:quick': 'echo "2 passing"; echo "1 failing"; false' },
      '7 passed, 1 failed, 0 skipped',
    ],
    [
      'contracts that do not compile',
      passed,
      0,
      { 'test:contracts:quick': 'false' },
      '5 passed, 1 failed, 0 skipped',
    ],
    ['no test at all', { ...passed, numPassedTests: 0 }, 0, {}, '0 passed, 0 failed, 0 skipped'],
  ])('exits with 1 after %s', async (_, result, jestCode, lines, line) => {
    await withJest(result, jestCode);
    await scripts(lines);
    const { code, said } = await run(['test']);
    expect([code, lastLine(said)]).toEqual([1, line]);
  });

  test.each([
    ['Jest skips', { ...passed, numPendingTests: 1 }, {}, '5 passed, 0 failed, 1 skipped'],
    ['Jest has still to do', { ...passed, numTodoTests: 1 }, {}, '5 passed, 0 failed, 1 skipped'],
    [
      'the contracts skip',
      passed,
      { 'test:contracts:quick': 'echo "2 passing"; echo "1 skipped"' },
      '7 passed, 0 failed, 1 skipped',
    ],
  ])('exits with 1 in CI after a test that %s, and with 0 elsewhere', async (_, result, lines, line) => {
    await withJest(result, 0);
    await scripts(lines);
    const inCi = await run(['test'], { environment: { CI: 'true' } });
    expect([inCi.code, lastLine(inCi.said)]).toEqual([1, line]);
    expect(inCi.said).toContain('CI is set: no test may be skipped.\n');
    const elsewhere = await run(['test'], { environment: { CI: '' } });
    expect([elsewhere.code, lastLine(elsewhere.said)]).toEqual([0, line]);
    expect(elsewhere.said).not.toContain('CI is set');
  });

  test.each([['npm'], ['the bootstrap']])('ends when %s is killed', async (killed) => {
    await withJest(passed, 0);
    const jest = `
      import { writeFileSync } from 'node:fs';
      writeFileSync('pid', String(process.pid));
      setInterval(() => undefined, 1000);`;
    await put('node_modules/jest/bin/jest.js', jest);
    const bootstrap = [process.execPath, 'scripts/bootstrap.js', 'test'];
    const npm = `
      const { spawn } = require('node:child_process');
      const [command, ...args] = ${JSON.stringify(bootstrap)};
      console.log(spawn(command, args, { stdio: 'ignore' }).pid);
      setInterval(() => undefined, 1000);`;
    const parent = spawn(process.execPath, ['--eval', npm], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(parent.stdout, 'data')) as [Buffer];
    const pids = [Number(line.toString())];
    pids.push(
      await until(async () => Number(await readFile(path.join(folder, 'pid'), 'utf8').catch(() => 0))),
    );
    process.kill(killed === 'npm' ? parent.pid! : pids[0]!, 'SIGKILL');
    for (const pid of pids) await until(async () => (await processStart(pid)) === undefined);
    parent.kill('SIGKILL');
  });

  test.each([
    [['test'], `--testPathIgnorePatterns=${secondPart}`, 6],
    [['test:all'], `--testPathPatterns=${secondPart}`, 7],
    [['test', 'test/ops/nginx'], 'test/ops/nginx', 5],
    [['check'], '', 7],
  ])('%s gives Jest the arguments %s, and %i tests pass', async (command, given, count) => {
    await withJest(passed, 0);
    await scripts({ 'test:contracts:quick': 'echo "1 passing"', 'test:contracts': 'echo "2 passing"' });
    const { code, said } = await run(command);
    expect([code, lastLine(said)]).toEqual([0, `${count} passed, 0 failed, 0 skipped`]);
    expect(said).toContain(`> jest\n${given}\n`);
  });

  test('runs as a step of check, which runs all its steps', async () => {
    await withJest(passed, 0);
    await scripts({ drift: 'echo drift', types: 'false', lint: 'false', gas: 'echo gas' });
    const { code, said } = await run(['check']);
    expect(code).toBe(1);
    expect(said).toContain('gas\nFailed: npm run types, npm run lint\n5 passed, 2 failed, 0 skipped\n');
  });
});

test.each([
  [undefined, 'true'],
  ['1', '1'],
] as const)('.ci/run runs both parts of the tests with CI set: %s becomes %s', async (given, expected) => {
  await put('bin/npm', '#!/bin/sh\necho "$* with CI=$CI"\n');
  await chmod(path.join(folder, 'bin/npm'), 0o755);
  const { CI: _, ...rest } = process.env;
  const PATH = [path.join(folder, 'bin'), process.env['PATH']].join(path.delimiter);
  const environment = { ...rest, ...(given && { CI: given }), PATH };
  const { stdout } = await execute(path.join(clone, '.ci/run'), { env: environment });
  expect(stdout).toBe(`test with CI=${expected}\nrun test:all with CI=${expected}\n`);
});

test('an unknown command fails with one sentence', async () => {
  expect(await run(['stratr'])).toEqual({
    code: 1,
    said: 'Say what to do: node scripts/bootstrap.js start|test|test:all|check|jest|admin|console|demo|exec.\n',
  });
});

test('npm scripts start the bootstrap with exec, since a shell would not pass a SIGTERM on', async () => {
  const { scripts } = JSON.parse(await readFile(path.join(clone, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const through = Object.values(scripts).filter((line) => line.includes('bootstrap.js'));
  expect(through.length).toBeGreaterThan(10);
  for (const line of through) expect(line).toMatch(/^([A-Z_]+=\S+ )?exec node scripts\/bootstrap\.js /);
});
