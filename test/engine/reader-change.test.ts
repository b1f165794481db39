import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { createKey } from '../../lab/stage/collections.ts';
import { waitForStatus } from '../../lab/stage/intents.ts';
import { createAsk } from '../../lab/stage/request.ts';
import type { TestAccount } from '../../lab/stage/service.ts';
import { deployToken, requestMint } from '../../lab/stage/tokens.ts';
import { prunedNode } from '../../lab/proxies/rpc/state.ts';
import { startStand } from '../setup/stand.ts';
import type { Stand } from '../setup/stand.ts';
import { SHORT_TIMINGS } from './timings.ts';

const ERIGON_PRUNED = { code: -32_000, message: 'old data not available due to pruning: requested block 9' };

let folder: string;
let stand: Stand;
/** Blocks by which the heads that the endpoint shows are behind the chain's. */
let lag: bigint;
/** What the endpoint does not show though it has it. */
let hidden: { events: boolean; receipts: boolean; refused?: boolean };

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'mintmark-profile-'));
});

afterEach(() => stand.stop());
afterAll(() => rm(folder, { recursive: true }));

const sql = <Row>(text: string): Promise<Row[]> => query<Row>(stand.mintmark.service.context.db, text);

/** On anvil, with the `forkChoiceMs` of public chains, and blocks that nobody else makes. */
async function boot(): Promise<TestAccount> {
  lag = 0n;
  hidden = { events: false, receipts: false };
  const file = path.join(folder, 'profile.json');
  await writeFile(file, JSON.stringify({ base: 'anvil', forkChoiceMs: 60_000, minesOnDemand: false }));
  const variables = { CONFIRMATIONS: '3', CHAIN_PROFILE: file, WEBHOOK_ALLOW_PRIVATE: 'true' };
  stand = await startStand({}, variables, { timings: SHORT_TIMINGS });
  stand.proxy.endpoint.layers.unshift(async (request, forward) => {
    const [block, ...others] = request.params;
    if (lag === 0n || request.method !== 'eth_getBlockByNumber' || block !== 'latest')
      return forward(request);
    const height = BigInt(await stand.anvil.call<Hex>('eth_blockNumber'));
    return forward({ ...request, params: [`0x${(height - lag).toString(16)}`, ...others] });
  });
  stand.proxy.endpoint.layers.unshift(async (request, forward) => {
    if (hidden.events && request.method === 'eth_getLogs') return { result: [] };
    if (hidden.receipts && request.method === 'eth_getTransactionReceipt') return { result: null };
    if (hidden.refused && request.method === 'eth_getTransactionReceipt') return { error: ERIGON_PRUNED };
    return forward(request);
  });
  return stand.mintmark.register();
}

async function addWebhook(account: TestAccount): Promise<void> {
  const { key } = await createKey(stand.mintmark, account);
  const url = 'http://127.0.0.1:1909/hook';
  const { status } = await createAsk(stand.mintmark.url)({ token: key }, 'POST', '/v1/webhooks', { url });
  expect(status).toBe(201);
}

/** A mint: `request` does not wait for it, `mint` does, and both return its intent. */
interface Prepared {
  intent: string;
  request: () => Promise<string>;
  mint: () => Promise<string>;
}

/** A confirmed mint that is not final. Returns its intent, and what mints another one. */
async function prepareMint(): Promise<Prepared> {
  const account = await boot();
  const token = await deployToken(account);
  await stand.anvil.call('anvil_mine', ['0x5']);
  await stand.waitForRow(`select 1 from transactions having bool_and(status = 'final')`);
  await addWebhook(account);
  const request = async (): Promise<string> =>
    (await requestMint(account, token, { prefer: 'respond-async' })).intentId!;
  const mint = async (): Promise<string> => {
    const intent = await request();
    await waitForStatus(account, intent, 'confirmed');
    return intent;
  };
  return { intent: await mint(), request, mint };
}

/** What the webhooks of its account were told of an intent. */
const readEvents = (intent: string): Promise<unknown[]> =>
  sql(`select event from webhook_deliveries where intent_id = '${intent}' order by number`);

const untilFinal = (intent: string) =>
  stand.waitForRow(
    `select 1 from intents where id = '${intent}' and status = 'confirmed' and final_at is not null`,
  );
const untilFinished = () =>
  // A start may have made a block with a no-op, which no later one follows.
  stand.waitForRow(
    `select 1 from transactions where not (is_noop and status = 'mined') having bool_and(status in ('final', 'displaced'))`,
  );

const readCursor = async (): Promise<{ term: bigint; head: bigint }> =>
  (await sql<{ term: bigint; head: bigint }>('select term, head_number as head from reader'))[0]!;

