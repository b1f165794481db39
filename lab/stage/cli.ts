import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { runProgram } from '../../src/admin/program.ts';
import { bareEnvironment } from './bare-environment.ts';

export interface Run {
  code: number | null;
  stdout: string;
  stderr: string;
}

type Environment = Record<string, string>;
type Runner = (environment: Environment, args: readonly string[]) => Promise<Run>;

/** The real command, in a process of its own. */
export async function runAsProcess(environment: Environment, args: readonly string[]): Promise<Run> {
  const script = path.join(import.meta.dirname, '../../scripts/admin.ts');
  const child = spawn(process.execPath, [script, ...args], {
    env: { ...bareEnvironment(), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
}

/** The same in this process: another one needs a second to load its modules. */
async function runHere(environment: Environment, args: readonly string[]): Promise<Run> {
  let [stdout, stderr] = ['', ''];
  const code = await runProgram(args, {
    env: environment,
    write: (text) => (stdout += text),
    writeError: (text) => (stderr += text),
    input: Readable.from([]),
  });
  return { code, stdout, stderr };
}

/** Runs commands with nothing in their environment but what is given. */
export function createCli(environment: Environment, runner: Runner = runHere) {
  const run = async (...args: string[]): Promise<Run> => {
    const ran = await runner(environment, args);
    // Nothing was done: on a busy machine no connection to the database had opened in time, or a block came in between.
    return /timeout expired|has just changed/.test(ran.stderr) ? run(...args) : ran;
  };
  return {
    run,
    /** Runs a command that succeeds, and answers what it says to people. */
    say: async (...args: string[]): Promise<string> => {
      const { code, stdout, stderr } = await run(...args);
      if (code !== 0 || stderr !== '') throw new Error(`${args.join(' ')} ended with ${code}: ${stderr}`);
      return stdout;
    },
    /** Likewise with `--json`. */
    ask: async <Answer>(...args: string[]): Promise<Answer> => {
      const { code, stdout, stderr } = await run(...args, '--json');
      if (code !== 0 || stderr !== '') throw new Error(`${args.join(' ')} ended with ${code}: ${stderr}`);
      return JSON.parse(stdout) as Answer;
    },
    /** Runs a command that fails, and answers its one sentence. */
    refuse: async (...args: string[]): Promise<string> => {
      const { code, stdout, stderr } = await run(...args);
      if (code !== 1 || stdout !== '' || stderr.trimEnd().includes('\n')) {
        throw new Error(`${args.join(' ')} ended with ${code}: ${stdout}${stderr}`);
      }
      return stderr.trimEnd();
    },
  };
}

/** A lane changes hands by itself after a busy moment: asks until the lane of the first signer is held. */
export async function askForHeldLane(cli: ReturnType<typeof createCli>): Promise<SignerStatus[]> {
  for (let look = 0; ; look += 1) {
    const status = await cli.ask<SignerStatus[]>('signers', 'status');
    if (status[0]?.lane?.isHeld || look === 300) return status;
    await sleep(100);
  }
}

export interface SignerStatus {
  address: string;
  configured: boolean;
  executor: boolean;
  /** Wei, as digits. */
  balance: string;
  nonceOnChain: number;
  lane: { nextNonce: number; isHeld: boolean; openTransactions: number; contracts: number } | null;
}
