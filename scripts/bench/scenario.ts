import { findPostmaster, gasPerMint, mintOverHttp, readCounters } from './own.ts';
import type { Load, OwnService } from './own.ts';
import { percentile } from '../../lab/load/http.ts';
import type { BenchNode } from './nodes.ts';
import { clusterCpuSeconds, cpuSeconds, peakMemory } from './process.ts';
import { say } from '../lib/say.ts';
import type { Columns } from './table.ts';

/** A line of a table of speed. */
export interface SpeedRow {
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

export const SPEED_COLUMNS: Columns<SpeedRow> = [
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

/** @param scale share of the full numbers */
export const scenariosAt = (scale: number): Load[] => [
  { mints: Math.ceil(200 * scale), connections: 1, respondAsync: true },
  { mints: Math.ceil(2_000 * scale), connections: 10, respondAsync: true },
  { mints: Math.ceil(30_000 * scale), connections: 100, respondAsync: true },
  { mints: Math.ceil(10_000 * scale), connections: 500, respondAsync: true },
  { mints: Math.ceil(60 * scale), connections: 1, respondAsync: false },
  { mints: Math.ceil(3_000 * scale), connections: 100, respondAsync: false },
  { mints: Math.ceil(10_000 * scale), connections: 1_000, respondAsync: false },
];

/** p50, p95 and p99. */
export const three = (numbers: number[]): string =>
  [0.5, 0.95, 0.99].map((share) => Math.round(percentile(numbers, share))).join(' / ');

export function report(row: SpeedRow): SpeedRow {
  say(`  ${row.way}: ${row.perSecond} a second`);
  return row;
}

/** Mints before anything is measured, so that holders exist and code is compiled. */
export async function warmUp(own: OwnService): Promise<void> {
  await mintOverHttp(own, { mints: 200, connections: 20, respondAsync: true });
}

/** One run of a scenario against a service that is warm. @param name of the service, in the table */
export async function measureScenario(
  own: OwnService,
  node: BenchNode,
  name: string,
  scenario: Load,
): Promise<SpeedRow> {
  const postmaster = await findPostmaster(own.db);
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
  return {
    node: node.name,
    way: `${name}, ${scenario.respondAsync ? 'asynchronous' : 'synchronous'}, ${scenario.connections} connections`,
    mints: result.mints,
    perSecond: Math.round(result.mints / result.seconds),
    answer: three(result.answers),
    confirmation: three(result.confirmations),
    rpcCalls: each(countedAfter.rpcCalls, counted.rpcCalls),
    roundTrips: each(countedAfter.roundTrips, counted.roundTrips),
    gas: String(await gasPerMint(own.db, node.url)),
    cpu: usedAfter.map((after, index) => (after - used[index]!).toFixed(1)).join(' / '),
    memory: String(await peakMemory(own.pid)),
  };
}
