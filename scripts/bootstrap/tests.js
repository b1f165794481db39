import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** How Jest is run: as ES modules, which Node still calls experimental. */
export const jestArguments = [
  '--experimental-vm-modules',
  '--disable-warning=ExperimentalWarning',
  'node_modules/jest/bin/jest.js',
];

/** What `npm run check` goes through besides the tests, in this order; each is a script of package.json. */
const stepsBeforeTests = ['drift', 'types', 'lint'];
const stepsAfterTests = ['gas'];

/**
 * `npm test`: types, Jest, then the contracts' own tests. The last line says how many tests passed and failed.
 * With arguments it is Jest alone, with them.
 */
export async function test(root, runner, args) {
  const failedSteps = args.length > 0 ? [] : await runSteps(root, runner, ['types']);
  const tests = await runTests(root, runner, args);
  return conclude(failedSteps, tests);
}

/** `npm run check`: everything. It goes on after a failure, so that one run shows all that is wrong. */
export async function check(root, runner) {
  const failedSteps = await runSteps(root, runner, stepsBeforeTests);
  const tests = await runTests(root, runner, []);
  failedSteps.push(...(await runSteps(root, runner, stepsAfterTests)));
  return conclude(failedSteps, tests);
}

/** A step counts as one failed test when it fails and as none when it passes, so that the numbers are of tests. */
function conclude(failedSteps, tests) {
  const failed = tests.failed + failedSteps.length;
  if (failedSteps.length > 0)
    console.log(`Failed: ${failedSteps.map((name) => `npm run ${name}`).join(', ')}`);
  if (tests.passed + tests.failed === 0) console.log('No test was run.');
  console.log(`${tests.passed} passed, ${failed} failed`);
  return failed === 0 && tests.passed > 0 ? 0 : 1;
}

async function runSteps(root, runner, names) {
  const scripts = await readScripts(root);
  const failed = [];
  for (const name of names.filter((step) => scripts[step])) {
    console.log(`\n> ${name}`);
    if ((await runner.runScript(scripts[name])) !== 0) failed.push(name);
  }
  return failed;
}

async function runTests(root, runner, args) {
  const parts = [await runJest(runner, args)];
  const contracts = (await readScripts(root))['test:contracts'];
  if (contracts && args.length === 0) parts.push(await runContractTests(runner, contracts));
  const sum = (key) => parts.reduce((total, part) => total + part[key], 0);
  return { passed: sum('passed'), failed: sum('failed') };
}

async function runJest(runner, args) {
  console.log('\n> jest');
  const folder = await mkdtemp(path.join(tmpdir(), 'mintmark-jest-'));
  try {
    const file = path.join(folder, 'result.json');
    const code = await runner.run('node', [...jestArguments, ...args, '--json', `--outputFile=${file}`]);
    if (!existsSync(file)) return { passed: 0, failed: 1 };
    const result = JSON.parse(await readFile(file, 'utf8'));
    return withExitCode(
      code,
      result.numPassedTests,
      result.numFailedTests + result.numRuntimeErrorTestSuites,
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function runContractTests(runner, script) {
  console.log('\n> test:contracts');
  const { code, output } = await runner.readScript(script);
  const plain = output.replace(/\u001b\[[0-9;]*m/g, '');
  const count = (word) =>
    [...plain.matchAll(new RegExp(`(\\d+) ${word}\\b`, 'g'))].reduce((sum, m) => sum + Number(m[1]), 0);
  return withExitCode(code, count('passing'), count('failing'));
}

/** A run that failed without a failed test (it crashed, or did not compile) still counts as one. */
function withExitCode(code, passed, failed) {
  return { passed, failed: code !== 0 && failed === 0 ? 1 : failed };
}

async function readScripts(root) {
  return JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')).scripts ?? {};
}
