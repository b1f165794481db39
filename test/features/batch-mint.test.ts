import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { getAddress } from 'ethers';
import { query } from '../../src/db/client.ts';
import { setPlan } from '../../lab/stage/accounts.ts';
import { openChain } from '../setup/chain.ts';
import { createCollection, creditsLeft, requestBatch, sessionOf } from '../../lab/stage/collections.ts';
import { makeRevert } from '../setup/mining.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestAccount, TestService } from '../../lab/stage/service.ts';
import { RECIPIENT } from '../../lab/stage/tokens.ts';

type Session = ReturnType<typeof sessionOf>;
interface Batch {
  tokens: { tokenId: string; to: string }[];
  credits: { cost: number; remaining: number };
}

let mintmark: TestService;
let chain: ReturnType<typeof openChain>;
let alice: TestAccount;
let session: Session;
let address: string;

beforeAll(async () => {
  mintmark = await startTestService();
  chain = openChain(mintmark);
  alice = await mintmark.register();
  await setPlan(mintmark, alice, 'PRO');
  session = sessionOf(mintmark, alice);
  address = await createCollection(session);
});

afterAll(async () => {
  chain?.close();
  await mintmark?.stop();
});

const newAddress = (): string => getAddress(`0x${randomBytes(20).toString('hex')}`);
const supply = async (): Promise<bigint> =>
  (await chain.erc721(address).getFunction('totalSupply')()) as bigint;
const left = () => creditsLeft(mintmark, alice);
/** Metadata of about this many bytes; random, like image data. */
const heavy = (bytes: number) => ({
  name: 'Heavy',
  description: 'x'.repeat(Math.min(bytes, 2_000)),
  attributes: Object.fromEntries(
    Array.from({ length: Math.ceil(Math.max(0, bytes - 2_000) / 1_000) }, (_, index) => [
      `k${index}`,
      'y'.repeat(1_000),
    ]),
  ),
});
/** Whether the transaction of an answer calls `mintRun`. */
async function isRun(headers: Headers): Promise<boolean> {
  const transaction = await chain.provider.getTransaction(headers.get('Transaction-Hash')!);
  return transaction!.data.includes(
    chain.erc721(address).interface.getFunction('mintRun')!.selector.slice(2),
  );
}
/** Checks that `work` mints and spends nothing. */
async function expectNoEffect<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  const before = [await supply(), await left()];
  const answer = await work();
  expect([await supply(), await left()]).toEqual(before);
  return answer;
}

