import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { applyMutant, LISTS, readMutants, SIMULATION } from '../scripts/mutants/mutant.ts';
import { processStart } from '../src/embedded/process-identity.ts';
import { until } from './setup/until.ts';

const ROOT = path.join(import.meta.dirname, '..');
const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');

describe.each(LISTS)('the mutants of %s', (list) => {
  const mutants = readMutants(list);

  test('have names of their own', () => {
    const names = mutants.map(({ name }) => name);
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name, index) => name === '' || names.indexOf(name) !== index)).toEqual([]);
  });

  test('are of code that is there, each in one place, and change it', () => {
    for (const mutant of mutants)
      for (const [file, text] of applyMutant(mutant, read)) expect(text).not.toBe(read(file));
  });

  test('have a test file, or the simulation, that should notice them', () => {
    const suites = [...new Set(mutants.map(({ suite }) => suite))];
    const files = suites.map((suite) => suite.replace(new RegExp(`^(${SIMULATION}) \\d+$`), '$1'));
    const isSuite = (file: string): boolean => file === SIMULATION || /\.(test\.ts|t\.sol)$/.test(file);
    expect(files.filter((file) => !isSuite(file) || !existsSync(path.join(ROOT, file)))).toEqual([]);
  });
});

test('what stands twice, or not at all, cannot be mutated; what stands once is replaced as it is written', () => {
  const [first, second] = readMutants(
    'judge',
    '@ a.ts a.test.ts\n# one\n- a.b\n+ $& $1\n+  c\n# two (seed 7: once)\n- x\n-  y\n@ b.ts\n- z\n',
  );
  const suite = 'a.test.ts';
  const place = { file: 'a.ts', find: 'a.b', replace: '$& $1\n c' };
  expect(first).toEqual({ list: 'judge', name: 'one', suite, found: null, places: [place] });
  const places = [
    { file: 'a.ts', find: 'x\n y', replace: '' },
    { file: 'b.ts', find: 'z', replace: '' },
  ];
  const found = 'seed 7: once';
  expect(second).toEqual({ list: 'judge', name: 'two', suite: `${suite} 7`, found, places });
  const apply = (source: string): string | undefined => applyMutant(first!, () => source).get('a.ts');
  expect(apply('x a.b aXb y')).toBe('x $& $1\n c aXb y');
  expect([...applyMutant(second!, (file) => (file === 'a.ts' ? 'x\n y' : 'xyz'))]).toEqual([
    ['a.ts', ''],
    ['b.ts', 'xy'],
  ]);
  expect(() => apply('aXb')).toThrow('one: its text stands 0 times in a.ts');
  expect(() => apply('a.b a.b')).toThrow('one: its text stands 2 times in a.ts');
  expect(() => readMutants('judge', 'a.b')).toThrow('a line that says nothing: a.b');
});

test('Jest ends when the process that runs mutants is killed', async () => {
  await using stack = new AsyncDisposableStack();
  const { path: folder } = stack.use(await mkdtempDisposable(path.join(tmpdir(), 'mintmark-mutants-test-')));
  const tree = path.join(folder, 'tree');
  const [pidFile, jest] = [path.join(tree, 'pid'), path.join(tree, 'node_modules/jest/bin')];
  await mkdir(jest, { recursive: true });
  await writeFile(
    path.join(jest, 'jest.js'),
    `require('node:fs').writeFileSync('pid', String(process.pid)); setInterval(() => undefined, 1_000);`,
  );
  const runner = `
    import { runSuite } from '${pathToFileURL(path.join(ROOT, 'scripts/mutants/run.ts')).href}';
    await runSuite({ tree: ${JSON.stringify(tree)}, suite: 'a.test.ts', timeoutMs: 600_000 });`;
  const parent = spawn(process.execPath, ['--input-type=module', '--eval', runner], { stdio: 'inherit' });
  const pid = await until(async () => Number(await readFile(pidFile, 'utf8').catch(() => 0)));
  stack.defer(async () => {
    if ((await processStart(pid)) !== undefined) process.kill(pid, 'SIGKILL');
  });
  parent.kill('SIGKILL');
  await once(parent, 'exit');
  await until(async () => (await processStart(pid)) === undefined);
});
