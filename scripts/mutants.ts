import { readFileSync } from 'node:fs';
import { copyFile, mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Argument, Command } from 'commander';
import { say } from './lib/say.ts';
import { copyTree } from '../lab/stage/copy-tree.ts';
import { applyMutant, LISTS, readMutants } from './mutants/mutant.ts';
import type { List, Mutant } from './mutants/mutant.ts';
import { runSuite } from './mutants/run.ts';
import type { Outcome } from './mutants/run.ts';
import { wholeNumber } from './lib/options.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
/**
 * A mutant may take so many times what its tests take without it, and a while more: a test that fails is often slow.
 */
const TIMEOUT_FACTOR = 3;
const TIMEOUT_EXTRA_MS = 60_000;
const CLEAN_TIMEOUT_MS = 1_800_000;

interface Options {
  only: string[];
  list: boolean;
  parallel: number;
}

const command = new Command('npm run mutants --')
  .description(
    'Breaks the code in the ways of scripts/mutants, one at a time and in a copy, and lists those that no test notices.',
  )
  .addArgument(new Argument('[lists...]', 'which of the lists, all by default').choices(LISTS))
  .option('--only <words...>', 'mutants with one of these words in their name or file', [])
  .option('--list', 'names the mutants and runs none', false)
  .option('--parallel <number>', 'so many at a time', wholeNumber, 2)
  .parse();

const { only, list: isListed, parallel } = command.opts<Options>();
const chosen = ((command.args.length > 0 ? command.args : LISTS) as readonly List[])
  .flatMap((list) => readMutants(list))
  .filter(
    ({ name, places }) =>
      only.length === 0 ||
      only.some((word) => name.includes(word) || places.some(({ file }) => file.includes(word))),
  );
if (chosen.length === 0) command.error('There is no such mutant; --list names them.');
if (isListed) for (const mutant of chosen) process.stdout.write(`${nameOf(mutant)}\n`);
else await main();

async function main(): Promise<void> {
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => interrupted.abort());
  const { signal } = interrupted;
  // All mutants of a test file one after the other in one copy, after the file has run there once without any.
  const suites = Map.groupBy(chosen, ({ suite }) => suite);
  const left = [...suites];
  const counts = { killed: 0, survived: 0, invalid: 0 };
  await Promise.all(
    Array.from({ length: Math.min(parallel, left.length) }, async () => {
      await using folder = await mkdtempDisposable(path.join(tmpdir(), 'mintmark-mutants-'));
      const tree = path.join(folder.path, 'tree');
      await mkdir(tree);
      await copyTree(tree);
      for (let next = left.shift(); next && !signal.aborted; next = left.shift())
        for await (const { mutant, fate, by, seconds } of runMutants(tree, ...next, signal)) {
          counts[fate] += 1;
          say(`${fate} in ${seconds} s: ${nameOf(mutant)}${by && `: ${by}`}`);
        }
    }),
  );
  if (signal.aborted) throw new Error('Interrupted');
  say(
    `${chosen.length} mutants: ${counts.killed} killed, ${counts.survived} survived, ${counts.invalid} invalid`,
  );
  if (counts.killed < chosen.length) process.exitCode = 1;
}

function nameOf({ list, name, places }: Mutant): string {
  return `${list}: ${name} (${[...new Set(places.map(({ file }) => file))].join()})`;
}

async function* runMutants(tree: string, suite: string, mutants: readonly Mutant[], signal: AbortSignal) {
  const clean = await timed(() => runSuite({ tree, suite, timeoutMs: CLEAN_TIMEOUT_MS, signal }));
  if (signal.aborted) return;
  if (clean.fate !== 'survived') throw new Error(`Without a mutant ${suite} is not good: ${clean.by}`);
  const timeoutMs = TIMEOUT_FACTOR * clean.seconds * 1_000 + TIMEOUT_EXTRA_MS;
  for (const mutant of mutants) {
    const changed = applyMutant(mutant, (file) => readFileSync(path.join(ROOT, file), 'utf8'));
    for (const [file, text] of changed) await writeFile(path.join(tree, file), text);
    const outcome = await timed(() => runSuite({ tree, suite, timeoutMs, signal }));
    for (const file of changed.keys()) await copyFile(path.join(ROOT, file), path.join(tree, file));
    if (signal.aborted) return;
    yield { mutant, ...outcome };
  }
}

async function timed(run: () => Promise<Outcome>): Promise<Outcome & { seconds: number }> {
  const startedAt = performance.now();
  const outcome = await run();
  return { ...outcome, seconds: Math.round((performance.now() - startedAt) / 1_000) };
}
