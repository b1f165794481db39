import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Argument, Command, Option } from 'commander';
import { say } from './bench/table.ts';
import { openContractWorkshop } from './mutants/contract-workshop.ts';
import { MIN_SCORES, MUTANTS } from './mutants/list.ts';
import { applyMutant, flatten } from './mutants/mutant.ts';
import type { NamedMutant } from './mutants/mutant.ts';
import { percent, readOutcome, reportOf, scoreOf } from './mutants/outcome.ts';
import type { Outcome } from './mutants/outcome.ts';
import { openWorkshop } from './mutants/workshop.ts';
import type { Workshop } from './mutants/workshop.ts';
import { positiveNumber, wholeNumber } from './options.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
/** A mutant may take so many times what its suites take without it, and a while more: a test that fails is often slow. */
const TIMEOUT_FACTOR = 3;
const TIMEOUT_EXTRA_MS = 60_000;
const CLEAN_TIMEOUT_MS = 1_800_000;

interface Options {
  only?: string[];
  list: boolean;
  json: boolean;
  parallel: number;
  atLeast?: number;
}

const command = new Command('npm run mutants --')
  .description(
    'Breaks the code in ways that are listed in scripts/mutants, one at a time and in a copy, and lists those that no test notices.',
  )
  .addArgument(new Argument('<folder>', 'whose mutants').choices(Object.keys(MUTANTS)))
  .option('--only <names...>', 'mutants or areas by name; all of them otherwise')
  .option('--list', 'names the mutants and runs none', false)
  .option('--json', 'prints the outcomes as JSON on standard output', false)
  .option('--parallel <number>', 'so many at a time', wholeNumber, 2)
  .addOption(
    new Option('--at-least <percent>', 'ends with code 1 below this score; 95 for contracts').argParser(
      positiveNumber,
    ),
  )
  .parse();

const folder = command.args[0]!;
const chosen = choose(folder, command.opts<Options>().only);
const { list, json, parallel, atLeast = MIN_SCORES[folder] } = command.opts<Options>();
if (list) for (const { area, name, file } of chosen) process.stdout.write(`${area}: ${name} (${file})\n`);
else await main();

function choose(folder: string, only: readonly string[] | undefined): NamedMutant[] {
  const all = flatten(MUTANTS[folder]!);
  if (!only) return all;
  const isWanted = ({ name, area }: NamedMutant, wanted: string): boolean =>
    [name, area].includes(wanted) || area.startsWith(`${wanted}/`);
  const unknown = only.filter((wanted) => !all.some((mutant) => isWanted(mutant, wanted)));
  if (unknown.length > 0)
    command.error(
      `There is no mutant and no area "${unknown.join('", "')}"; --list names them, areas are ${Object.keys(MUTANTS[folder]!).join(', ')}.`,
    );
  return all.filter((mutant) => only.some((wanted) => isWanted(mutant, wanted)));
}

/** Why mutants cannot be run: the code or the tests have gone on without them. */
function findStale(mutants: readonly NamedMutant[]): string[] {
  return mutants.flatMap((mutant) => {
    const missing = [mutant.file, ...mutant.suites].find((file) => !existsSync(path.join(ROOT, file)));
    if (missing) return [`stale: ${mutant.name}: there is no ${missing}`];
    try {
      applyMutant(mutant, readFileSync(path.join(ROOT, mutant.file), 'utf8'));
      return [];
    } catch (error) {
      return [`stale: ${mutant.name}: ${(error as Error).message} in ${mutant.file}`];
    }
  });
}

async function main(): Promise<void> {
  const stale = findStale(chosen);
  if (stale.length > 0) command.error(stale.join('\n'));
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => interrupted.abort());
  const { signal } = interrupted;
  await using workshops = new AsyncDisposableStack();
  const crews = await Promise.all(
    Array.from({ length: Math.min(parallel, chosen.length) }, async () =>
      workshops.use(await (folder === 'contracts' ? openContractWorkshop : openWorkshop)(signal)),
    ),
  );
  const times = await runClean(crews, signal);
  const outcomes = await runMutants(crews, times, signal);
  if (signal.aborted) throw new Error('Interrupted');
  conclude(outcomes);
}

/** Lets each workshop take the next piece of work as soon as it is free. */
async function share<Item>(
  crews: readonly Workshop[],
  items: readonly Item[],
  signal: AbortSignal,
  work: (workshop: Workshop, item: Item) => Promise<void>,
): Promise<void> {
  const left = [...items];
  await Promise.all(
    crews.map(async (workshop) => {
      for (let item = left.shift(); item !== undefined && !signal.aborted; item = left.shift())
        await work(workshop, item);
    }),
  );
}

/** Milliseconds that each suite takes without a mutant. @throws Error when one fails: then it could notice nothing */
async function runClean(crews: readonly Workshop[], signal: AbortSignal): Promise<Map<string, number>> {
  const suites = [...new Set(chosen.flatMap((mutant) => mutant.suites))];
  const times = new Map<string, number>();
  const failures: string[] = [];
  say(`${suites.length} test files without a mutant`);
  await share(crews, suites, signal, async (workshop, suite) => {
    const startedAt = performance.now();
    const run = await workshop.runClean([suite], CLEAN_TIMEOUT_MS);
    times.set(suite, performance.now() - startedAt);
    failures.push(
      ...run.failures.map((failed) => `${failed.suite}: ${failed.test}`),
      ...run.broken.map((broken) => `${broken.suite}: ${broken.reason}`),
    );
    if (run.exitCode !== 0 && run.failures.length + run.broken.length === 0)
      failures.push(`${suite}: the run ended with ${run.exitCode}: ${run.said}`);
  });
  if (failures.length > 0 && !signal.aborted)
    throw new Error(`Without a mutant these tests fail:\n${failures.join('\n')}`);
  return times;
}

async function runMutants(
  crews: readonly Workshop[],
  times: ReadonlyMap<string, number>,
  signal: AbortSignal,
): Promise<Outcome[]> {
  const outcomes = new Map<NamedMutant, Outcome>();
  await share(crews, chosen, signal, async (workshop, mutant) => {
    const cleanMs = mutant.suites.reduce((sum, suite) => sum + (times.get(suite) ?? 0), 0);
    const startedAt = performance.now();
    const run = await workshop.runMutant(mutant, TIMEOUT_FACTOR * cleanMs + TIMEOUT_EXTRA_MS);
    if (signal.aborted) return;
    const outcome = readOutcome(mutant, run, Math.round((performance.now() - startedAt) / 1_000));
    outcomes.set(mutant, outcome);
    const { fate, area, name, by, seconds } = outcome;
    const number = `${outcomes.size}/${chosen.length}`;
    say(`${number} ${fate} in ${seconds} s: ${area}: ${name}${by === null ? '' : ` (${by})`}`);
  });
  return chosen.flatMap((mutant) => outcomes.get(mutant) ?? []);
}

function conclude(outcomes: readonly Outcome[]): void {
  const score = scoreOf(outcomes);
  process.stdout.write(
    json ? `${JSON.stringify({ score, outcomes }, null, 2)}\n` : `\n${reportOf(outcomes)}\n`,
  );
  if (outcomes.some(({ fate }) => fate === 'invalid')) process.exitCode = 1;
  if (atLeast !== undefined && score < atLeast) {
    say(`The score is ${percent(score)}, below ${percent(atLeast)}.`);
    process.exitCode = 1;
  }
}
