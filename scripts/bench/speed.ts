import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { JsonRpcProvider } from 'ethers';
import { describeSystem } from '../../src/chain/system/system-contracts.ts';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import { inParallel } from '../../test/faults/load.ts';
import { administer, databaseUrl } from '../../test/setup/template.ts';
import { median, openAgent, percentile, post } from './load.ts';
import { startAnvilNode, startHardhat } from './nodes.ts';
import type { BenchNode } from './nodes.ts';
import { findPostmaster, gasPerMint, mintOverHttp, readCounters, startOwn } from './own.ts';
import { clusterCpuSeconds, cpuSeconds, peakMemory } from './process.ts';
import { deployOwnTokens, preSign, sendRaw } from './raw.ts';
import type { RawWay } from './raw.ts';
import type { Settings } from './settings.ts';
import { renderTable, say } from './table.ts';
import type { Columns } from './table.ts';

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

const dash = {
  answer: '–',
  confirmation: '–',
  rpcCalls: '–',
  roundTrips: '–',
  gas: '–',
  cpu: '–',
  memory: '–',
};
const three = (numbers: number[]): string =>
  [0.5, 0.95, 0.99].map((share) => Math.round(percentile(numbers, share))).join(' / ');
function report(row: Row): Row {
  say(`  ${row.way}: ${row.perSecond} a second`);
  return row;
}

async function measureRaw(node: BenchNode, databaseUrl: string, { scale, runs }: Settings): Promise<Row[]> {
  const rows: Row[] = [];
  const own = await startOwn(databaseUrl, node.url, 0);
  await own.stop();
  const minters = await deployOwnTokens(node.url, describeSystem(embeddedAccounts[0].address, 0));
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
    rows.push(report(median(results)));
  }
  return rows;
}

async function measurePlain(node: BenchNode, { scale }: Settings): Promise<Row[]> {
  const [minter] = await deployOwnTokens(node.url, describeSystem(embeddedAccounts[0].address, 0));
  const script = path.join(import.meta.dirname, 'plain-service.ts');
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
  return [
    report({
      ...dash,
      node: node.name,
      way: `Express and ethers, 100 connections${mined < mints || lost > 0 ? ` (${mints - mined} of them never mined)` : ''}`,
      mints: mined,
      perSecond: Math.round((mined * 1_000) / (finishedAt - startedAt)),
      answer: three(answers),
    }),
  ];
}

async function measureOwn(node: BenchNode, databaseUrl: string, { scale, runs }: Settings): Promise<Row[]> {
  const rows: Row[] = [];
  const own = await startOwn(databaseUrl, node.url, 20);
  await mintOverHttp(own, { mints: 200, connections: 20, respondAsync: true });
  const postmaster = await findPostmaster(own.db);
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
        gas: String(await gasPerMint(own.db, node.url)),
        cpu: usedAfter.map((after, index) => (after - used[index]!).toFixed(1)).join(' / '),
        memory: String(await peakMemory(own.pid)),
      });
    }
    rows.push(report(median(results)));
  }
  await own.stop();
  return rows;
}

const columns: Columns<Row> = [
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

/** ERC-20 mints in three ways against the same node with the same contract. */
export async function measureSpeed(settings: Settings): Promise<string> {
  const rows: Row[] = [];
  for (const [index, start] of [startHardhat, startAnvilNode].entries()) {
    const [raw, own] = [`raw_${index}`, `own_${index}`];
    for (const name of [raw, own]) await administer(settings.postgresUrl, `create database ${name}`);
    const node = await start();
    say(node.name);
    rows.push(...(await measureRaw(node, databaseUrl(settings.postgresUrl, raw), settings)));
    rows.push(...(await measurePlain(node, settings)));
    await node.stop();
    const fresh = await start();
    rows.push(...(await measureOwn(fresh, databaseUrl(settings.postgresUrl, own), settings)));
    await fresh.stop();
  }
  return `ERC-20, existing holders.\n\n${renderTable(columns, rows)}`;
}
