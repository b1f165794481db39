import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { getAddress } from 'ethers';
import { openChain } from '../setup/chain.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestAccount, TestService } from '../../lab/stage/service.ts';

const RECIPIENT = '0x3440326f551B8A7ee198cEE35cb5D517f2d296a2';
const WALLET = '0x5dad7600C5D89fE3824fFa99ec1c3eB8BF3b0501';
const UUID = /^[0-9a-f-]{36}$/;

let mintmark: TestService;
let chain: ReturnType<typeof openChain>;
let alice: TestAccount;
let bob: TestAccount;

beforeAll(async () => {
  mintmark = await startTestService();
  chain = openChain(mintmark);
  alice = await mintmark.register();
  bob = await mintmark.register();
});

afterAll(async () => {
  chain?.close();
  await mintmark?.stop();
});

async function deploy(account: TestAccount, body: Parameters<typeof deployRaw>[1]): Promise<string> {
  const { data, error } = await deployRaw(account, body);
  if (!data || !('success' in data)) throw new Error(JSON.stringify(error ?? data));
  return data.data.address;
}

const deployRaw = (
  { api }: TestAccount,
  body:
    | { type: 'ERC20'; name: string; symbol: string; decimals?: number; isPermissionless?: boolean }
    | { type: 'ERC721'; name: string; symbol: string; baseUri?: string; isPermissionless?: boolean },
) =>
  api.POST('/tokens', {
    body:
      body.type === 'ERC20'
        ? { isPermissionless: true, decimals: 18, ...body }
        : { isPermissionless: true, ...body },
  });

describe('POST /tokens', () => {
  test('deploys an ERC-20 with the given name, symbol and decimals', async () => {
    const { data, response } = await deployRaw(alice, {
      type: 'ERC20',
      name: 'Punkte',
      symbol: 'PTS',
      decimals: 2,
    });
    expect(response.status).toBe(200);
    const hash = response.headers.get('Transaction-Hash');
    expect(response.headers.get('Intent-Id')).toMatch(UUID);
    expect(response.headers.get('Link')).toBe(`<${mintmark.url}/explorer/tx/${hash}>; rel="related"`);
    expect(data).toEqual({
      success: true,
      data: {
        address: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
        type: 'ERC20',
        name: 'Punkte',
        symbol: 'PTS',
        createdAt: expect.stringMatching(/Z$/),
        intentId: response.headers.get('Intent-Id'),
        transaction: { hash, explorerUrl: `${mintmark.url}/explorer/tx/${hash}` },
      },
    });
    const token = chain.erc20((data as { data: { address: string } }).data.address);
    expect(await token.getFunction('name')()).toBe('Punkte');
    expect(await token.getFunction('decimals')()).toBe(2n);
    expect((await chain.provider.getTransactionReceipt(hash!))?.status).toBe(1);
  });

  test('makes the wallet of the account the owner, and the Operator without one', async () => {
    const operator = await chain.operator.getAddress();
    const ownerOf = async (address: string): Promise<string> =>
      String(await chain.erc20(address).getFunction('owner')()).toLowerCase();
    expect(await ownerOf(await deploy(bob, { type: 'ERC721', name: 'A', symbol: 'A' }))).toBe(
      operator.toLowerCase(),
    );
    await bob.api.PATCH('/me', { body: { walletAddress: WALLET } });
    expect(await ownerOf(await deploy(bob, { type: 'ERC721', name: 'B', symbol: 'B' }))).toBe(
      WALLET.toLowerCase(),
    );
    await bob.api.PATCH('/me', { body: { walletAddress: null } });
  });

  test.each([
    ['a name of 65 bytes', { type: 'ERC20' as const, name: 'é'.repeat(33), symbol: 'X' }, 'VALIDATION_ERROR'],
    [
      'a symbol of 17 bytes',
      { type: 'ERC20' as const, name: 'X', symbol: 'é'.repeat(9) },
      'VALIDATION_ERROR',
    ],
    ['an empty name', { type: 'ERC20' as const, name: '', symbol: 'X' }, 'VALIDATION_ERROR'],
    [
      'decimals over 18',
      { type: 'ERC20' as const, name: 'X', symbol: 'X', decimals: 19 },
      'VALIDATION_ERROR',
    ],
    [
      'decimals for an ERC-721',
      { type: 'ERC721' as const, name: 'X', symbol: 'X', decimals: 2 },
      'VALIDATION_ERROR',
    ],
    [
      'a baseUri for an ERC-20',
      { type: 'ERC20' as const, name: 'X', symbol: 'X', baseUri: 'a' },
      'VALIDATION_ERROR',
    ],
    [
      'a baseUri of 257 bytes',
      { type: 'ERC721' as const, name: 'X', symbol: 'X', baseUri: 'a'.repeat(257) },
      'BASE_URI_TOO_LONG',
    ],
    ...[
      'javascript:alert(1)//',
      'data:application/json,{}',
      'ftp://example.com/',
      '//example.com/',
      'example.com/',
      'https://',
      ' https://example.com/',
      'https://example.com/"',
    ].map(
      (baseUri) =>
        [
          `${baseUri} as its baseUri`,
          { type: 'ERC721' as const, name: 'X', symbol: 'X', baseUri },
          'VALIDATION_ERROR',
        ] as const,
    ),
  ])('refuses %s and spends nothing', async (_case, body, code) => {
    const before = (await alice.api.GET('/stats')).data!.mintsUsed;
    const { error, response } = await deployRaw(alice, body);
    expect({ status: response.status, code: (error as { code: string }).code }).toEqual({
      status: 422,
      code,
    });
    expect((await alice.api.GET('/stats')).data!.mintsUsed).toBe(before);
  });

  test.each(['', 'http://[::1]:8080/a?id=', 'HTTPS://example.com', 'ipfs://bafy/'])(
    'takes "%s" as a baseUri',
    async (baseUri) => {
      const { response } = await deployRaw(alice, { type: 'ERC721', name: 'X', symbol: 'X', baseUri });
      expect(response.status).toBe(200);
    },
  );

  test('takes a baseUri of exactly 256 bytes', async () => {
    const baseUri = 'ipfs://'.padEnd(256, 'é'.length === 1 ? 'x' : 'y');
    const address = await deploy(alice, { type: 'ERC721', name: 'X', symbol: 'X', baseUri });
    expect((await chain.provider.getCode(address)).length).toBeGreaterThan(2);
  });
});

