import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Command } from 'commander';
import { startEmbeddedPostgres } from '../src/embedded/postgres.ts';
import { fuzz } from '../lab/fuzz/run.ts';
import type { FuzzReport } from '../lab/fuzz/run.ts';
import { prepareTemplate } from '../lab/stage/template.ts';
import { wholeNumber } from './lib/options.ts';
import { createProgress } from './lib/progress.ts';

const MAX_FAULTS_SHOWN = 20;

const { count, seed, json } = new Command('npm run fuzz --')
  .description(
    'Sends generated requests, good and bad, to a service of its own, and checks each answer and the database in the end.',
  )
  .option('--count <number>', 'how many requests', wholeNumber, 100_000)
  .option(
    '--seed <number>',
    'the same one makes the same requests again (default: a random one)',
    wholeNumber,
  )
  .option('--json', 'the result for a program')
  .parse()
  .opts<{ count: number; seed?: number; json?: true }>();
const chosenSeed = seed ?? 1 + Math.floor(Math.random() * 999_999_999);

const show = (n: number): string => n.toLocaleString('en');
const listOf = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([name, n]) => `${name}: ${show(n)}`)
    .join(', ');

const render = ({ faults, ...report }: FuzzReport, seconds: number): string =>
  [
    `${show(report.requests)} requests in ${show(Math.round(seconds))} s with --seed ${chosenSeed}, ${show(faults.length)} faults`,
    `Kinds: ${listOf(report.kinds)}`,
    `Statuses (0: no answer to a broken request): ${listOf(report.statuses)}`,
    `Accepted intents: ${show(report.accepted)}`,
    `Rows that no accepted request explains: ${listOf(report.unexplained)}`,
    `Requests to other machines: ${show(report.foreignConnections)}`,
    ...faults.slice(0, MAX_FAULTS_SHOWN).map((fault) => `\n${fault}`),
  ].join('\n');

const progress = createProgress();
await using folder = await mkdtempDisposable(path.join(tmpdir(), 'mintmark-fuzz-'));
await using postgres = await startEmbeddedPostgres({
  dataDir: folder.path,
  data: 'throwaway',
  log: () => undefined,
});
process.env['TEST_DATABASE_URL'] = postgres.url;
await prepareTemplate(postgres.url);
let startedAt: number | undefined;
const secondsSoFar = (): number => (performance.now() - (startedAt ??= performance.now())) / 1_000;
const report = await fuzz({ count, seed: chosenSeed }, ({ requests, faults }) => {
  const rate = Math.round(requests / secondsSoFar());
  progress.report(
    () =>
      `${show(requests)} of ${show(count)} requests, ${show(rate)} a second, ${show(faults.length)} faults`,
  );
});
progress.end();
console.log(json ? JSON.stringify({ seed: chosenSeed, ...report }, null, 2) : render(report, secondsSoFar()));
const unexplained = Object.values(report.unexplained).filter((rows) => rows !== 0);
if (report.faults.length + unexplained.length + report.foreignConnections > 0) process.exitCode = 1;
