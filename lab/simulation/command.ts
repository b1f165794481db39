import { openSync, writeSync } from 'node:fs';
import { Command } from 'commander';
import { StoppedAt } from './scheduler.ts';
import { simulate } from './simulate.ts';
import type { Outcome, RunOptions } from './simulate.ts';
import { openTemplate } from './template.ts';
import type { Template } from './template.ts';

interface Options {
  seed: number;
  seeds: number;
  requests: number;
  until?: number;
  trace?: string;
  log?: true;
  without: number[];
  json?: true;
  templateOf?: string;
}

const places = (text: string): number[] => text.split(',').map(Number);

function readOptions(): Options {
  return new Command('npm run simulate --')
    .description(
      'Runs the service in one process and virtual time, with faults drawn from a seed, and judges what its clients saw by the chain. The same seed is the same run, to the byte.',
    )
    .option('--seed <number>', 'the first seed', Number, 1)
    .option('--seeds <number>', 'how many seeds, one after another', Number, 1)
    .option('--requests <number>', 'of all clients together', Number, 40)
    .option('--until <event>', 'ends the run there', Number)
    .option('--trace <file>', 'writes everything that happens, one line each')
    .option('--log', 'shows the logs of the processes')
    .option('--without <places>', 'leaves out some of the drawn faults, from 0 on', places, [])
    .option('--json', 'one line of JSON for each seed')
    .option('--template-of <folder>', 'begins where the service of other sources has led, a sound one')
    .parse()
    .opts<Options>();
}

/** `npm run simulate`. @param realNow the clock outside of all worlds, in milliseconds */
export async function runCommand(realNow: () => number): Promise<void> {
  const options = readOptions();
  const { seed: first, seeds, requests, without, until, json } = options;
  const template = await openTemplate(options.templateOf);
  const file = options.trace === undefined ? null : openSync(options.trace, 'w');
  const common: RunOptions = {
    ...(until !== undefined && { untilEvent: until }),
    ...(file !== null && { writeTrace: (line) => void writeSync(file, `${line}\n`) }),
    ...(options.log && { writeLog: (line) => void process.stdout.write(line) }),
  };
  for (let seed = first; seed < first + seeds; seed += 1) {
    const [cpu, began] = [process.cpuUsage(), realNow()];
    const outcome = await runOne(template, { seed, requests, without }, common);
    if (!outcome) continue;
    const used = process.cpuUsage(cpu);
    const seconds = { cpu: (used.user + used.system) / 1e6, wall: (realNow() - began) / 1e3 };
    process.stdout.write(json ? `${JSON.stringify({ ...outcome, seconds })}\n` : present(outcome, seconds));
    if (outcome.violations.length === 0) continue;
    process.exitCode = 1;
    if (!json) process.stdout.write(`${await shorten(template, { seed, requests, without })}\n`);
  }
}

/** What decides a run. */
interface Choice {
  seed: number;
  requests: number;
  without: readonly number[];
}

/** Null when the run was ended before. */
async function runOne(template: Template, choice: Choice, common: RunOptions): Promise<Outcome | null> {
  const { seed, requests, without } = choice;
  const keep: RunOptions['keep'] = (_, place) => !without.includes(place);
  try {
    return await simulate(template, seed, { ...common, requests, keep });
  } catch (error) {
    if (!(error instanceof StoppedAt)) throw error;
    process.stdout.write(`seed ${seed} ended at ${error.message}\n`);
    return null;
  }
}

/**
 * The shortest history of the seed that still has a violation, as the command that runs it: fewer faults, then fewer
 * requests.
 */
async function shorten(template: Template, choice: Choice): Promise<string> {
  const fails = async (shorter: Choice): Promise<boolean> =>
    (await runOne(template, shorter, {}))!.violations.length > 0;
  let shortest = choice;
  const { faults } = (await runOne(template, { ...choice, without: [] }, {}))!;
  for (const place of faults.keys()) {
    const shorter = { ...shortest, without: [...new Set([...shortest.without, place])] };
    if (await fails(shorter)) shortest = shorter;
  }
  for (let requests = Math.ceil(shortest.requests / 2); requests < shortest.requests;) {
    const shorter = { ...shortest, requests };
    if (!(await fails(shorter))) break;
    shortest = shorter;
    requests = Math.ceil(requests / 2);
  }
  const without = shortest.without.length > 0 ? ` --without ${shortest.without.join()}` : '';
  return `  shortest: npm run simulate -- --seed ${shortest.seed} --requests ${shortest.requests}${without}`;
}

function present(outcome: Outcome, { cpu, wall }: { cpu: number; wall: number }): string {
  const { seed, requests, faults, violations, digest, events, statements, took } = outcome;
  const shown = faults.map(({ kind, at, lastMs }) => `${kind} at ${at} for ${lastMs} ms`).join('; ');
  const lines = violations.map(({ rule, subject, detail }) => `  VIOLATION ${rule}: ${subject}: ${detail}`);
  return [
    `seed ${seed}: ${requests} requests, ${violations.length} violations, ${digest.slice(0, 16)}; ` +
      `${(took / 1_000).toFixed(0)} virtual s, ${events} events, ${statements} statements, ` +
      `${cpu.toFixed(2)} s of CPU in ${wall.toFixed(2)} s; ${shown}`,
    ...lines,
    '',
  ].join('\n');
}
