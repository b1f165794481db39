import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { getAddress } from 'ethers';
import { query } from '../../src/db/client.ts';
import type { Hex } from '../../src/lib/hex.ts';
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
import { startTestService } from '../../lab/stage/service.ts';
import type { TestAccount, TestService } from '../../lab/stage/service.ts';
import { RECIPIENT, deployToken, requestMint } from '../../lab/stage/tokens.ts';

const WALLET = '0x5dad7600C5D89fE3824fFa99ec1c3eB8BF3b0501';
interface Metadata {
  name: string;
  description: string;
  image: string;
  attributes: Record<string, string | number | boolean>;
}

const METADATA: Metadata = {
  name: 'Blue Hour',
  description: 'The harbour after sunset.',
  image: 'ipfs://bafybeialiceart/1.png',
  attributes: { edition: 7, framed: true, mood: 'calm' },
};

type Session = ReturnType<typeof sessionOf>;

let mintmark: TestService;
let chain: ReturnType<typeof openChain>;
let alice: TestAccount;
let bob: TestAccount;
let session: Session;

beforeAll(async () => {
  mintmark = await startTestService();
  chain = openChain(mintmark);
  [alice, bob] = await Promise.all([mintmark.register(), mintmark.register()]);
  await setPlan(mintmark, alice, 'PRO');
  session = sessionOf(mintmark, alice);
});

afterAll(async () => {
  chain?.close();
  await mintmark?.stop();
});

async function read(api: Session, address: string) {
  const { data, error, response } = await api.GET('/v1/collections/{address}', {
    params: { path: { address } },
  });
  return { status: response.status, body: (data ?? error) as unknown };
}

const listTokens = async (address: string, page: { limit?: number; cursor?: string } = {}) =>
  (
    await session.GET('/v1/collections/{address}/tokens', {
      params: { path: { address }, query: page },
    })
  ).data!;

async function setNft(address: string, tokenId: string, body: Metadata = METADATA) {
  const { data, error, response } = await session.PUT('/v1/collections/{address}/tokens/{tokenId}/metadata', {
    params: { path: { address, tokenId } },
    body,
  });
  return { status: response.status, headers: response.headers, body: (data ?? error) as unknown };
}

/** The JSON behind a data URI. */
function parseUri(uri: string): Record<string, unknown> {
  expect(uri).toMatch(/^data:application\/json;base64,/);
  return JSON.parse(Buffer.from(uri.split(',')[1]!, 'base64').toString()) as Record<string, unknown>;
}

const tokenUri = async (address: string, tokenId: string) =>
  parseUri((await chain.erc721(address).getFunction('tokenURI')(tokenId)) as string);

