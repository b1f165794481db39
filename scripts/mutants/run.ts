import { spawn } from 'node:child_process';
import path from 'node:path';
import { END_WITH_PARENT } from '../../test/faults/service-process.ts';
import { supervise } from './supervise.ts';

/** What Jest reports while it runs; suites as absolute paths. */
export type RunMessage =
  | { kind: 'failed'; suite: string; test: string }
  | { kind: 'broken'; suite: string; reason: string }
  | { kind: 'ended'; suite: string; ms: number };

/** What became of a run of Jest. Suites from the root of the tree. */
export interface Run {
  /** The first test that failed, in `stopAtFailure` the only one; by suite. */
  failures: { suite: string; test: string }[];
  /** Suites that could not run at all, and why. */
  broken: { suite: string; reason: string }[];
  isLate: boolean;
  /** Milliseconds by suite, of those that ran to their end. */
  times: Map<string, number>;
  /** Null when it was ended from here. */
  exitCode: number | null;
  /** The end of what Jest wrote to its error output. */
  said: string;
}

export interface RunOptions {
  /** A copy of the repository. */
  tree: string;
  suites: readonly string[];
  /** Null: Jest makes a database server of its own, as it always does. */
  databaseUrl: string | null;
  /** Ends the run at the first failure. */
  stopAtFailure: boolean;
  timeoutMs: number;
  signal: AbortSignal;
}

const MAX_SAID = 4_000;

/** Runs test files of a tree, one after the other in one process. */
export async function runJest(options: RunOptions): Promise<Run> {
  const { tree, suites, databaseUrl, stopAtFailure, timeoutMs, signal } = options;
  const run: Run = { failures: [], broken: [], isLate: false, times: new Map(), exitCode: null, said: '' };
  const config = databaseUrl === null ? 'jest.mutants-own.config.js' : 'jest.mutants.config.js';
  const child = spawn(
    process.execPath,
    [
      ...['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', '--import', END_WITH_PARENT],
      ...['node_modules/jest/bin/jest.js', '--config', config, '--runInBand', '--runTestsByPath', ...suites],
    ],
    {
      cwd: tree,
      env: { ...process.env, ...(databaseUrl === null ? {} : { TEST_DATABASE_URL: databaseUrl }) },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      // In a group of its own, which can be ended as a whole. When this process is killed it ends by itself.
      detached: true,
    },
  );
  const { end, ended } = supervise(child, { timeoutMs, signal });
  child.stderr!.on('data', (chunk: Buffer) => {
    run.said = (run.said + chunk.toString()).slice(-MAX_SAID);
  });
  child.on('message', (message: RunMessage) => {
    const suite = path.relative(tree, message.suite);
    if (message.kind === 'ended') run.times.set(suite, message.ms);
    else if (message.kind === 'broken') run.broken.push({ suite, reason: message.reason });
    else if (!run.failures.some((known) => known.suite === suite && known.test === message.test)) {
      if (stopAtFailure && run.failures.length > 0) return;
      run.failures.push({ suite, test: message.test });
      if (stopAtFailure) end();
    }
  });
  return Object.assign(run, await ended);
}
