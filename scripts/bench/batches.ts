import { encodeMintBatch, encodeMintRun } from '../../src/chain/abi/mint.ts';
import { describeSystem } from '../../src/chain/system/system-contracts.ts';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { inParallel } from '../../test/faults/load.ts';
import { administer, databaseUrl } from '../../test/setup/template.ts';
import { median, openAgent, post } from './load.ts';
import { startAnvilNode } from './nodes.ts';
import type { BenchNode } from './nodes.ts';
import { mintOverHttp, startOwn } from './own.ts';
import type { OwnService, OwnToken } from './own.ts';
import { deployOwnCollections, preSign, sendRaw } from './raw.ts';
import type { Minter } from './raw.ts';
import type { Settings } from './settings.ts';
import { renderTable, say } from './table.ts';

const SIZE = 100;
const BATCHES = 400;
const ACCOUNTS = 20;
const CONNECTIONS = 50;

interface Row {
  holders: string;
  way: string;
  batches: number;
  perSecond: number;
}

/** Who gets the NFTs of a batch, and the call that mints them. */
interface Shape {
  holders: string;
  recipients: Hex[];
  call: { data: Hex; gasLimit: bigint };
}

const holder = (index: number): Hex => `0x${(0x1000 + index).toString(16).padStart(40, '0')}`;
const everyone = Array.from({ length: SIZE }, (_, index) => holder(index));
const shapes: Shape[] = [
  {
    holders: 'one',
    recipients: everyone.map(() => holder(0)),
    call: { data: encodeMintRun(holder(0), SIZE), gasLimit: 1_000_000n },
  },
  {
    holders: String(SIZE),
    recipients: everyone,
    call: { data: encodeMintBatch(everyone.map((to) => ({ to, entries: [] }))), gasLimit: 10_000_000n },
  },
];

/** NFTs a second in batches of 100: over the API, and by the same calls signed beforehand and sent to the node. */
export async function measureBatches({ postgresUrl, scale, runs }: Settings): Promise<string> {
  await administer(postgresUrl, 'create database batches');
  const node = await startAnvilNode();
  const own = await withCollections(await startOwn(databaseUrl(postgresUrl, 'batches'), node.url, ACCOUNTS));
  const minters = await deployOwnCollections(node.url, describeSystem(embeddedAccounts[0].address, 0));
  const rows: Row[] = [];
  for (const shape of shapes) {
    const raw: Row[] = [];
    const over: Row[] = [];
    const batches = Math.ceil(BATCHES * scale);
    for (let run = 0; run < runs; run += 1) {
      raw.push(await measureRaw(node, minters, shape, batches));
      over.push(await measureOwn(own, shape, batches));
    }
    rows.push(...[raw, over].map((each) => report(median(each))));
  }
  await own.stop();
  await node.stop();
  return `anvil, 1 s blocks; batches of ${SIZE} NFTs without metadata, asynchronous at ${CONNECTIONS} connections.\n\n${renderTable(
    [
      ['Holders in a batch', (row) => row.holders],
      ['Way', (row) => row.way],
      ['Batches', (row) => row.batches],
      ['NFTs confirmed a second', (row) => row.perSecond],
    ],
    rows,
  )}`;
}

/** The same accounts with a collection each instead of a token. */
async function withCollections(own: OwnService): Promise<OwnService> {
  const agent = openAgent(4);
  const collections: OwnToken[] = [];
  await inParallel(own.tokens.length, 4, async (index) => {
    const token = own.tokens[index]!;
    const body = { name: 'Art', symbol: 'ART' };
    const created = await post(agent, `${own.url}/v1/collections`, body, { Cookie: token.session });
    const { address } = JSON.parse(created.body) as { address: string };
    collections.push({ ...token, address, type: 'ERC721' });
  });
  agent.destroy();
  return { ...own, tokens: collections };
}

async function measureRaw(
  node: BenchNode,
  minters: readonly Minter[],
  { holders, call }: Shape,
  batches: number,
): Promise<Row> {
  const signed = await preSign(node.url, minters, Math.ceil(batches / minters.length), call);
  const sent = signed.flat().length;
  const seconds = await sendRaw(node.url, minters, signed, 'in parallel');
  return {
    holders,
    way: 'pre-signed, in parallel',
    batches: sent,
    perSecond: Math.round((sent * SIZE) / seconds),
  };
}

async function measureOwn(own: OwnService, { holders, recipients }: Shape, batches: number): Promise<Row> {
  const items = recipients.map((to) => ({ to }));
  const run = await mintOverHttp(own, {
    mints: batches,
    connections: CONNECTIONS,
    respondAsync: true,
    requestOf: ({ session, address }) => ({
      path: `/v1/collections/${address}/mint/batch`,
      headers: { Cookie: session },
      body: { items },
    }),
  });
  return { holders, way: 'Mintmark', batches, perSecond: Math.round((batches * SIZE) / run.seconds) };
}

function report(row: Row): Row {
  say(`  ${row.holders} holders, ${row.way}: ${row.perSecond} NFTs a second`);
  return row;
}
