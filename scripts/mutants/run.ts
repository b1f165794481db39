import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { END_WITH_PARENT } from '../../lab/stage/service-process.ts';
import { SIMULATION } from './mutant.ts';

/**
 * `killed`: a test failed, or the file did not come to its end in time; `survived`: all passed; `invalid`: it says
 * nothing of the tests, since the code does not even load.
 */
export interface Outcome {
  fate: 'killed' | 'survived' | 'invalid';
  /**
   * The first test that failed, the first seed with a violation and its rule, `time-out`, or the last line of what was
   * said.
   */
  by: string;
}

interface RunOptions {
  /** A copy of the repository, which no other run uses meanwhile. */
  tree: string;
  /** A file of Jest or of Solidity tests, from the root of the tree, or `SIMULATION`, with or without a seed. */
  suite: string;
  timeoutMs: number;
  signal?: AbortSignal;
}

const JEST = [
  ...['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', '--import', END_WITH_PARENT],
  ...['node_modules/jest/bin/jest.js', '--reporters=<rootDir>/test/setup/mutant-reporter.ts', '--runInBand'],
  '--runTestsByPath',
];
const HARDHAT = ['--import', END_WITH_PARENT, 'node_modules/hardhat/dist/src/cli.js', 'test', 'solidity'];
const ROOT = path.resolve(import.meta.dirname, '../..');
/** From the sound template on: a defect shows in the world, and each template takes longer than a world. */
const SIMULATE = ['--import', END_WITH_PARENT, SIMULATION, '--json', '--template-of', ROOT];
const ALL_SEEDS = ['--seed', '1', '--seeds', '300'];
/** As Hardhat tells of a test that failed, our reporter of Jest, and the simulation of a seed. */
const FAILURE = /^(?: {4}\d+\) (\S.*)$|\{"(seed":\d+,"violations":\[\{"rule":"[^"]+)")/m;

function argumentsOf(suite: string): string[] {
  const [file, seed] = suite.split(' ');
  if (file === SIMULATION) return [...SIMULATE, ...(seed === undefined ? ALL_SEEDS : ['--seed', seed])];
  return [...(suite.endsWith('.sol') ? HARDHAT : JEST), suite];
}

function failureIn(said: string): string | null {
  const [, test, seed] = FAILURE.exec(said) ?? [];
  return test ?? seed?.replace(/^seed":(\d+).*:"/, 'seed $1: ') ?? null;
}

/** Runs a suite until its first failure. */
export async function runSuite({ tree, suite, timeoutMs, signal }: RunOptions): Promise<Outcome> {
  // What a run leaves behind that is ended in the middle, a database server's files among it.
  const temporary = path.join(tree, '../tmp');
  await mkdir(temporary, { recursive: true });
  const child = spawn(process.execPath, argumentsOf(suite), {
    cwd: tree,
    env: { ...process.env, TMPDIR: temporary, HARDHAT_DISABLE_TELEMETRY: 'true', CONTRACT_TESTS: 'normal' },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // In a group of its own, which can be ended as a whole. When this process is killed it ends by itself.
    detached: true,
  });
  const end = (): void => {
    try {
      process.kill(-child.pid!, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  };
  let [said, by] = ['', null as string | null];
  for (const stream of [child.stdout!, child.stderr!])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      by ??= failureIn(said);
      if (by !== null) end();
    });
  const timer = setTimeout(() => {
    by ??= 'time-out';
    end();
  }, timeoutMs);
  signal?.addEventListener('abort', end);
  const [exitCode] = (await once(child, 'close')) as [number | null];
  clearTimeout(timer);
  signal?.removeEventListener('abort', end);
  // What a test started may still run: a service, a node.
  end();
  await rm(temporary, { recursive: true, force: true, maxRetries: 9, retryDelay: 200 });
  if (by !== null) return { fate: 'killed', by };
  if (exitCode === 0) return { fate: 'survived', by: '' };
  return { fate: 'invalid', by: said.trim().split('\n').at(-1) ?? '' };
}