describe('POST /tokens/{address}/mint', () => {
  test('mints ERC-20 in the smallest unit', async () => {
    const address = await deploy(alice, { type: 'ERC20', name: 'Coin', symbol: 'C' });
    const { data, response } = await alice.api.POST('/tokens/{address}/mint', {
      params: { path: { address } },
      body: { owner: RECIPIENT, amount: '123' },
    });
    const hash = response.headers.get('Transaction-Hash');
    expect(data).toEqual({
      success: true,
      data: { transaction: { hash, explorerUrl: `${mintmark.url}/explorer/tx/${hash}` } },
    });
    expect(await chain.erc20(address).getFunction('balanceOf')(RECIPIENT)).toBe(123n);
  });

  test('mints ERC-721 ids from 1, in order', async () => {
    const address = await deploy(alice, { type: 'ERC721', name: 'Art', symbol: 'A' });
    const ids: unknown[] = [];
    for (let index = 0; index < 3; index += 1) {
      const { data } = await alice.api.POST('/tokens/{address}/mint', {
        params: { path: { address } },
        body: { owner: RECIPIENT },
      });
      ids.push((data as { data: { tokenId: string } }).data.tokenId);
    }
    expect(ids).toEqual(['1', '2', '3']);
    expect(await chain.erc721(address).getFunction('ownerOf')(2)).toBe(RECIPIENT);
  });

  const mintError = async (
    account: TestAccount,
    address: string,
    body: { owner: string; amount?: string },
  ) => {
    const { error, response } = await account.api.POST('/tokens/{address}/mint', {
      params: { path: { address } },
      body,
    });
    return { status: response.status, ...(error as { code: string; message: string }) };
  };

  test('refuses a body that does not fit the token type, a wrong address and a token of others, and spends nothing', async () => {
    const coin = await deploy(alice, { type: 'ERC20', name: 'Coin', symbol: 'C' });
    const art = await deploy(alice, { type: 'ERC721', name: 'Art', symbol: 'A' });
    const used = (await alice.api.GET('/stats')).data!.mintsUsed;
    const invalid = { status: 422, code: 'VALIDATION_ERROR' };
    expect(await mintError(alice, coin, { owner: RECIPIENT })).toMatchObject(invalid);
    expect(await mintError(alice, art, { owner: RECIPIENT, amount: '1' })).toMatchObject(invalid);
    expect(await mintError(alice, coin, { owner: RECIPIENT, amount: '0' })).toMatchObject(invalid);
    expect(await mintError(alice, coin, { owner: RECIPIENT, amount: '1.5' })).toMatchObject(invalid);
    expect(await mintError(alice, coin, { owner: RECIPIENT, amount: String(2n ** 256n) })).toMatchObject(
      invalid,
    );
    expect(await mintError(alice, coin, { owner: RECIPIENT.replace('a2', 'A2'), amount: '1' })).toMatchObject(
      invalid,
    );
    expect(await mintError(alice, coin, { owner: `0x${'0'.repeat(40)}`, amount: '1' })).toMatchObject(
      invalid,
    );
    expect(await mintError(bob, coin, { owner: RECIPIENT, amount: '1' })).toMatchObject({
      status: 403,
      code: 'FORBIDDEN',
    });
    expect(await mintError(alice, RECIPIENT, { owner: RECIPIENT, amount: '1' })).toMatchObject({
      status: 404,
      code: 'NOT_FOUND',
    });
    expect((await alice.api.GET('/stats')).data!.mintsUsed).toBe(used);
  });

  test('an unapproved recipient on a permissioned token is 422, and the quota is given back', async () => {
    const address = await deploy(alice, { type: 'ERC20', name: 'P', symbol: 'P', isPermissionless: false });
    const used = (await alice.api.GET('/stats')).data!.mintsUsed;
    const refused = await mintError(alice, address, { owner: RECIPIENT, amount: '1' });
    expect(refused).toMatchObject({ status: 422, code: 'VALIDATION_ERROR' });
    expect(refused.message).toContain('AccountNotApproved');
    expect((await alice.api.GET('/stats')).data!.mintsUsed).toBe(used);
  });

  test('a receiver contract that takes no tokens is 502 with the reason, and the quota is given back', async () => {
    const coin = await deploy(alice, { type: 'ERC20', name: 'Coin', symbol: 'C' });
    const art = await deploy(alice, { type: 'ERC721', name: 'Art', symbol: 'A' });
    const used = (await alice.api.GET('/stats')).data!.mintsUsed;
    const refused = await mintError(alice, art, { owner: coin });
    expect(refused).toMatchObject({ status: 502, code: 'CHAIN_ERROR' });
    expect(refused.message).toContain('ReceiverRefused');
    expect((await alice.api.GET('/stats')).data!.mintsUsed).toBe(used);
  });
});

