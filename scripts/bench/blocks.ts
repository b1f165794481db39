import { startAnvil } from '../../lab/stage/anvil.ts';
import type { Anvil } from '../../lab/stage/anvil.ts';
import { administer, databaseUrl } from '../../lab/stage/template.ts';
import { percentile } from '../../lab/load/http.ts';
import { mintOverHttp, startOwn } from './own.ts';
import { warmUp } from './scenario.ts';
import type { Settings } from './settings.ts';
import { say } from '../lib/say.ts';
import { renderTable } from './table.ts';

interface Row {
  type: string;
  mints: number;
  perSecond: number;
  blocks: number;
  least: string;
  median: string;
  mintsABlock: number;
}

interface Block {
  gasUsed: string;
  gasLimit: string;
}

/** How full blocks of a common size are while there is a queue: 30 M gas every 2 s, which the service cannot change. */
export async function measureBlocks({ postgresUrl, scale }: Settings): Promise<string> {
  const rows: Row[] = [];
  for (const [type, count] of [
    ['ERC20', 20_000],
    ['ERC721', 6_000],
  ] as const) {
    const database = `blocks_${type.toLowerCase()}`;
    await administer(postgresUrl, `create database ${database}`);
    const node = await startAnvil({ blockTimeSeconds: 2, gasLimit: 30_000_000 });
    const own = await startOwn(databaseUrl(postgresUrl, database), node.url, 20, { type });
    await warmUp(own);
    const first = await newest(node);
    const mints = Math.ceil(count * scale);
    const run = await mintOverHttp(own, { mints, connections: 200, respondAsync: true });
    const filled = await fills(node, first + 1, await newest(node));
    // The first blocks find no queue yet, and the last ones take what is left.
    const isFull = (part: number): boolean => part >= 0.5;
    const full = filled.slice(filled.findIndex(isFull), filled.slice(0, -1).findLastIndex(isFull));
    const row: Row = {
      type,
      mints,
      perSecond: Math.round(mints / run.seconds),
      blocks: full.length,
      least: percent(Math.min(...full)),
      median: percent(percentile(full, 0.5)),
      mintsABlock: Math.round(mints / filled.filter((part) => part > 0).length),
    };
    say(`  ${type}: ${row.median} of a block, ${row.perSecond} a second`);
    rows.push(row);
    await own.stop();
    await node.stop();
  }
  return `anvil, 30,000,000 gas a block, 2 s blocks, one signer, existing holders, 200 connections. Blocks while there was a queue.\n\n${renderTable(
    [
      ['Token', (row) => row.type],
      ['Mints', (row) => row.mints],
      ['Confirmed a second', (row) => row.perSecond],
      ['Full blocks', (row) => row.blocks],
      ['Gas used, least', (row) => row.least],
      ['Gas used, median', (row) => row.median],
      ['Mints a block', (row) => row.mintsABlock],
    ],
    rows,
  )}`;
}

const percent = (part: number): string => `${(part * 100).toFixed(1)} %`;

const newest = async ({ call }: Anvil): Promise<number> => Number(await call<string>('eth_blockNumber'));

async function fills({ call }: Anvil, from: number, to: number): Promise<number[]> {
  const parts: number[] = [];
  for (let number = from; number <= to; number += 1) {
    const block = await call<Block>('eth_getBlockByNumber', [`0x${number.toString(16)}`, false]);
    parts.push(Number(block.gasUsed) / Number(block.gasLimit));
  }
  return parts;
}
