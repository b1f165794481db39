import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import { setPlan } from '../../lab/stage/accounts.ts';
import { openChain } from '../setup/chain.ts';
import {
  createCollection,
  createKey,
  creditsLeft,
  requestBatch,
  requestNft,
  sessionOf,
} from '../../lab/stage/collections.ts';
import type { TestKey } from '../../lab/stage/collections.ts';
import { createAsk } from '../../lab/stage/request.ts';
import type { Ask } from '../../lab/stage/request.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestAccount, TestService } from '../../lab/stage/service.ts';
import { RECIPIENT } from '../../lab/stage/tokens.ts';

const METADATA = { name: 'Blue Hour', description: 'The harbour after sunset.' };

let mintmark: TestService;
let chain: ReturnType<typeof openChain>;
let ask: Ask;
let alice: TestAccount;
let live: TestKey;
let sandbox: TestKey;

beforeAll(async () => {
  mintmark = await startTestService();
  chain = openChain(mintmark);
  ask = createAsk(mintmark.url);
  alice = await mintmark.register();
  await setPlan(mintmark, alice, 'PRO');
  [live, sandbox] = await Promise.all([createKey(mintmark, alice), createKey(mintmark, alice, 'sandbox')]);
});

afterAll(async () => {
  chain?.close();
  await mintmark?.stop();
});

const bearer = ({ key }: TestKey) => ({ token: key });
const mintPath = (address: string): string => `/v1/collections/${address}/mint`;
const read = (who: TestKey, address: string) => ask(bearer(who), 'GET', `/v1/collections/${address}`);
const listed = async ({ api }: Pick<TestKey, 'api'>) =>
  (await api.GET('/v1/collections', { params: { query: { limit: 100 } } })).data!.data.map(
    ({ address }) => address,
  );
const idsOf = async ({ api }: TestKey) =>
  (await api.GET('/intents', { params: { query: { limit: 100 } } })).data!.data.map(({ id }) => id);

describe('a sandbox key', () => {
  test('creates, mints and sets metadata as a live key does, without transactions or credits', async () => {
    const blocks = await chain.provider.getBlockNumber();
    const before = await creditsLeft(mintmark, alice);
    const calls = mintmark.service.context.rpc.counts();

    const created = await sandbox.api.POST('/v1/collections', { body: { name: 'Try-out', symbol: 'TRY' } });
    expect(created.response.status).toBe(201);
    expect(created.response.headers.get('Transaction-Hash')).toBeNull();
    expect(created.data).toEqual({
      intentId: created.response.headers.get('Intent-Id'),
      address: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
      name: 'Try-out',
      symbol: 'TRY',
      environment: 'sandbox',
      minted: 0,
      transaction: null,
      createdAt: expect.stringMatching(/Z$/),
      credits: { cost: 0, remaining: before },
    });
    const { address, intentId } = created.data as { address: string; intentId: string };
    expect(intentId).toMatch(/^[0-9a-f-]{36}$/);

    expect(await requestNft(sandbox.api, address, { metadata: METADATA })).toMatchObject({
      status: 201,
      body: { tokenId: '1', to: RECIPIENT, transaction: null, credits: { cost: 0, remaining: before } },
    });
    expect(await requestBatch(sandbox.api, address, [{ to: RECIPIENT }, { to: RECIPIENT }])).toMatchObject({
      status: 201,
      body: {
        tokens: [
          { tokenId: '2', to: RECIPIENT },
          { tokenId: '3', to: RECIPIENT },
        ],
        transaction: null,
        credits: { cost: 0, remaining: before },
      },
    });
    for (const path of ['tokens/3/metadata', 'metadata']) {
      expect(await ask(bearer(sandbox), 'PUT', `/v1/collections/${address}/${path}`, METADATA)).toMatchObject(
        {
          status: 200,
          body: { success: true },
        },
      );
    }
    expect(await read(sandbox, address)).toMatchObject({ status: 200, body: { minted: 3 } });
    const { body } = await ask(bearer(sandbox), 'GET', `/v1/collections/${address}/tokens`);
    expect(body).toEqual({
      data: ['3', '2', '1'].map((tokenId) => ({
        tokenId,
        to: RECIPIENT,
        transaction: null,
        createdAt: expect.stringMatching(/Z$/),
      })),
      nextCursor: null,
    });

    expect(await creditsLeft(mintmark, alice)).toBe(before);
    expect(await chain.provider.getCode(address)).toBe('0x');
    expect(await chain.provider.getBlockNumber()).toBe(blocks);
    const { eth_sendRawTransaction: sent = 0 } = mintmark.service.context.rpc.counts();
    expect(sent).toBe(calls.eth_sendRawTransaction ?? 0);
    const entries = await query(
      mintmark.service.context.db,
      `select 1 from ledger e join intents i on i.number = e.intent_number where i.environment = 'sandbox'`,
    );
    expect(entries).toEqual([]);
  });

  test('works when credits are used up and the chain is unreachable', async () => {
    const poor = await mintmark.register();
    const key = await createKey(mintmark, poor, 'sandbox');
    const own = await createCollection(sessionOf(mintmark, poor));
    await requestBatch(
      sessionOf(mintmark, poor),
      own,
      Array.from({ length: 95 }, () => ({ to: RECIPIENT })),
    );
    expect((await requestNft(sessionOf(mintmark, poor), own)).status).toBe(403);
    const address = await createCollection(key.api);
    expect((await requestNft(key.api, address)).body).toMatchObject({ credits: { cost: 0, remaining: 0 } });
  });

  test('concurrent mints get consecutive token ids', async () => {
    const address = await createCollection(sandbox.api);
    const single = Array.from({ length: 60 }, () => requestNft(sandbox.api, address));
    const batches = Array.from({ length: 8 }, () =>
      requestBatch(
        sandbox.api,
        address,
        Array.from({ length: 5 }, () => ({ to: RECIPIENT })),
      ),
    );
    const ids = [
      ...(await Promise.all(single)).map(({ body }) => Number((body as { tokenId: string }).tokenId)),
      ...(await Promise.all(batches)).flatMap(({ body }) => {
        const { tokens } = body as { tokens: { tokenId: string }[] };
        const own = tokens.map(({ tokenId }) => Number(tokenId));
        expect(own).toEqual(own.map((_, index) => own[0]! + index));
        return own;
      }),
    ];
    expect(ids.sort((one, other) => one - other)).toEqual(
      Array.from({ length: 100 }, (_, index) => index + 1),
    );
  });

  test('a replay gets the same answer', async () => {
    const address = await createCollection(sandbox.api);
    const key = randomUUID();
    const first = await requestNft(sandbox.api, address, { key });
    await requestNft(sandbox.api, address);
    expect((await requestNft(sandbox.api, address, { key })).body).toEqual(first.body);
    expect(await read(sandbox, address)).toMatchObject({ body: { minted: 2 } });
    const other = await requestNft(sandbox.api, address, { key, metadata: METADATA });
    expect(other).toMatchObject({ status: 422, body: { code: 'VALIDATION_ERROR' } });
  });
});

