import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { inParallel } from '../../lab/load/load.ts';
import { administer, databaseUrl } from '../../lab/stage/template.ts';
import { get, median, openAgent, percentile } from '../../lab/load/http.ts';
import { startAnvilNode } from './nodes.ts';
import { findPostmaster, startOwn } from './own.ts';
import { clusterCpuSeconds, cpuSeconds } from './process.ts';
import type { Settings } from './settings.ts';
import { say } from '../lib/say.ts';
import { renderTable } from './table.ts';

interface Row {
  way: string;
  perSecond: number;
  p50: string;
  p99: string;
  /** CPU microseconds a request, of the process and of the database. */
  cpu: string;
}

const CONNECTIONS = 50;

/** `GET /tokens/{address}` against a bare Express route that returns a constant behind the same validator. */
export async function measureReads({ postgresUrl, scale, runs }: Settings): Promise<string> {
  await administer(postgresUrl, 'create database reads');
  const node = await startAnvilNode();
  const own = await startOwn(databaseUrl(postgresUrl, 'reads'), node.url, 1);
  const [{ token, address }] = own.tokens as [(typeof own.tokens)[number]];
  const bare = spawn(process.execPath, [path.join(import.meta.dirname, 'bare-service.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_ENV: 'production' },
  });
  const [line] = (await once(bare.stdout, 'data')) as [Buffer];
  const bareUrl = `http://127.0.0.1:${/port (\d+)/.exec(line.toString())?.[1]}`;

  const postmaster = await findPostmaster(own.db);
  const requests = Math.ceil(20_000 * scale);
  const measure = async (way: string, url: string, pid: number): Promise<Row> => {
    const agent = openAgent(CONNECTIONS);
    const milliseconds: number[] = [];
    const cpu = async () => [await cpuSeconds(pid), await clusterCpuSeconds(postmaster)];
    const before = await cpu();
    const startedAt = performance.now();
    await inParallel(requests, CONNECTIONS, async () => {
      const reply = await get(agent, `${url}/tokens/${address}`, { Authorization: `Bearer ${token}` });
      if (reply.status !== 200) throw new Error(`${reply.status} ${reply.body}`);
      milliseconds.push(reply.milliseconds);
    });
    agent.destroy();
    const perSecond = Math.round((requests * 1_000) / (performance.now() - startedAt));
    const used = (await cpu()).map((after, index) => ((after - before[index]!) * 1_000_000) / requests);
    return {
      way,
      perSecond,
      cpu: used.map((each) => each.toFixed(0)).join(' / '),
      p50: percentile(milliseconds, 0.5).toFixed(1),
      p99: percentile(milliseconds, 0.99).toFixed(1),
    };
  };

  const rows: Row[] = [];
  for (const [way, url, pid] of [
    ['bare Express route', bareUrl, bare.pid!],
    ['Mintmark', own.url, own.pid],
  ] as const) {
    await measure(way, url, pid);
    const results: Row[] = [];
    for (let run = 0; run < runs; run += 1) results.push(await measure(way, url, pid));
    const row = median(results);
    say(`  ${way}: ${row.perSecond} a second`);
    rows.push(row);
  }
  bare.kill();
  await own.stop();
  await node.stop();
  return `\`GET /tokens/{address}\` at ${CONNECTIONS} connections, 1 s blocks.\n\n${renderTable(
    [
      ['Way', (row) => row.way],
      ['Requests a second', (row) => row.perSecond],
      ['p50, ms', (row) => row.p50],
      ['p99, ms', (row) => row.p99],
      ['CPU µs: process / database', (row) => row.cpu],
    ],
    rows,
  )}`;
}
