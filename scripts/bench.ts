import { mkdtempDisposable } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { Command, Option } from 'commander';
import { writeBetweenMarks } from '../lab/between-marks.ts';
import { startEmbeddedPostgres } from '../src/embedded/postgres.ts';
import { measureBatches } from './bench/batches.ts';
import { measureBlocks } from './bench/blocks.ts';
import { measureCompare } from './bench/compare.ts';
import { measureConsole } from './bench/console.ts';
import { measureGrowth } from './bench/growth.ts';
import { measureHistory } from './bench/history.ts';
import { measureLone } from './bench/lone.ts';
import { measureMigrations } from './bench/migrations.ts';
import { measureProcesses } from './bench/processes.ts';
import { measureProfile } from './bench/profile.ts';
import { measureQueue } from './bench/queue.ts';
import { measureReads } from './bench/reads.ts';
import type { Settings } from './bench/settings.ts';
import { measureSoak } from './bench/soak.ts';
import { measureSpeed } from './bench/speed.ts';
import { measureStart } from './bench/start.ts';
import { say } from './lib/say.ts';
import { positiveNumber, wholeNumber } from './lib/options.ts';

/** Returns what it measured, as Markdown. */
type Measure = (settings: Settings) => Promise<string>;

/** The parts, each against fresh nodes and databases. */
const parts: Record<string, Measure> = {
  speed: measureSpeed,
  profile: measureProfile,
  processes: measureProcesses,
  reads: measureReads,
  batches: measureBatches,
  blocks: measureBlocks,
  lone: measureLone,
  queue: measureQueue,
  history: measureHistory,
  console: measureConsole,
  migrations: measureMigrations,
  growth: measureGrowth,
  start: measureStart,
  soak: measureSoak,
};

const values = new Command('npm run bench --')
  .description('Measures the service on this machine; takes an hour, as it must have the machine for itself.')
  .option('--quick', 'a tenth of the numbers', false)
  .option('--runs <number>', 'repeats each scenario so often; the median counts', wholeNumber, 1)
  .addOption(new Option('--only <part>', 'one part').choices(Object.keys(parts)))
  .option('--compare <checkout>', 'instead: the speed of this checkout and of another folder, in turns')
  .option('--minutes <number>', 'length of the soak', positiveNumber, 30)
  .option('--write', 'puts what was measured into docs/performance.md', false)
  .parse()
  .opts<{
    quick: boolean;
    runs: number;
    only?: string;
    compare?: string;
    minutes: number;
    write: boolean;
  }>();
const { compare } = values;
const chosen: [name: string, measure: Measure][] =
  compare === undefined
    ? Object.entries(parts).filter(([name]) => (values.only ?? name) === name)
    : [['compare', (settings) => measureCompare(compare, settings)]];

const PAGE = path.join(import.meta.dirname, '../docs/performance.md');

/** Measures the chosen parts on a PostgreSQL of their own. */
async function measureAll(): Promise<void> {
  await using folder = await mkdtempDisposable(path.join(tmpdir(), 'mintmark-bench-'));
  await using postgres = await startEmbeddedPostgres({ dataDir: folder.path, log: () => undefined });
  for (const [name, measure] of chosen) {
    const load = loadavg()[0]!.toFixed(1);
    say(`${name} (load of the machine before: ${load})`);
    const result = await measure({
      postgresUrl: postgres.url,
      scale: values.quick ? 0.1 : 1,
      runs: values.runs,
      minutes: values.minutes,
    });
    const asked = compare === undefined ? `--only ${name}` : '--compare';
    const conditions = `\`npm run bench -- ${asked}${values.quick ? ' --quick' : ''} --runs ${values.runs}\`, ${new Date().toISOString().slice(0, 10)}: ${cpus().length} cores (${cpus()[0]?.model.trim()}), load before ${load}.`;
    const text = `${conditions} ${result}`;
    process.stdout.write(`\n## ${name}\n\n${text}\n`);
    if (values.write) await writeBetweenMarks(PAGE, name, () => text);
  }
}

await measureAll();
process.exit();
