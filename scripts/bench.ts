import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { JsonRpcProvider } from 'ethers';
import { describeSystem } from '../src/chain/system-contracts.ts';
import { query } from '../src/db/client.ts';
import { embeddedAccounts } from '../src/embedded/accounts.ts';
import { startEmbeddedPostgres } from '../src/embedded/postgres.ts';
import { administer, databaseUrl } from '../test/setup/template.ts';
import { inParallel, openAgent, percentile, post } from './bench/load.ts';
import { startAnvilNode, startHardhat } from './bench/nodes.ts';
import type { BenchNode } from './bench/nodes.ts';
import { gasPerMint, mintOverHttp, readCounters, startOwn } from './bench/own.ts';
import { clusterCpuSeconds, cpuSeconds, peakMemory } from './bench/process.ts';
import { deployOwnTokens, preSign, sendRaw } from './bench/raw.ts';
import type { RawWay } from './bench/raw.ts';

/**
 * `npm run bench -- [--quick] [--runs N] [--write]`: ERC-20 mints, the same machine, node and contract for all.
 * `--quick` takes a tenth of the mints. `--write` puts the table into docs/performance.md.
 */
const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    runs: { type: 'string', default: '1' },
    write: { type: 'boolean', default: false },
  },
});
const scale = values.quick ? 0.1 : 1;
const runs = Number(values.runs);

interface Row {
  node: string;
  way: string;
  mints: number;
  perSecond: number;
  answer: string;
  confirmation: string;
  rpcCalls: string;
  roundTrips: string;
  gas: string;
  cpu: string;
  memory: string;
}

const rows: Row[] = [];
const dash = {
  answer: '–',
  confirmation: '–',
  rpcCalls: '–',
  roundTrips: '–',
  gas: '–',
  cpu: '–',
  memory: '–',
};
const say = (text: string): void => void process.stderr.write(`${text}\n`);
const three = (numbers: number[]): string =>
  [0.5, 0.95, 0.99].map((share) => Math.round(percentile(numbers, share))).join(' / ');
const median = (results: Row[]): Row =>
  [...results].sort((a, b) => a.perSecond - b.perSecond)[Math.floor((results.length - 1) / 2)]!;

function add(results: Row[]): void {
  const row = median(results);
  rows.push(row);
  say(`${row.node} | ${row.way}: ${row.perSecond} a second`);
}

async function measureRaw(node: BenchNode, databaseUrl: string): Promise<void> {
  const own = await startOwn(databaseUrl, node.url, 0);
  await own.stop();
  const minters = await deployOwnTokens(node.url, describeSystem(embeddedAccounts[0].address));
  for (const way of ['one after the other', 'in parallel', 'JSON-RPC batches of 100'] as RawWay[]) {
    // One at a time waits for nothing but the node's answer; with 1 s blocks the pool takes them all the same.
    const each = Math.ceil((3_000 * scale) / minters.length);
    const results: Row[] = [];
    for (let run = 0; run < runs; run += 1) {
      const signed = await preSign(node.url, minters, each);
      const seconds = await sendRaw(node.url, minters, signed, way);
      const mints = each * minters.length;
      results.push({
        ...dash,
        node: node.name,
        way: `pre-signed, ${way}`,
        mints,
        perSecond: Math.round(mints / seconds),
      });
    }
    add(results);
  }
}

