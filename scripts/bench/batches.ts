import { encodeMintBatch, encodeMintRun } from '../../src/chain/abi/mint.ts';
import { localSystem } from '../../lab/stage/system.ts';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { inParallel } from '../../lab/load/load.ts';
import { administer, databaseUrl } from '../../lab/stage/template.ts';
import { median, openAgent, post } from '../../lab/load/http.ts';
import { startAnvilNode } from './nodes.ts';
import type { BenchNode } from './nodes.ts';
import { mintOverHttp, startOwn } from './own.ts';
import type { OwnService, OwnToken } from './own.ts';
import { deployOwnCollections, preSign, sendRaw } from './raw.ts';
import type { Minter } from './raw.ts';
import type { Settings } from './settings.ts';
import { say } from '../lib/say.ts';
import { renderTable } from './table.ts';

const SIZE = 100;
const BATCHES = 400;
const ACCOUNTS = 20;
const CONNECTIONS = 50;
/** Transactions in flight: the default, and more than the block takes. */
const IN_FLIGHT = [16, 200];

interface Row {
  holders: string;
  way: string;
  signers: number;
  /** Transactions at a time. */
  inFlight: number;
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
  const batches = Math.ceil(BATCHES * scale);
  const rows: Row[] = [];
  for (let run = 0; run < runs; run += 1) {
    for (const inFlight of IN_FLIGHT) {
      const database = `batches_${inFlight}_${run}`;
      await administer(postgresUrl, `create database ${database}`);
      rows.push(...(await measureRun(databaseUrl(postgresUrl, database), { inFlight, batches })));
    }
  }
  const groups = Map.groupBy(rows, ({ holders, way, inFlight }) => `${holders} ${way} ${inFlight}`);
  return `anvil, 1 s blocks of 1,000,000,000 gas; batches of ${SIZE} NFTs without metadata. Mintmark: ${ACCOUNTS} collections, asynchronous at ${CONNECTIONS} connections, several batches in a transaction. Pre-signed: a collection for each signer, a batch in each transaction.\n\n${renderTable(
    [
      ['Holders in a batch', (row) => row.holders],
      ['Way', (row) => row.way],
      ['Signers', (row) => row.signers],
      ['Transactions in flight, at most', (row) => row.inFlight],
      ['Batches', (row) => row.batches],
      ['NFTs confirmed a second', (row) => row.perSecond],
    ],
    shapes.flatMap(({ holders }) =>
      [...groups.values()].map(median).filter((row) => row.holders === holders),
    ),
  )}`;
}

/**
 * One run of each shape against a fresh node: the service with so many transactions in flight, and first the node
 * alone.
 */
async function measureRun(
  url: string,
  { inFlight, batches }: { inFlight: number; batches: number },
): Promise<Row[]> {
  const node = await startAnvilNode();
  const variables = { MAX_IN_FLIGHT: String(inFlight) };
  const own = await withCollections(await startOwn(url, node.url, ACCOUNTS, { variables }));
  const minters = await deployOwnCollections(node.url, localSystem(embeddedAccounts[0].address));
  const rows: Row[] = [];
  for (const shape of shapes) {
    rows.push(report(await measureRaw(node, minters, shape, batches)));
    rows.push(report(await measureOwn(own, shape, { inFlight, batches })));
  }
  await own.stop();
  await node.stop();
  return rows;
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
    signers: minters.length,
    // Nothing waits for a block.
    inFlight: sent,
    batches: sent,
    perSecond: Math.round((sent * SIZE) / seconds),
  };
}

async function measureOwn(
  own: OwnService,
  { holders, recipients }: Shape,
  { inFlight, batches }: { inFlight: number; batches: number },
): Promise<Row> {
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
  const perSecond = Math.round((batches * SIZE) / run.seconds);
  return { holders, way: 'Mintmark', signers: 1, inFlight, batches, perSecond };
}

function report(row: Row): Row {
  say(`  ${row.holders} holders, ${row.way}, ${row.inFlight} in flight: ${row.perSecond} NFTs a second`);
  return row;
}
