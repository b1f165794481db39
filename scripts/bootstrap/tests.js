import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { secondPart } from './second-part.js';

/** How Jest is run: as ES modules, which Node still calls experimental. */
export const jestArguments = [
  '--experimental-vm-modules',
  '--disable-warning=ExperimentalWarning',
  // Modules are made anew for each suite: with V8's 16 MiB, a tenth of the CPU copies what is young.
  '--max-semi-space-size=64',
  '--import=./scripts/bootstrap/end-with-parent.js',
  'node_modules/jest/bin/jest.js',
];

/** What `npm run check` goes through besides the tests, in this order; each is a script of package.json. */
const stepsBeforeTests = ['drift', 'types', 'lint'];
const stepsAfterTests = ['gas'];
/** Beside the first part of Jest's tests fewer random inputs than beside the second. */
const contractTests = { first: 'test:contracts:quick', second: 'test:contracts' };

const NONE = { passed: 0, failed: 0, skipped: 0 };

/**
 * `npm test`: types and the contracts' own tests beside the first part of Jest's, which often wait. The last line says how
 * many tests passed, failed and were skipped. With arguments it is Jest alone, with them.
 */
export async function test(root, runner, args) {
  if (args.length > 0) return conclude([], [await runJest(runner, args)]);
  const firstPart = [`--testPathIgnorePatterns=${secondPart}`];
  return runTests(root, runner, { jest: firstPart, steps: ['types'], contracts: contractTests.first });
}

/** `npm run test:all`: what `npm test` leaves out. */
export const testRest = (root, runner) =>
  runTests(root, runner, {
    jest: [`--testPathPatterns=${secondPart}`],
    steps: [],
    contracts: contractTests.second,
  });

async function runTests(root, runner, { jest: args, steps, contracts }) {
  const [jest, beside] = await Promise.all([
    runJest(runner, args),
    runBeside(root, runner, steps, contracts),
  ]);
  console.log(beside.output);
  return conclude(beside.failedSteps, [jest, beside.contracts]);
}

/** `npm run check`: everything, the tests of both parts in one run. It goes on after a failure, so that one run shows all that is wrong. */
export async function check(root, runner) {
  const failedSteps = await runSteps(root, runner, stepsBeforeTests);
  const [jest, beside] = await Promise.all([
    runJest(runner, []),
    runBeside(root, runner, [], contractTests.second),
  ]);
  console.log(beside.output);
  failedSteps.push(...(await runSteps(root, runner, stepsAfterTests)));
  return conclude(failedSteps, [jest, beside.contracts]);
}

/**
 * A step counts as one failed test when it fails and as none when it passes, so that the numbers are of tests. In CI,
 * where nobody would notice, a skipped test is a failure too.
 */
function conclude(failedSteps, parts) {
  const sum = (key) => parts.reduce((total, part) => total + part[key], 0);
  const passed = sum('passed');
  const failed = sum('failed') + failedSteps.length;
  const skipped = sum('skipped');
  const failsBySkip = skipped > 0 && Boolean(process.env.CI);
  if (failedSteps.length > 0)
    console.log(`Failed: ${failedSteps.map((name) => `npm run ${name}`).join(', ')}`);
  if (passed + sum('failed') === 0) console.log('No test was run.');
  if (failsBySkip) console.log('CI is set: no test may be skipped.');
  console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
  return failed === 0 && passed > 0 && !failsBySkip ? 0 : 1;
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

/** Runs steps and then the contracts' tests, one after the other, and keeps what they say: Jest is talking. */
async function runBeside(root, runner, names, contractTests) {
  const scripts = await readScripts(root);
  const outputs = [];
  const run = async (name) => {
    const { code, output } = await runner.readScript(scripts[name]);
    outputs.push(`\n> ${name}\n${output}`);
    return { code, output };
  };
  const failedSteps = [];
  for (const name of names.filter((step) => scripts[step])) {
    if ((await run(name)).code !== 0) failedSteps.push(name);
  }
  const contracts = scripts[contractTests] ? countContractTests(await run(contractTests)) : NONE;
  return { failedSteps, contracts, output: outputs.join('') };
}

async function runJest(runner, args) {
  console.log('\n> jest');
  const folder = await mkdtemp(path.join(tmpdir(), 'mintmark-jest-'));
  try {
    const file = path.join(folder, 'result.json');
    const code = await runner.run('node', [...jestArguments, ...args, '--json', `--outputFile=${file}`]);
    if (!existsSync(file)) return { ...NONE, failed: 1 };
    const result = JSON.parse(await readFile(file, 'utf8'));
    return withExitCode(code, {
      passed: result.numPassedTests,
      failed: result.numFailedTests + result.numRuntimeErrorTestSuites,
      skipped: result.numPendingTests + result.numTodoTests,
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function countContractTests({ code, output }) {
  const plain = output.replace(/\u001b\[[0-9;]*m/g, '');
  const count = (word) =>
    [...plain.matchAll(new RegExp(`(\\d+) ${word}\\b`, 'g'))].reduce((sum, m) => sum + Number(m[1]), 0);
  return withExitCode(code, {
    passed: count('passing'),
    failed: count('failing'),
    skipped: count('skipped'),
  });
}

/** A run that failed without a failed test (it crashed, or did not compile) still counts as one. */
function withExitCode(code, counts) {
  return { ...counts, failed: code !== 0 && counts.failed === 0 ? 1 : counts.failed };
}

async function readScripts(root) {
  return JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')).scripts ?? {};
}
