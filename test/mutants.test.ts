import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { MUTANTS } from '../scripts/mutants/list.ts';
import { applyMutant, flatten } from '../scripts/mutants/mutant.ts';

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
        .filter((suite) => !suite.endsWith('.test.ts') || !existsSync(path.join(ROOT, suite)))
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