describe('GET /tokens', () => {
  test('reads an own token in any case of its address', async () => {
    const address = await deploy(alice, {
      type: 'ERC721',
      name: 'Read me',
      symbol: 'R',
      isPermissionless: false,
    });
    const { data } = await alice.api.GET('/tokens/{address}', {
      params: { path: { address: address.toLowerCase() } },
    });
    expect(data).toEqual({
      address,
      type: 'ERC721',
      name: 'Read me',
      symbol: 'R',
      paused: false,
      transferLocked: false,
      permissionless: false,
      owner: getAddress(await chain.operator.getAddress()),
      creator: alice.email,
    });
  });

  test('403 for a token of another account, 404 for an unknown one', async () => {
    const address = await deploy(alice, { type: 'ERC20', name: 'Mine', symbol: 'M' });
    const foreign = await bob.api.GET('/tokens/{address}', { params: { path: { address } } });
    expect(foreign.response.status).toBe(403);
    const unknown = await bob.api.GET('/tokens/{address}', { params: { path: { address: WALLET } } });
    expect(unknown.response.status).toBe(404);
  });

  test('pages through own tokens, newest first', async () => {
    const carol = await mintmark.register();
    for (const name of ['first', 'second', 'third'])
      await deploy(carol, { type: 'ERC20', name, symbol: 'T' });
    const first = await carol.api.GET('/tokens', { params: { query: { limit: 2 } } });
    expect(first.data!.data.map(({ name }) => name)).toEqual(['third', 'second']);
    const second = await carol.api.GET('/tokens', {
      params: { query: { limit: 2, cursor: first.data!.nextCursor! } },
    });
    expect(second.data!.data.map(({ name }) => name)).toEqual(['first']);
    expect(second.data!.nextCursor).toBeNull();
    const bad = await carol.api.GET('/tokens', { params: { query: { cursor: 'bm9uc2Vuc2U' } } });
    expect(bad.response.status).toBe(422);
  });
});