describe('a sandbox key gets the same errors as a live one', () => {
  const wrong = RECIPIENT.replace('a2', 'A2');
  const thirteen = Object.fromEntries(Array.from({ length: 13 }, (_, index) => [`k${index}`, index]));
  const many = { name: 'n', description: 'd', attributes: thirteen };
  const tooLarge = { items: Array.from({ length: 26 }, () => ({ to: RECIPIENT, metadata: many })) };
  const heavy = {
    name: 'n',
    description: 'x'.repeat(2_000),
    attributes: Object.fromEntries(Array.from({ length: 5 }, (_, index) => [`k${index}`, 'y'.repeat(1_000)])),
  };
  const tooDear = { items: Array.from({ length: 10 }, () => ({ to: RECIPIENT, metadata: heavy })) };

  test.each<['POST' | 'PUT' | 'GET', string, unknown]>([
    ['POST', '/v1/collections', { name: 'é'.repeat(33), symbol: 'X' }],
    ['POST', '/v1/collections', { name: 'X', symbol: 'é'.repeat(9) }],
    ['POST', '/v1/collections', { name: 'X' }],
    ['POST', '/v1/collections/{own}/mint', { to: wrong }],
    ['POST', '/v1/collections/{own}/mint', { to: RECIPIENT, metadata: { name: 'x' } }],
    ['POST', '/v1/collections/{own}/mint', { to: RECIPIENT, metadata: { ...METADATA, image: 'cat.png' } }],
    ['POST', '/v1/collections/{own}/mint/batch', { items: [{ to: RECIPIENT }, { to: wrong }] }],
    ['POST', '/v1/collections/{own}/mint/batch', { items: [] }],
    ['POST', '/v1/collections/{own}/mint/batch', tooLarge],
    ['POST', '/v1/collections/{own}/mint/batch', tooDear],
    ['PUT', '/v1/collections/{own}/metadata', { name: 'é'.repeat(129), description: '' }],
    ['PUT', `/v1/collections/{own}/tokens/${2n ** 256n}/metadata`, METADATA],
    ['GET', '/v1/collections/{own}/tokens?cursor=bm9uc2Vuc2U', undefined],
    ['GET', `/v1/collections/${RECIPIENT}`, undefined],
    ['GET', `/v1/collections/${wrong}`, undefined],
    ['POST', mintPath(RECIPIENT), { to: RECIPIENT }],
  ])('%s %s', async (method, path, body) => {
    const [liveAnswer, sandboxAnswer] = await Promise.all(
      [live, sandbox].map(async (key) => {
        const address = await createCollection(key.api);
        return ask(bearer(key), method, path.replace('{own}', address), body);
      }),
    );
    expect([422, 404]).toContain(liveAnswer!.status);
    expect({ status: sandboxAnswer!.status, body: sandboxAnswer!.body }).toEqual({
      status: liveAnswer!.status,
      body: liveAnswer!.body,
    });
  });

  test.each(['0', '2', String(2n ** 256n - 1n)])(
    'metadata of token %s, which was never minted',
    async (tokenId) => {
      const answers = await Promise.all(
        [live, sandbox].map(async (key) => {
          const address = await createCollection(key.api);
          await requestNft(key.api, address);
          const path = `/v1/collections/${address}/tokens/${tokenId}/metadata`;
          return ask(bearer(key), 'PUT', path, METADATA);
        }),
      );
      for (const { status, body } of answers) {
        expect({ status, body }).toMatchObject({ status: 422, body: { code: 'VALIDATION_ERROR' } });
      }
    },
  );
});

