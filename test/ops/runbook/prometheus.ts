import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '../../../src/embedded/free-port.ts';

/** A Prometheus that scrapes one process of the service. */
export interface Prometheus extends AsyncDisposable {
  /** How many series an expression has now: an alert's condition holds while it has any. */
  count(expression: string): Promise<number>;
  /** Waits until the condition holds, or no longer does. @throws Error when it takes too long */
  waitUntil(expression: string, holds: boolean): Promise<void>;
}

const LOOK_MS = 250;
/** On a machine with other work, too, what happens after seconds else may take minutes. */
const MAX_WAIT_MS = 480_000;
/** More than the 3 s after which the service leaves out what it cannot read. */
const SLOW_SCRAPE_SECONDS = 4;

/**
 * Starts the real program with the rules of ops/alerts.yaml, which it checks as it loads them.
 * @param program path, from `findProgram('prometheus', 'prometheus')`
 * @param url of the service
 */
export async function startPrometheus(
  program: string,
  url: string,
  { isSlow = false }: { isSlow?: boolean } = {},
): Promise<Prometheus> {
  const folder = await mkdtemp(path.join(tmpdir(), 'mintmark-prometheus-'));
  const seconds = isSlow ? SLOW_SCRAPE_SECONDS : 1;
  const config = path.join(folder, 'prometheus.yml');
  await writeFile(
    config,
    JSON.stringify({
      global: { scrape_interval: `${seconds}s`, scrape_timeout: `${seconds}s` },
      rule_files: [path.resolve('ops/alerts.yaml')],
      scrape_configs: [{ job_name: 'mintmark', static_configs: [{ targets: [new URL(url).host] }] }],
    }),
  );
  const address = `127.0.0.1:${await findFreePort()}`;
  const child = spawn(
    program,
    [
      `--config.file=${config}`,
      `--storage.tsdb.path=${path.join(folder, 'data')}`,
      `--web.listen-address=${address}`,
    ],
    { stdio: 'ignore' },
  );
  const ended = once(child, 'exit');
  const count = async (expression: string): Promise<number> => {
    const body = new URLSearchParams({ query: expression });
    const response = await fetch(`http://${address}/api/v1/query`, { method: 'POST', body });
    const { data, error } = (await response.json()) as { data?: { result: unknown[] }; error?: string };
    if (!data) throw new Error(`${expression}: ${error}`);
    return data.result.length;
  };
  const prometheus: Prometheus = {
    count,
    waitUntil: async (expression, holds) => {
      const deadline = performance.now() + MAX_WAIT_MS;
      while ((await count(expression)) > 0 !== holds) {
        if (performance.now() > deadline)
          throw new Error(`${expression} ${holds ? 'has no series' : 'still has series'}`);
        await sleep(LOOK_MS);
      }
    },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
  const isUp = (): Promise<boolean> => count('up{job="mintmark"} == 1').then(Boolean, () => false);
  while (!(await isUp())) {
    if (child.exitCode !== null) throw new Error(`Prometheus ended with ${child.exitCode}`);
    await sleep(LOOK_MS);
  }
  return prometheus;
}
