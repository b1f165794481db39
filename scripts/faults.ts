import { randomInt } from 'node:crypto';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Command, Option } from 'commander';
import { startEmbeddedPostgres } from '../src/embedded/postgres.ts';
import { prepareTemplate } from '../lab/stage/template.ts';
import { flawsOf, rowOf, runOf, say, tableOf, writeRows } from '../lab/faults/outcome.ts';
import { FAULTS, MAY_FAIL } from '../lab/faults/rows.ts';
import { MAX_SEED } from '../lab/random.ts';
import { positiveNumber, someOf, wholeNumber } from './lib/options.ts';

const names = Object.keys(FAULTS);

const {
  scale,
  only = names,
  seed,
  write,
} = new Command('npm run faults --')
  .description(
    'Makes every fault against services of its own, and judges each run by the chain; takes hours in full. The seed is printed: with --seed the same faults come again in the same order.',
  )
  .option(
    '--scale <number>',
    'multiplies the full numbers; below 0.5, long faults are short',
    positiveNumber,
    1,
  )
  .option('--only <names>', `some of ${names.join(', ')}`, someOf('fault', names))
  .addOption(
    new Option('--seed <number>', 'of all random choices')
      .env('SEED')
      .argParser(wholeNumber)
      .default(randomInt(1, MAX_SEED), 'drawn, and printed'),
  )
  .option('--write', 'puts what ran into the table of docs/reliability.md')
  .parse()
  .opts<{ scale: number; only?: string[]; seed: number; write?: true }>();

/** Runs the chosen faults on a PostgreSQL of their own. */
async function runAll(): Promise<void> {
  await using folder = await mkdtempDisposable(path.join(tmpdir(), 'mintmark-faults-'));
  await using postgres = await startEmbeddedPostgres({ dataDir: folder.path, log: () => undefined });
  process.env['TEST_DATABASE_URL'] = postgres.url;
  await prepareTemplate(postgres.url);
  const rows = new Map<string, string>();
  for (const name of only) {
    say(name);
    const outcome = await FAULTS[name]!(runOf(seed, name, scale)).catch(say);
    // A run that failed is not measured; the others go on.
    if (!outcome) {
      process.exitCode = 1;
      continue;
    }
    const mayFail = MAY_FAIL[name];
    const row = rowOf(name, outcome, { scale, seed, mayFail });
    rows.set(name, row);
    say(row);
    if (flawsOf(outcome, mayFail).length > 0) process.exitCode = 1;
    if (write) {
      const document = path.join(import.meta.dirname, '../docs/reliability.md');
      await writeRows(document, rows, names);
    }
  }
  process.stdout.write(`${tableOf([...rows.values()])}\n`);
}

say(`seed ${seed}`);
await runAll();
process.exit();
