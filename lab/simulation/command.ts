import { createWriteStream } from 'node:fs';
import { Command } from 'commander';
import { simulate } from './simulate.ts';
import type { Outcome } from './simulate.ts';
import { openTemplate } from './template.ts';

const DEFAULT_SEEDS = 1;

/** `npm run simulate`. @param realNow the clock outside of all worlds, in milliseconds */
export async function runCommand(realNow: () => number): Promise<void> {
  const options = new Command('npm run simulate --')
    .description(
      'Runs the service in one process and virtual time, with faults drawn from a seed, and judges what its clients saw by the chain. The same seed is the same run, to the byte.',
    )
    .option('--seed <number>', 'the first seed', Number, 1)
    .option('--seeds <number>', 'how many seeds, one after another', Number, DEFAULT_SEEDS)
    .option('--requests <number>', 'of all clients together', Number, 40)
    .option('--trace <file>', 'writes everything that happens, one line each')
    .option('--log', 'shows the logs of the processes')
    .option('--without <numbers>', 'leaves out some of the drawn faults, by their places')
    .option('--json', 'one line of JSON for each seed')
    .parse()
    .opts<{
      seed: number;
      seeds: number;
      requests: number;
      trace?: string;
      log?: true;
      without?: string;
      json?: true;
    }>();
  const template = await openTemplate();
  const file = options.trace === undefined ? null : createWriteStream(options.trace);
  const without = new Set((options.without ?? '').split(',').filter(Boolean).map(Number));
  for (let seed = options.seed; seed < options.seed + options.seeds; seed += 1) {
    const [cpu, began] = [process.cpuUsage(), realNow()];
    const outcome = await simulate(template, seed, {
      requests: options.requests,
      keep: (_, index) => !without.has(index),
      ...(file && { writeTrace: (line) => void file.write(`${line}\n`) }),
      ...(options.log && { writeLog: (line) => void process.stdout.write(line) }),
    });
    const used = process.cpuUsage(cpu);
    const seconds = { cpu: (used.user + used.system) / 1e6, wall: (realNow() - began) / 1e3 };
    process.stdout.write(
      options.json ? `${JSON.stringify({ ...outcome, seconds })}\n` : present(outcome, seconds),
    );
    if (outcome.violations.length > 0) process.exitCode = 1;
  }
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