describe('POST /v1/collections/{address}/mint/batch', () => {
  test('mints in the order of the items, in one transaction, one credit each', async () => {
    const [one, two] = [newAddress(), newAddress()];
    const before = await left();
    const { status, headers, body } = await requestBatch(session, address, [
      { to: one },
      { to: two, metadata: { name: 'Blue Hour', description: 'After sunset.', attributes: { edition: 7 } } },
      { to: one },
    ]);
    expect(status).toBe(201);
    const hash = headers.get('Transaction-Hash');
    const first = BigInt((body as Batch).tokens[0]!.tokenId);
    expect(body).toEqual({
      tokens: [one, two, one].map((to, index) => ({ tokenId: String(first + BigInt(index)), to })),
      intentId: headers.get('Intent-Id'),
      transaction: { hash, explorerUrl: `${mintmark.url}/explorer/tx/${hash}` },
      credits: { cost: 3, remaining: before - 3 },
    });
    expect(await left()).toBe(before - 3);
    expect(await chain.erc721(address).getFunction('ownerOf')(first + 1n)).toBe(two);
    expect(await chain.erc721(address).getFunction('metadataKeys(uint256)')(first + 1n)).toEqual([
      'name',
      'description',
      'edition',
    ]);
    const page = await session.GET('/v1/collections/{address}/tokens', {
      params: { path: { address }, query: { limit: 3 } },
    });
    expect(page.data!.data.map(({ tokenId, to }) => ({ tokenId, to }))).toEqual(
      (body as Batch).tokens.toReversed(),
    );
  });

  test('100 items for 100 recipients fit in one transaction, as one call', async () => {
    const minted = await supply();
    const recipients = Array.from({ length: 100 }, newAddress);
    const { status, headers, body } = await requestBatch(
      session,
      address,
      recipients.map((to) => ({ to })),
    );
    expect(status).toBe(201);
    expect((body as Batch).tokens.map(({ to }) => to)).toEqual(recipients);
    expect((body as Batch).credits.cost).toBe(100);
    expect((await supply()) - minted).toBe(100n);
    const receipt = await chain.provider.getTransactionReceipt(headers.get('Transaction-Hash')!);
    process.stdout.write(`a batch of 100 items for 100 recipients: ${receipt!.gasUsed} gas\n`);
    expect(receipt!.gasUsed).toBeLessThan(14_000_000n);
    const operator = (await chain.operator.getAddress()).toLowerCase();
    expect(receipt!.logs.filter((log) => log.address.toLowerCase() === operator)).toHaveLength(1);
  });

  test('items for one recipient without metadata are a run, with the same ids for a fraction of the gas', async () => {
    const to = newAddress();
    const next = async (): Promise<bigint> => {
      const { supply: minted } = (await chain.erc721(address).getFunction('tokenState')()) as {
        supply: bigint;
      };
      return minted + 1n;
    };
    const first = await next();
    const { status, headers, body } = await requestBatch(
      session,
      address,
      Array.from({ length: 100 }, () => ({ to })),
    );
    expect(status).toBe(201);
    const ids = Array.from({ length: 100 }, (_, index) => first + BigInt(index));
    expect((body as Batch).tokens).toEqual(ids.map((tokenId) => ({ tokenId: String(tokenId), to })));
    expect(await chain.erc721(address).getFunction('ownerOf')(first + 99n)).toBe(to);
    expect(await next()).toBe(first + 100n);
    const receipt = await chain.provider.getTransactionReceipt(headers.get('Transaction-Hash')!);
    process.stdout.write(`a batch of 100 items for one recipient: ${receipt!.gasUsed} gas\n`);
    expect(receipt!.gasUsed).toBeLessThan(600_000n);
    expect(await isRun(headers)).toBe(true);
    const page = await session.GET('/v1/collections/{address}/tokens', {
      params: { path: { address }, query: { limit: 2 } },
    });
    expect(page.data!.data.map(({ tokenId }) => tokenId)).toEqual([String(first + 99n), String(first + 98n)]);
  });

  test('a batch is no run with metadata, for two recipients, or of one item', async () => {
    const [to, other] = [newAddress(), newAddress()];
    const metadata = { name: 'n', description: 'd' };
    for (const items of [[{ to }, { to, metadata }], [{ to }, { to: other }, { to }], [{ to }]]) {
      const { status, headers } = await requestBatch(session, address, items);
      expect([status, await isRun(headers)]).toEqual([201, false]);
    }
  });

  test('one receiver that refuses reverts the whole batch, and the credits are given back', async () => {
    const hostile = newAddress();
    await makeRevert(chain, hostile, 'not today');
    const items = [RECIPIENT, newAddress(), hostile, newAddress()].map((to) => ({ to }));
    const { status, body } = await expectNoEffect(() => requestBatch(session, address, items));
    expect(status).toBe(502);
    expect(body).toMatchObject({ code: 'CHAIN_ERROR' });
    const quotas = await query(
      mintmark.service.context.db,
      `select i.held_amount, l.held, l.committed from ledger l join intents i on i.number = l.intent_number
        where i.kind = 'batch_mint' and i.status = 'failed' and l.meter = 'credits'`,
    );
    expect(quotas).toEqual([{ held_amount: 4, held: 0, committed: 0 }]);
  });

  test('a receiver that burns all gas fails only its batch', async () => {
    const burner = newAddress();
    // The opcode INVALID takes all the gas that its frame has.
    await chain.provider.send('hardhat_setCode', [burner, '0xfe']);
    const { status, body } = await expectNoEffect(() =>
      requestBatch(session, address, [{ to: RECIPIENT }, { to: burner }]),
    );
    expect({ status, body }).toMatchObject({ status: 502, body: { code: 'CHAIN_ERROR' } });
    expect((await requestBatch(session, address, [{ to: RECIPIENT }])).status).toBe(201);
  });

  test('a batch of nearly 14,000,000 gas is minted, and one of more is 422', async () => {
    const batchOf = (items: number) =>
      requestBatch(
        session,
        address,
        Array.from({ length: items }, () => ({ to: RECIPIENT, metadata: heavy(7_600) })),
      );
    const { status, headers, body } = await batchOf(7);
    expect({ status, body }).toMatchObject({ status: 201, body: { credits: { cost: 7 } } });
    const receipt = await chain.provider.getTransactionReceipt(headers.get('Transaction-Hash')!);
    process.stdout.write(`a batch of 7 items with 7,600 bytes of metadata each: ${receipt!.gasUsed} gas\n`);
    expect(receipt!.gasUsed).toBeGreaterThan(12_500_000n);

    const intents = async () =>
      query(mintmark.service.context.db, `select 1 from intents where kind = 'batch_mint'`);
    const before = await intents();
    const refused = await expectNoEffect(() => batchOf(9));
    expect(refused).toMatchObject({ status: 422, body: { code: 'VALIDATION_ERROR' } });
    const { message } = refused.body as { message: string };
    const fitting = /too large for one transaction: of its 9 items the first (\d) fit surely$/.exec(
      message,
    )?.[1];
    expect(await intents()).toHaveLength(before.length);
    expect((await batchOf(Number(fitting))).status).toBe(201);
  });

  test('a batch of more than 100,000 bytes of calldata is 422, however little gas it needs', async () => {
    const attributes = Object.fromEntries(Array.from({ length: 13 }, (_, index) => [`k${index}`, index]));
    const metadata = { name: 'n', description: 'd', attributes };
    const batchOf = (items: number) =>
      requestBatch(
        session,
        address,
        Array.from({ length: items }, () => ({ to: RECIPIENT, metadata })),
      );
    expect((await batchOf(25)).status).toBe(201);
    expect(await expectNoEffect(() => batchOf(26))).toMatchObject({
      status: 422,
      body: { code: 'VALIDATION_ERROR', message: expect.stringMatching(/too large/) },
    });
  });

  const zero = `0x${'0'.repeat(40)}`;
  const tooLong = { name: 'é'.repeat(129), description: '' };
  test.each([
    ['no items', [], /items/],
    ['101 items', Array.from({ length: 101 }, () => ({ to: RECIPIENT })), /items/],
    ['the zero address', [{ to: RECIPIENT }, { to: zero }], /items\[1\]\.to/],
    ['a wrong checksum', [{ to: RECIPIENT.replace('a2', 'A2') }], /items\[0\]\.to/],
    [
      'a name of 258 bytes',
      [{ to: RECIPIENT }, { to: RECIPIENT, metadata: tooLong }],
      /items\[1\]\.metadata\.name/,
    ],
  ])('refuses %s, names the field, and spends nothing', async (_case, items, words) => {
    const { status, body } = await expectNoEffect(() => requestBatch(session, address, items));
    expect(status).toBe(422);
    expect((body as { code: string }).code).toBe('VALIDATION_ERROR');
    expect((body as { message: string }).message).toMatch(words);
  });

  test('a batch with too few credits is refused whole', async () => {
    const poor = await mintmark.register();
    const api = sessionOf(mintmark, poor);
    const own = await createCollection(api);
    const items = Array.from({ length: 48 }, () => ({ to: RECIPIENT }));
    expect((await requestBatch(api, own, items)).status).toBe(201);
    expect(await creditsLeft(mintmark, poor)).toBe(47);
    expect(await requestBatch(api, own, items)).toMatchObject({
      status: 403,
      body: { code: 'QUOTA_EXCEEDED' },
    });
    expect(await creditsLeft(mintmark, poor)).toBe(47);
    expect((await requestBatch(api, own, items.slice(1))).body).toMatchObject({
      credits: { cost: 47, remaining: 0 },
    });
    expect(await chain.erc721(own).getFunction('totalSupply')()).toBe(95n);
  });

  test("refuses other accounts' collections", async () => {
    const bob = sessionOf(mintmark, await mintmark.register());
    const items = [{ to: RECIPIENT }];
    expect(await requestBatch(bob, address, items)).toMatchObject({
      status: 403,
      body: { code: 'FORBIDDEN' },
    });
    expect(await requestBatch(bob, RECIPIENT, items)).toMatchObject({
      status: 404,
      body: { code: 'NOT_FOUND' },
    });
  });
});
