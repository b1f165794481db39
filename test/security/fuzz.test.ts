import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { fuzz } from '../../lab/fuzz/run.ts';

test('generated requests, valid and invalid, break neither the service nor its contract', async () => {
  const report = await fuzz({ count: 1_200, seed: 20_260_914 });
  const { faults, ...numbers } = report;
  process.stdout.write(`${JSON.stringify(numbers)}\n`);
  expect(faults).toEqual([]);
  expect(numbers.unexplained).toEqual({ intents: 0, accounts: 0, keys: 0 });
  expect(numbers.foreignConnections).toBe(0);
  // Not all requests are refused: some are accepted.
  expect(numbers.accepted).toBeGreaterThan(10);
  expect(numbers.statuses[200]).toBeGreaterThan(50);
});

describe('npm run fuzz', () => {
  const run = (...args: string[]) =>
    promisify(execFile)(process.execPath, ['scripts/fuzz.ts', ...args]).catch(
      (error: { code: number; stdout: string; stderr: string }) => error,
    );

  test('prints its report as JSON, with its seed', async () => {
    const { stdout, stderr } = await run('--count', '40', '--seed', '7', '--json');
    expect(stderr.replace(/^\d+ of 40 requests, \d+ a second, 0 faults\n/gm, '')).toBe('');
    expect(JSON.parse(stdout)).toMatchObject({ seed: 7, requests: 40, faults: [], foreignConnections: 0 });
  });

  test('has a help text, and refuses an invalid option with one sentence', async () => {
    const { stdout } = await run('--help');
    for (const option of ['--count', '--seed', '--json']) expect(stdout).toContain(option);
    const refused = await run('--count', 'many');
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(/'many' is invalid\. Say a whole number from 1 to 999,999,999\.\n$/);
  });
});
