import { startAnvil } from '../../lab/stage/anvil.ts';
import { administer, databaseUrl } from '../../lab/stage/template.ts';
import { mintOverHttp, readCounters, startOwn } from './own.ts';
import { three } from './scenario.ts';
import type { Settings } from './settings.ts';
import { renderTable, say } from './table.ts';

/** A local chain may make blocks for transactions alone, so that no gap is learnt there. */
const SEPOLIA = 11155111;

interface Row {
  blockSeconds: number;
  mints: number;
  answer: string;
  rpcCalls: string;
  roundTrips: string;
}

/** What one client costs that mints, waits for the answer, and mints again: it pays for all looks at the chain alone. */
export async function measureLone({ postgresUrl, scale }: Settings): Promise<string> {
  const rows: Row[] = [];
  for (const [blockSeconds, count] of [
    [1, 60],
    [2, 30],
    [12, 10],
  ] as const) {
    const database = `lone_${blockSeconds}`;
    await administer(postgresUrl, `create database ${database}`);
    const node = await startAnvil({ blockTimeSeconds: blockSeconds, chainId: SEPOLIA });
    const own = await startOwn(databaseUrl(postgresUrl, database), node.url, 1);
    const load = { connections: 1, respondAsync: false };
    // The gap between blocks is learnt.
    await mintOverHttp(own, { mints: 10, ...load });
    const counted = await readCounters(own.url);
    const { mints, answers } = await mintOverHttp(own, { mints: Math.ceil(count * scale), ...load });
    const after = await readCounters(own.url);
    const each = (name: keyof typeof after): string => ((after[name] - counted[name]) / mints).toFixed(1);
    const row = {
      blockSeconds,
      mints,
      answer: three(answers),
      rpcCalls: each('rpcCalls'),
      roundTrips: each('roundTrips'),
    };
    say(`  ${blockSeconds} s blocks: ${row.rpcCalls} RPC calls and ${row.roundTrips} round trips a mint`);
    rows.push(row);
    await own.stop();
    await node.stop();
  }
  return `anvil, one client, synchronous mints one after the other.\n\n${renderTable(
    [
      ['Blocks every, s', (row) => row.blockSeconds],
      ['Mints', (row) => row.mints],
      ['Answer p50 / p95 / p99, ms', (row) => row.answer],
      ['RPC calls a mint', (row) => row.rpcCalls],
      ['Round trips a mint', (row) => row.roundTrips],
    ],
    rows,
  )}`;
}