describe('POST /v1/collections', () => {
  test('deploys an ERC-721 through the factory, for its price', async () => {
    const before = await creditsLeft(mintmark, alice);
    const { data, response } = await session.POST('/v1/collections', {
      body: { name: 'Harbour Lights', symbol: 'HARB' },
    });
    expect(response.status).toBe(201);
    const hash = response.headers.get('Transaction-Hash');
    expect(response.headers.get('Link')).toBe(`<${mintmark.url}/explorer/tx/${hash}>; rel="related"`);
    expect(data).toEqual({
      address: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
      name: 'Harbour Lights',
      symbol: 'HARB',
      environment: 'live',
      minted: 0,
      intentId: response.headers.get('Intent-Id'),
      transaction: { hash, explorerUrl: `${mintmark.url}/explorer/tx/${hash}` },
      createdAt: expect.stringMatching(/Z$/),
      credits: { cost: 5, remaining: before - 5 },
    });
    const { address } = data as { address: string };
    const contract = chain.erc721(address);
    expect(await contract.getFunction('name')()).toBe('Harbour Lights');
    expect(await contract.getFunction('symbol')()).toBe('HARB');
    expect(await contract.getFunction('isPermissioned')()).toBe(false);
    const receipt = await chain.provider.getTransactionReceipt(hash!);
    const { collectionFactory } = mintmark.service.context.system;
    expect(receipt!.logs.map((log) => log.address.toLowerCase())).toContain(collectionFactory);
    const intent = await session.GET('/intents/{id}', {
      params: { path: { id: response.headers.get('Intent-Id')! } },
    });
    expect(intent.data).toMatchObject({ kind: 'create_collection', status: 'confirmed' });
  });

  test('the wallet of the account owns the collection, and the Operator without one', async () => {
    const ownerOf = async (address: string) =>
      getAddress((await chain.erc721(address).getFunction('owner')()) as string);
    expect(await ownerOf(await createCollection(session))).toBe(
      getAddress(mintmark.service.context.system.operator),
    );
    const carol = await mintmark.register();
    await carol.api.PATCH('/me', { body: { walletAddress: WALLET } });
    const address = await createCollection(sessionOf(mintmark, carol));
    expect(await ownerOf(address)).toBe(WALLET);
    expect((await requestNft(sessionOf(mintmark, carol), address)).status).toBe(201);
  });

  test.each([
    ['a name of 65 bytes', { name: 'é'.repeat(33), symbol: 'X' }],
    ['a symbol of 17 bytes', { name: 'X', symbol: 'é'.repeat(9) }],
    ['an empty name', { name: '', symbol: 'X' }],
    ['a base URI, which is wired in by the service', { name: 'X', symbol: 'X', baseUri: 'ipfs://x/' }],
  ])('refuses %s and spends nothing', async (_case, body) => {
    const before = await creditsLeft(mintmark, alice);
    const { error, response } = await session.POST('/v1/collections', { body });
    expect({ status: response.status, error }).toMatchObject({
      status: 422,
      error: { code: 'VALIDATION_ERROR' },
    });
    expect(await creditsLeft(mintmark, alice)).toBe(before);
  });

  test('takes a name of 64 bytes and a symbol of 16', async () => {
    const body = { name: 'é'.repeat(32), symbol: 'é'.repeat(8) };
    const { data } = await session.POST('/v1/collections', { body });
    expect(await chain.erc721((data as { address: string }).address).getFunction('name')()).toBe(body.name);
  });

  test('requests under one Idempotency-Key make one collection and get the same answer', async () => {
    const header = { 'Idempotency-Key': randomUUID() };
    const before = await creditsLeft(mintmark, alice);
    const create = () =>
      session.POST('/v1/collections', { params: { header }, body: { name: 'Once', symbol: 'ONE' } });
    const answers = await Promise.all([create(), create(), create()]);
    const again = await create();
    for (const { data } of answers) expect(data).toEqual(again.data);
    expect(await creditsLeft(mintmark, alice)).toBe(before - 5);
    const other = await session.POST('/v1/collections', {
      params: { header },
      body: { name: 'Twice', symbol: 'ONE' },
    });
    expect(other.response.status).toBe(422);
  });

  test('a live key and the session cookie create and see the same collections', async () => {
    const { api } = await createKey(mintmark, alice);
    const address = await createCollection(api, 'By key');
    expect(await read(session, address)).toEqual(await read(api, address));
    expect(await read(api, address)).toMatchObject({ status: 200, body: { name: 'By key' } });
  });
});

describe('GET /v1/collections', () => {
  test('pages through own collections, newest first, without other ERC-721 tokens', async () => {
    const carol = await mintmark.register();
    const api = sessionOf(mintmark, carol);
    expect((await api.GET('/v1/collections')).data).toEqual({ data: [], nextCursor: null });
    for (const name of ['first', 'second', 'third']) await createCollection(api, name);
    const art = await deployToken(carol, 'ERC721');
    const first = await api.GET('/v1/collections', { params: { query: { limit: 2 } } });
    expect(first.data!.data.map(({ name }) => name)).toEqual(['third', 'second']);
    const second = await api.GET('/v1/collections', {
      params: { query: { limit: 2, cursor: first.data!.nextCursor! } },
    });
    expect(second.data!.data.map(({ name }) => name)).toEqual(['first']);
    expect(second.data!.nextCursor).toBeNull();
    expect(await read(api, art)).toMatchObject({ status: 404 });
    expect((await carol.api.GET('/tokens')).data!.data.map(({ name }) => name)).toEqual([
      'Art',
      'third',
      'second',
      'first',
    ]);
  });
});

