import { spawn } from 'node:child_process';
import { END_WITH_PARENT } from '../../test/faults/service-process.ts';
import type { Run } from './run.ts';
import { supervise } from './supervise.ts';

export interface SolidityOptions {
  /** A copy of the repository. */
  tree: string;
  /** Files of Solidity tests, from the root of the tree. */
  suites: readonly string[];
  timeoutMs: number;
  signal: AbortSignal;
}

const MAX_SAID = 4_000;
/** `  test/contracts/Operator.t.sol:OperatorTest`, then its tests: `    1) test_...` is one that failed. */
const SUITE = /^ {2}(\S+\.sol):\w+$/;
const FAILURE = /^ {4}\d+\) (\S.*)$/;

/** Compiles the contracts of a tree and runs files of Solidity tests. Code that does not compile is a broken suite. */
export async function runSolidity({ tree, suites, timeoutMs, signal }: SolidityOptions): Promise<Run> {
  const run: Run = { failures: [], broken: [], isLate: false, times: new Map(), exitCode: null, said: '' };
  const child = spawn(
    process.execPath,
    ['--import', END_WITH_PARENT, 'node_modules/hardhat/dist/src/cli.js', 'test', 'solidity', ...suites],
    {
      cwd: tree,
      env: { ...process.env, HARDHAT_DISABLE_TELEMETRY: 'true', CONTRACT_TESTS: 'normal' },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      detached: true,
    },
  );
  let printed = '';
  for (const stream of [child.stdout!, child.stderr!])
    stream.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
    });
  Object.assign(run, await supervise(child, { timeoutMs, signal }).ended);
  run.said = printed.slice(-MAX_SAID);
  run.failures.push(...readFailures(printed));
  if (/\bHHE\d+: Compilation failed/.test(printed))
    run.broken.push({
      suite: suites[0]!,
      reason: /^\w*Error: .*$/m.exec(printed)?.[0] ?? 'does not compile',
    });
  return run;
}

/** The tests that failed, in the order in which they ran. */
export function readFailures(printed: string): Run['failures'] {
  const failures: Run['failures'] = [];
  let suite = '';
  for (const line of printed.split('\n')) {
    suite = SUITE.exec(line)?.[1] ?? suite;
    const test = FAILURE.exec(line)?.[1];
    if (test !== undefined) failures.push({ suite, test });
  }
  return failures;
}
