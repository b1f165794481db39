import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { MUTANTS } from '../scripts/mutants/list.ts';
import { applyMutant, flatten } from '../scripts/mutants/mutant.ts';
import { processStart } from '../src/embedded/process-identity.ts';
import { until } from './embedded/hold.ts';

const ROOT = path.join(import.meta.dirname, '..');
const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');

describe.each(Object.entries(MUTANTS))('the mutants of %s', (folder, list) => {
  const mutants = flatten(list);

  test('have names of their own', () => {
    const names = mutants.map(({ name }) => name);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
    expect(names.filter((name) => name.trim() !== name || name === '')).toEqual([]);
  });

  test('are of code that is there, each in one place, and change it', () => {
    const stale = mutants.flatMap((mutant) => {
      if (!mutant.file.startsWith(`${folder}/`)) return [`${mutant.name}: ${mutant.file} is elsewhere`];
      if (!existsSync(path.join(ROOT, mutant.file))) return [`${mutant.name}: there is no ${mutant.file}`];
      try {
        const source = read(mutant.file);
        return applyMutant(mutant, source) === source ? [`${mutant.name}: changes nothing`] : [];
      } catch (error) {
        return [`${mutant.name}: ${(error as Error).message} in ${mutant.file}`];
      }
    });
    expect(stale).toEqual([]);
  });

  test('have test files that should notice them', () => {
    const missing = mutants.flatMap(({ name, suites }) => [
      ...(suites.length === 0 ? [`${name}: no test file`] : []),
      ...suites
        .filter((suite) => !/\.(test\.ts|t\.sol)$/.test(suite) || !existsSync(path.join(ROOT, suite)))
        .map((suite) => `${name}: there is no ${suite}`),
    ]);
    expect(missing).toEqual([]);
  });
});

test('what stands twice, or not at all, cannot be mutated; what stands once is replaced as it is written', () => {
  const mutant = { name: '', file: '', find: 'a.b', replace: '$& $1', suites: [] };
  expect(applyMutant(mutant, 'x a.b aXb y')).toBe('x $& $1 aXb y');
  expect(() => applyMutant(mutant, 'aXb')).toThrow('its text stands 0 times');
  expect(() => applyMutant(mutant, 'a.b a.b')).toThrow('its text stands 2 times');
});

test('Jest ends when the process that runs mutants is killed', async () => {
  await using stack = new AsyncDisposableStack();
  const { path: tree } = stack.use(await mkdtempDisposable(path.join(tmpdir(), 'mintmark-mutants-test-')));
  const [pidFile, jest] = [path.join(tree, 'pid'), path.join(tree, 'node_modules/jest/bin')];
  await mkdir(jest, { recursive: true });
  await writeFile(
    path.join(jest, 'jest.js'),
    `require('node:fs').writeFileSync('pid', String(process.pid)); setInterval(() => undefined, 1_000);`,
  );
  const runner = `
    import { runJest } from '${pathToFileURL(path.join(ROOT, 'scripts/mutants/run.ts')).href}';
    const { signal } = new AbortController();
    const more = { suites: [], databaseUrl: null, stopAtFailure: true, timeoutMs: 600_000, signal };
    await runJest({ tree: ${JSON.stringify(tree)}, ...more });`;
  const parent = spawn(process.execPath, ['--input-type=module', '--eval', runner], { stdio: 'inherit' });
  const pid = await until(async () => Number(await readFile(pidFile, 'utf8').catch(() => 0)));
  stack.defer(async () => {
    if ((await processStart(pid)) !== undefined) process.kill(pid, 'SIGKILL');
  });
  parent.kill('SIGKILL');
  await once(parent, 'exit');
  await until(async () => (await processStart(pid)) === undefined);
});
