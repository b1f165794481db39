import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** What one line of `npm run simulate -- --json` says. */
export interface SeedOutcome {
  seed: number;
  violations: { rule: string; subject: string; detail: string }[];
  digest: string;
  requests: number;
}

const run = promisify(execFile);

/** Runs seeds in a process of their own, since a simulation stands in the place of Node's clocks. */
export async function runSeeds(...options: readonly string[]): Promise<SeedOutcome[]> {
  const given = ['lab/simulation/main.ts', '--json', ...options];
  const { stdout } = await run(process.execPath, given, { maxBuffer: 2 ** 26 }).catch(
    // It ends with 1 when there are violations, which the caller looks at.
    (error: { code?: number; stdout?: string }) => {
      if (error.code !== 1 || !error.stdout) throw error;
      return { stdout: error.stdout };
    },
  );
  return stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as SeedOutcome);
}