/** Starts the service anew while heads are behind, and looks at the intent and the cursor for a while. */
async function restartBehind(blocks: bigint, intent: string): Promise<void> {
  const { term, head } = await readCursor();
  lag = blocks;
  await stand.mintmark.restart();
  for (let look = 0; look < 30; look += 1) {
    expect(await sql(`select status from intents where id = '${intent}'`)).toEqual([{ status: 'confirmed' }]);
    await sleep(100);
  }
  expect(await readCursor()).toEqual({ term: term + 1n, head });
  lag = 0n;
}

test.each([
  ['one block lower', 1n],
  ['below the last final block', 4n],
])('a new reader that is shown a head %s takes nothing back', async (_name, blocks) => {
  const { intent, mint } = await prepareMint();
  await restartBehind(blocks, intent);
  await mint();
  expect(await readEvents(intent)).toEqual([{ event: 'intent.confirmed' }]);
});

test('and looks for no receipts before it was shown the head', async () => {
  const { intent, mint } = await prepareMint();
  // As a transaction that was reverted as a whole is for a moment: used up, in a final block, and not noticed yet.
  await sql(
    `update transactions set status = 'open', mined_hash = null, block_number = null, block_hash = null
      where nonce = (select min(nonce) from transactions)`,
  );
  await restartBehind(1n, intent);
  await mint();
  await stand.waitForRow(`select 1 from transactions having bool_and(status <> 'open')`);
});

describe('of an event that a new reader is not shown', () => {
  test.each([
    ['was final when nobody read the chain', '0x5', '0x1'],
    ['is not final', '0x1', '0x5'],
  ])('in a block that %s: what was read of it stands', async (_name, before, after) => {
    const { intent } = await prepareMint();
    await stand.mintmark.service.stop();
    await stand.anvil.call('anvil_mine', [before]);
    hidden = { events: true, receipts: true };
    await stand.mintmark.restart();
    await stand.waitForRow(`select 1 from intents where id = '${intent}' and status = 'confirmed'`);
    await stand.anvil.call('anvil_mine', [after]);
    await untilFinal(intent);
    await untilFinished();
    expect(await readEvents(intent)).toEqual([{ event: 'intent.confirmed' }]);
  });

  test('and that nobody has read: nothing is done again, and the receipt tells when it comes', async () => {
    const { request } = await prepareMint();
    hidden = { events: true, receipts: true };
    const intent = await request();
    await stand.mintmark.restart();
    await stand.waitForRow(`select 1 from transactions where status = 'mined' and mined_hash is null`);
    await stand.anvil.call('anvil_mine', ['0x5']);
    await stand.waitForRow(`select 1 from intents where id = '${intent}' and status = 'queued' and in_doubt`);
    hidden.receipts = false;
    await untilFinal(intent);
    await untilFinished();
  });
});

describe('when nobody read the chain for longer than nodes keep logs', () => {
  /** Starts the service anew, 64 blocks after it was stopped. */
  async function restartLater(): Promise<void> {
    await stand.mintmark.service.stop();
    await stand.anvil.call('anvil_mine', ['0x40']);
    stand.proxy.endpoint.layers.unshift(prunedNode({ states: 1_000, logs: 32 }));
    await stand.mintmark.restart();
  }

  test('what was confirmed stands, though no receipt is kept either, and nothing is told twice', async () => {
    const { intent, mint } = await prepareMint();
    hidden.receipts = true;
    await restartLater();
    await untilFinal(intent);
    await untilFinished();
    hidden.receipts = false;
    await mint();
    expect(await readEvents(intent)).toEqual([{ event: 'intent.confirmed' }]);
  });

  test('what was mined meanwhile is told by its receipt', async () => {
    const { request, mint } = await prepareMint();
    await stand.anvil.call('evm_setAutomine', [false]);
    const intent = await request();
    await stand.waitForRow(`select 1 from intents where id = '${intent}' and status = 'submitted'`);
    await restartLater();
    await untilFinal(intent);
    await stand.anvil.call('evm_setAutomine', [true]);
    await mint();
    expect(await readEvents(intent)).toEqual([{ event: 'intent.confirmed' }]);
  });

  test.each([
    ['no receipt is kept', false],
    ['the receipt is refused', true],
  ])(
    'what was mined meanwhile, and of which %s, is neither done again nor cancelled',
    async (_name, refused) => {
      const { request } = await prepareMint();
      await stand.anvil.call('evm_setAutomine', [false]);
      const intent = await request();
      await stand.waitForRow(`select 1 from intents where id = '${intent}' and status = 'submitted'`);
      hidden = { ...hidden, receipts: !refused, refused };
      await restartLater();
      await stand.waitForRow(`select 1 from transactions where status = 'mined' and mined_hash is null`);
      // A second apart: one that has the second of the start is no new block, and no later one comes.
      await stand.anvil.call('anvil_mine', ['0x5', '0x1']);
      await stand.waitForRow(
        `select 1 from intents where id = '${intent}' and status = 'queued' and in_doubt`,
      );
      hidden = { ...hidden, receipts: false, refused: false };
      await untilFinal(intent);
      expect(await readEvents(intent)).toEqual([{ event: 'intent.confirmed' }]);
    },
  );
});
