import { mkdtempDisposable } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { Command, Option } from 'commander';
import { startEmbeddedPostgres } from '../src/embedded/postgres.ts';
import { prepareTemplate } from '../lab/stage/template.ts';
import { writeBetweenMarks } from '../lab/between-marks.ts';
import { isHeld, reportOf, tableOf } from './abuse/outcome.ts';
import type { Result } from './abuse/outcome.ts';
import { ATTACKS } from './abuse/rows.ts';
import { say } from './lib/say.ts';
import { someOf } from './lib/options.ts';

const names = Object.keys(ATTACKS);

const {
  only = names,
  json,
  write,
} = new Command('npm run abuse --')
  .description(
    'Makes each attack against a service of its own, and measures what others pay for it: before the attack, and during it. Takes about ten minutes, and the machine for itself. Ends with 1 when a bound does not hold.',
  )
  .option('--only <names>', `some of ${names.join(', ')}`, someOf('attack', names))
  .option('--json', 'prints the results for programs')
  .addOption(new Option('--write', 'puts the results of all attacks into docs/security.md').conflicts('only'))
  .parse()
  .opts<{ only?: string[]; json?: true; write?: true }>();

/** Makes the chosen attacks on a PostgreSQL of their own. */
async function runAll(): Promise<void> {
  await using folder = await mkdtempDisposable(path.join(tmpdir(), 'mintmark-abuse-'));
  await using postgres = await startEmbeddedPostgres({ dataDir: folder.path, log: () => undefined });
  process.env['TEST_DATABASE_URL'] = postgres.url;
  await prepareTemplate(postgres.url);
  const load = loadavg()[0]!.toFixed(1);
  const results: Result[] = [];
  for (const attack of only) {
    say(attack);
    const outcome = await ATTACKS[attack]!().catch((error: unknown) => say(String(error)));
    // An attack that could not be made is not measured; the others go on.
    if (!outcome) {
      process.exitCode = 1;
      continue;
    }
    if (!isHeld(outcome)) process.exitCode = 1;
    results.push({ attack, ...outcome });
    say(tableOf(results.slice(-1)));
  }
  const text = `${new Date().toISOString().slice(0, 10)}, ${cpus().length} cores (${cpus()[0]?.model.trim()}), load before ${load}.\n\n${tableOf(results)}`;
  process.stdout.write(`${json ? reportOf(results) : text}\n`);
  if (write)
    await writeBetweenMarks(path.join(import.meta.dirname, '../docs/security.md'), 'abuse', () => text);
}

await runAll();
process.exit();