describe('live and sandbox are separate', () => {
  let own: Record<'live' | 'sandbox', string>;
  beforeAll(async () => {
    own = {
      live: await createCollection(live.api, 'Live'),
      sandbox: await createCollection(sandbox.api, 'Sandbox'),
    };
  });
  const keyOf = (environment: 'live' | 'sandbox') => (environment === 'live' ? live : sandbox);

  test.each([
    ['live', 'sandbox'],
    ['sandbox', 'live'],
  ] as const)('a %s key gets 404 for a %s collection on every path', async (mine, theirs) => {
    const key = bearer(keyOf(mine));
    const address = own[theirs];
    for (const [method, path, body] of [
      ['GET', `/v1/collections/${address}`, undefined],
      ['GET', `/v1/collections/${address}/tokens`, undefined],
      ['POST', mintPath(address), { to: RECIPIENT }],
      ['POST', `${mintPath(address)}/batch`, { items: [{ to: RECIPIENT }] }],
      ['PUT', `/v1/collections/${address}/metadata`, METADATA],
      ['PUT', `/v1/collections/${address}/tokens/1/metadata`, METADATA],
    ] as const) {
      const { status, body: answer } = await ask(key, method, path, body);
      expect({ method, path, status, answer }).toMatchObject({
        status: 404,
        answer: { code: 'NOT_FOUND' },
      });
    }
    expect(await read(keyOf(theirs), address)).toMatchObject({ status: 200, body: { minted: 0 } });
  });

  test('the cookie and a live key list live collections, a sandbox key those of the sandbox', async () => {
    const lives = await listed(live);
    const sandboxes = await listed(sandbox);
    expect(lives).toContain(own.live);
    expect(sandboxes).toContain(own.sandbox);
    expect(lives.filter((address) => sandboxes.includes(address))).toEqual([]);
    expect(await listed({ api: sessionOf(mintmark, alice) })).toEqual(lives);
    const tokens = (await alice.api.GET('/tokens', { params: { query: { limit: 100 } } })).data!.data;
    expect(tokens.map(({ address }) => address)).toEqual(expect.arrayContaining([own.live]));
    expect(tokens.filter(({ address }) => sandboxes.includes(address))).toEqual([]);
  });

  test('a sandbox collection is 404 in the token API and the public JSON', async () => {
    await requestNft(sandbox.api, own.sandbox);
    const paths = [`/tokens/${own.sandbox}`, `/tokens/${own.sandbox}/metadata?tokenId=1`];
    for (const path of paths)
      expect(await ask(alice, 'GET', path)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    expect(await ask(null, 'GET', `/tokenURI/${own.sandbox}/1`)).toMatchObject({ status: 404 });
    const mint = await ask(alice, 'POST', `/tokens/${own.sandbox}/mint`, { owner: RECIPIENT });
    expect(mint.status).toBe(404);
  });

  test('intents are visible in their own environment only', async () => {
    const lives = await idsOf(live);
    const sandboxes = await idsOf(sandbox);
    expect(lives.filter((id) => sandboxes.includes(id))).toEqual([]);
    for (const [mine, theirs] of [
      [live, sandboxes[0]!],
      [sandbox, lives[0]!],
    ] as const) {
      expect((await ask(bearer(mine), 'GET', `/intents/${theirs}`)).status).toBe(404);
      expect((await ask(bearer(mine), 'POST', `/intents/${theirs}/cancel`)).status).toBe(404);
    }
    expect((await ask(bearer(sandbox), 'GET', `/intents/${sandboxes[0]}`)).body).toMatchObject({
      status: 'confirmed',
      transaction: null,
      error: null,
    });
    expect((await ask(alice, 'GET', `/intents/${sandboxes[0]}`)).status).toBe(404);
  });

  test('an Idempotency-Key is independent in each environment', async () => {
    const header = { 'Idempotency-Key': randomUUID() };
    const create = async ({ api }: TestKey, name: string) =>
      (await api.POST('/v1/collections', { params: { header }, body: { name, symbol: 'S' } })).data as {
        address: string;
        environment: string;
      };
    const [one, other] = [await create(live, 'One'), await create(sandbox, 'Other')];
    expect([one.environment, other.environment]).toEqual(['live', 'sandbox']);
    expect(one.address).not.toBe(other.address);
    expect(await create(live, 'One')).toEqual(one);
    expect(await create(sandbox, 'Other')).toEqual(other);
  });

  test("another account's sandbox collection is 404", async () => {
    const bob = await createKey(mintmark, await mintmark.register(), 'sandbox');
    expect(await read(bob, own.sandbox)).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    expect(await read(bob, own.live)).toMatchObject({ status: 404 });
    expect(await listed(bob)).toEqual([]);
  });
});