describe('GET /v1/collections/{address}', () => {
  test('reads an own one by its address in any case; 403 for one of others, 404 for an unknown one', async () => {
    const address = await createCollection(session, 'Mine');
    await requestNft(session, address);
    const found = await read(session, address.toLowerCase());
    expect(found).toMatchObject({ status: 200, body: { address, name: 'Mine', minted: 1 } });
    const foreign = sessionOf(mintmark, bob);
    expect(await read(foreign, address)).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    expect(await read(foreign, WALLET)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    const coin = await deployToken(alice);
    expect(await read(session, coin)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    expect(
      await read(
        session,
        address.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
      ),
    ).toMatchObject({
      status: expect.any(Number),
    });
  });
});

describe('POST /v1/collections/{address}/mint', () => {
  test('mints the next id to the given recipient for one credit', async () => {
    const address = await createCollection(session);
    const before = await creditsLeft(mintmark, alice);
    for (const tokenId of ['1', '2']) {
      const { status, headers, body } = await requestNft(session, address, { to: RECIPIENT.toLowerCase() });
      const hash = headers.get('Transaction-Hash');
      expect({ status, body }).toEqual({
        status: 201,
        body: {
          tokenId,
          to: RECIPIENT,
          intentId: headers.get('Intent-Id'),
          transaction: { hash, explorerUrl: `${mintmark.url}/explorer/tx/${hash}` },
          credits: { cost: 1, remaining: before - Number(tokenId) },
        },
      });
    }
    expect(await chain.erc721(address).getFunction('ownerOf')(2)).toBe(RECIPIENT);
  });

  test('a token without metadata has a picture', async () => {
    const address = await createCollection(session, 'Harbour Lights');
    await requestNft(session, address);
    const json = await tokenUri(address, '1');
    expect(json).toMatchObject({ name: 'Harbour Lights #1' });
    const [type, image] = String(json.image).split(',');
    expect(type).toBe('data:image/svg+xml;base64');
    expect(Buffer.from(image!, 'base64').toString()).toMatch(/^<svg .*Harbour Lights.*<\/svg>$/s);
    const served = await fetch(`${mintmark.url}/tokenURI/${address}/1`);
    expect(await served.json()).toEqual(json);
  });

  test('mints with metadata in the same transaction at the price of one mint', async () => {
    const address = await createCollection(session);
    const before = await creditsLeft(mintmark, alice);
    const { status, body, headers } = await requestNft(session, address, { metadata: METADATA });
    expect({ status, body }).toMatchObject({
      status: 201,
      body: { tokenId: '1', credits: { cost: 1, remaining: before - 1 } },
    });
    expect(await tokenUri(address, '1')).toMatchObject({
      name: 'Blue Hour',
      description: 'The harbour after sunset.',
      image: 'ipfs://bafybeialiceart/1.png',
      attributes: [
        { trait_type: 'edition', value: 7 },
        { trait_type: 'framed', value: true },
        { trait_type: 'mood', value: 'calm' },
      ],
    });
    const receipt = await chain.provider.getTransactionReceipt(headers.get('Transaction-Hash')!);
    const events = receipt!.logs.filter((log) => log.address.toLowerCase() === address.toLowerCase());
    expect(events.length).toBeGreaterThan(5);
  });

  const invalid: [string, { to?: string; metadata?: Metadata }, RegExp][] = [
    ['the zero address', { to: `0x${'0'.repeat(40)}` }, /^to /],
    ['a wrong checksum', { to: RECIPIENT.replace('a2', 'A2') }, /^to /],
    ['a reserved attribute', { metadata: { ...METADATA, attributes: { image: 'x' } } }, /attributes\.image/],
    ['an image that is no URI', { metadata: { ...METADATA, image: 'cat.png' } }, /image/],
    ['a name that is too long', { metadata: { ...METADATA, name: 'é'.repeat(129) } }, /metadata\.name/],
  ];
  test.each(invalid)('refuses %s and spends nothing', async (_case, request, words) => {
    const address = await createCollection(session);
    const before = await creditsLeft(mintmark, alice);
    const { status, body } = await requestNft(session, address, request);
    expect({ status, body }).toEqual({
      status: 422,
      body: { code: 'VALIDATION_ERROR', message: expect.stringMatching(words) },
    });
    expect(await creditsLeft(mintmark, alice)).toBe(before);
    expect(await read(session, address)).toMatchObject({ body: { minted: 0 } });
  });

  test('is 502 while the contract is paused, and spends nothing', async () => {
    const address = await createCollection(session);
    await alice.api.POST('/tokens/{address}/pause', { params: { path: { address } } });
    const before = await creditsLeft(mintmark, alice);
    expect(await requestNft(session, address)).toMatchObject({
      status: 502,
      body: { code: 'CHAIN_ERROR', message: expect.stringContaining('TokenPaused') },
    });
    expect(await creditsLeft(mintmark, alice)).toBe(before);
  });

  test('refuses other accounts', async () => {
    const address = await createCollection(session);
    expect(await requestNft(sessionOf(mintmark, bob), address)).toMatchObject({
      status: 403,
      body: { code: 'FORBIDDEN' },
    });
  });
});

describe('GET /v1/collections/{address}/tokens', () => {
  test('lists mints of both APIs, newest first, in pages', async () => {
    const address = await createCollection(session);
    const other = getAddress('0xacfb09713f4f9cc14aa498cbf844b94a27da64ff');
    const first = await requestNft(session, address);
    await requestMint(alice, address, { owner: other, amount: null });
    await requestBatch(session, address, [{ to: RECIPIENT }, { to: other }]);
    const page = await listTokens(address, { limit: 3 });
    expect(page.data.map(({ tokenId, to }) => [tokenId, to])).toEqual([
      ['4', other],
      ['3', RECIPIENT],
      ['2', other],
    ]);
    const rest = await listTokens(address, { limit: 3, cursor: page.nextCursor! });
    expect(rest).toEqual({
      data: [
        {
          tokenId: '1',
          to: RECIPIENT,
          transaction: (first.body as { transaction: unknown }).transaction,
          createdAt: expect.stringMatching(/Z$/),
        },
      ],
      nextCursor: null,
    });
    expect(await read(session, address)).toMatchObject({ body: { minted: 4 } });
    expect((await alice.api.GET('/tokens/{address}', { params: { path: { address } } })).data).toMatchObject({
      type: 'ERC721',
      creator: alice.email,
      permissionless: true,
    });
  });

  test('a reorg that removes a mint removes its row, and mining it again records it again', async () => {
    await mintmark.restart({ CONFIRMATIONS: '6' });
    try {
      const address = await createCollection(session);
      for (let index = 0; index < 8; index += 1) await chain.provider.send('evm_mine', []);
      const snapshot = (await chain.provider.send('evm_snapshot', [])) as string;
      const { body } = await requestNft(session, address, { metadata: METADATA });
      expect(body).toMatchObject({ tokenId: '1' });
      const rows = () =>
        query<{ token_id: bigint; hash: Hex }>(
          mintmark.service.context.db,
          `select token_id, transaction_hash as hash from nfts where contract = decode(:digits, 'hex')`,
          { digits: address.slice(2) },
        );
      expect(await rows()).toHaveLength(1);
      let seen = 1;
      await chain.provider.send('evm_setAutomine', [false]);
      await chain.provider.send('evm_revert', [snapshot]);
      await chain.provider.send('evm_setAutomine', [false]);
      // An empty block in its place; the transaction comes back only with the next one.
      for (let look = 0; look < 6_000 && seen > 0; look += 1) {
        if (look % 20 === 0) await chain.provider.send('hardhat_mine', ['0x1']);
        await new Promise((resolve) => setTimeout(resolve, 50));
        seen = (await rows()).length;
      }
      expect(seen).toBe(0);
      expect(await read(session, address)).toMatchObject({ body: { minted: 0 } });
      await chain.provider.send('evm_setAutomine', [true]);
      for (let look = 0; look < 6_000 && (await rows()).length === 0; look += 1) {
        await chain.provider.send('evm_mine', []);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      expect((await rows()).map(({ token_id }) => token_id)).toEqual([1n]);
      expect(await chain.erc721(address).getFunction('totalSupply')()).toBe(1n);
    } finally {
      await chain.provider.send('evm_setAutomine', [true]);
      await mintmark.restart();
    }
  });
});

describe('PUT .../metadata', () => {
  test('replaces the metadata of a token, and is free', async () => {
    const address = await createCollection(session);
    await requestNft(session, address, { metadata: METADATA });
    const before = await creditsLeft(mintmark, alice);
    const { status, headers, body } = await setNft(address, '1', {
      name: 'Dawn',
      description: 'The harbour before sunrise.',
      image: 'https://example.com/2.png',
      attributes: { mood: 'fresh' },
    });
    expect({ status, body }).toEqual({ status: 200, body: { success: true } });
    expect(headers.get('Transaction-Hash')).toMatch(/^0x[0-9a-f]{64}$/);
    expect(await tokenUri(address, '1')).toMatchObject({
      name: 'Dawn',
      attributes: [{ trait_type: 'mood', value: 'fresh' }],
    });
    expect(await creditsLeft(mintmark, alice)).toBe(before);
  });

  test('of a collection sets what contractURI shows, and is free', async () => {
    const address = await createCollection(session);
    const before = await creditsLeft(mintmark, alice);
    const { data, response } = await session.PUT('/v1/collections/{address}/metadata', {
      params: { path: { address } },
      body: {
        name: 'Harbour Lights',
        description: 'Evenings at the water.',
        image: 'ipfs://bafybeialiceart/cover.png',
      },
    });
    expect({ status: response.status, data }).toEqual({ status: 200, data: { success: true } });
    expect(parseUri((await chain.erc721(address).getFunction('contractURI')()) as string)).toMatchObject({
      name: 'Harbour Lights',
      description: 'Evenings at the water.',
      image: 'ipfs://bafybeialiceart/cover.png',
    });
    expect(await creditsLeft(mintmark, alice)).toBe(before);
  });

  test.each(['0', '2', String(2n ** 256n - 1n), String(2n ** 256n), '9'.repeat(78)])(
    'a token id that was never minted is 422: %s',
    async (tokenId) => {
      const address = await createCollection(session);
      await requestNft(session, address);
      expect(await setNft(address, tokenId)).toMatchObject({
        status: 422,
        body: { code: 'VALIDATION_ERROR' },
      });
    },
  );

  test.each(['01', '-1', '1e3', 'x'])('a token id that is no number is 422: %s', async (tokenId) => {
    expect(await setNft(RECIPIENT, tokenId)).toMatchObject({ status: 422 });
  });

  test('a mint and metadata for its token can be requested at the same time', async () => {
    const address = await createCollection(session);
    const [minted, described] = await Promise.all([
      requestNft(session, address),
      new Promise((resolve) => setTimeout(resolve, 5)).then(() => setNft(address, '1')),
    ]);
    expect([minted.status, described.status]).toEqual([201, 200]);
    expect(await tokenUri(address, '1')).toMatchObject({ name: 'Blue Hour' });
  });
});