async function measurePlain(node: BenchNode): Promise<void> {
  const [minter] = await deployOwnTokens(node.url, describeSystem(embeddedAccounts[0].address));
  const script = path.join(import.meta.dirname, 'bench/plain-service.ts');
  const child = spawn(process.execPath, [script, node.url, minter!.wallet.privateKey, minter!.token], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const url = `http://127.0.0.1:${/port (\d+)/.exec(line.toString())?.[1]}/mint`;
  const mints = Math.ceil(1_000 * scale);
  const agent = openAgent(100);
  const provider = new JsonRpcProvider(node.url, undefined, { staticNetwork: true });
  const first = await provider.getTransactionCount(minter!.wallet.address);
  const answers: number[] = [];
  let lost = 0;
  const startedAt = performance.now();
  await inParallel(mints, 100, async () => {
    const reply = await post(agent, url, { owner: minter!.wallet.address, amount: '1' });
    if (reply.status === 202) answers.push(reply.milliseconds);
    else lost += 1;
  });
  let mined = 0;
  let finishedAt = performance.now();
  for (let idle = 0; idle < 60 && mined < mints; idle += 1) {
    const now = (await provider.getTransactionCount(minter!.wallet.address, 'latest')) - first;
    if (now > mined) {
      finishedAt = performance.now();
      idle = 0;
    }
    mined = now;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  provider.destroy();
  agent.destroy();
  child.kill('SIGKILL');
  add([
    {
      ...dash,
      node: node.name,
      way: `Express and ethers, 100 connections${mined < mints || lost > 0 ? ` (${mints - mined} of them never mined)` : ''}`,
      mints: mined,
      perSecond: Math.round((mined * 1_000) / (finishedAt - startedAt)),
      answer: three(answers),
    },
  ]);
}

async function measureOwn(node: BenchNode, databaseUrl: string): Promise<void> {
  const own = await startOwn(databaseUrl, node.url, 20);
  await mintOverHttp(own, { mints: 200, connections: 20, respondAsync: true });
  const [backend] = await query<{ pid: number }>(own.db, 'select pg_backend_pid() as pid');
  const status = await readFile(`/proc/${backend!.pid}/status`, 'utf8');
  const postmaster = Number(/PPid:\s+(\d+)/.exec(status)?.[1]);
  const scenarios = [
    { mints: Math.ceil(200 * scale), connections: 1, respondAsync: true },
    { mints: Math.ceil(2_000 * scale), connections: 10, respondAsync: true },
    { mints: Math.ceil(30_000 * scale), connections: 100, respondAsync: true },
    { mints: Math.ceil(10_000 * scale), connections: 500, respondAsync: true },
    { mints: Math.ceil(60 * scale), connections: 1, respondAsync: false },
    { mints: Math.ceil(3_000 * scale), connections: 100, respondAsync: false },
    { mints: Math.ceil(10_000 * scale), connections: 1_000, respondAsync: false },
  ];
  for (const scenario of scenarios) {
    const results: Row[] = [];
    for (let run = 0; run < runs; run += 1) {
      const cpu = async () =>
        Promise.all([
          cpuSeconds(own.pid),
          cpuSeconds(node.pid),
          clusterCpuSeconds(postmaster),
          cpuSeconds(process.pid),
        ]);
      const [counted, used] = [await readCounters(own.url), await cpu()];
      const result = await mintOverHttp(own, scenario);
      const [countedAfter, usedAfter] = [await readCounters(own.url), await cpu()];
      const each = (after: number, before: number): string => ((after - before) / result.mints).toFixed(3);
      results.push({
        node: node.name,
        way: `Mintmark, ${scenario.respondAsync ? 'asynchronous' : 'synchronous'}, ${scenario.connections} connections`,
        mints: result.mints,
        perSecond: Math.round(result.mints / result.seconds),
        answer: three(result.answers),
        confirmation: three(result.confirmations),
        rpcCalls: each(countedAfter.rpcCalls, counted.rpcCalls),
        roundTrips: each(countedAfter.roundTrips, counted.roundTrips),
        gas: String(await gasPerMint(own.db)),
        cpu: usedAfter.map((after, index) => (after - used[index]!).toFixed(1)).join(' / '),
        memory: String(await peakMemory(own.pid)),
      });
    }
    add(results);
  }
  await own.stop();
}

const columns: [string, (row: Row) => string | number][] = [
  ['Node', (row) => row.node],
  ['Way', (row) => row.way],
  ['Mints', (row) => row.mints],
  ['Confirmed a second', (row) => row.perSecond],
  ['Answer p50 / p95 / p99, ms', (row) => row.answer],
  ['Confirmation p50 / p95 / p99, ms', (row) => row.confirmation],
  ['RPC calls a mint', (row) => row.rpcCalls],
  ['Round trips a mint', (row) => row.roundTrips],
  ['Gas a mint', (row) => row.gas],
  ['CPU s: service / node / database / client', (row) => row.cpu],
  ['Peak MiB', (row) => row.memory],
];

function table(): string {
  const line = (cells: (string | number)[]): string => `| ${cells.join(' | ')} |`;
  return [
    line(columns.map(([name]) => name)),
    line(columns.map(() => '---')),
    ...rows.map((row) => line(columns.map(([, read]) => read(row)))),
  ].join('\n');
}

const dataDir = await mkdtemp(path.join(tmpdir(), 'mintmark-bench-'));
const postgres = await startEmbeddedPostgres({ dataDir, log: () => undefined });
try {
  for (const [index, start] of [startHardhat, startAnvilNode].entries()) {
    const database = (name: string): string => databaseUrl(postgres.url, `${name}_${index}`);
    for (const name of ['raw', 'own']) await administer(postgres.url, `create database ${name}_${index}`);
    const node = await start();
    say(`\n${node.name}`);
    await measureRaw(node, database('raw'));
    await measurePlain(node);
    await node.stop();
    const fresh = await start();
    await measureOwn(fresh, database('own'));
    await fresh.stop();
  }
  const result = `${cpus().length} cores (${cpus()[0]?.model.trim()}), shared by client, service, database and node; ERC-20, existing holders; median of ${runs} run${runs === 1 ? '' : 's'}.\n\n${table()}\n`;
  process.stdout.write(result);
  if (values.write) {
    const file = path.join(import.meta.dirname, '../docs/performance.md');
    const text = await readFile(file, 'utf8');
    const [head, , tail] = text.split(/<!-- (?:begin|end) of the table -->/);
    await writeFile(
      file,
      `${head}<!-- begin of the table -->\n\n${result}\n<!-- end of the table -->${tail}`,
    );
  }
} finally {
  await postgres.stop();
  await rm(dataDir, { recursive: true, force: true });
}
