import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createKey, sessionOf } from '../../lab/stage/collections.ts';
import { createAsk } from '../../lab/stage/request.ts';
import type { Ask } from '../../lab/stage/request.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestAccount, TestService } from '../../lab/stage/service.ts';

let mintmark: TestService;
let ask: Ask;
let alice: TestAccount;
let bob: TestAccount;
/** Addresses by name. */
const addresses = new Map<string, string>();

const TOKENS = [
  { type: 'ERC20', name: 'Alice Coin', symbol: 'ALC', decimals: 6 },
  { type: 'ERC20', name: '100% Élan', symbol: 'A_B' },
  { type: 'ERC721', name: 'Harbour', symbol: 'HRB' },
  { type: 'ERC721', name: 'Coins of old', symbol: 'OLD' },
] as const;

beforeAll(async () => {
  mintmark = await startTestService();
  ask = createAsk(mintmark.url);
  [alice, bob] = await Promise.all([mintmark.register(), mintmark.register()]);
  for (const token of TOKENS) {
    const { body } = await ask(alice, 'POST', '/tokens', token);
    addresses.set(token.name, (body as { data: { address: string } }).data.address);
  }
  await ask(bob, 'POST', '/tokens', { type: 'ERC20', name: 'Coin of Bob', symbol: 'BOB' });
});

afterAll(() => mintmark?.stop());

interface Page {
  data: { name: string; decimals: number | null }[];
  nextCursor: string | null;
}

async function search(query: Record<string, string>): Promise<string[]> {
  const { status, body } = await ask(alice, 'GET', `/tokens?${String(new URLSearchParams(query))}`);
  expect(status).toBe(200);
  return (body as Page).data.map(({ name }) => name);
}

describe('GET /tokens', () => {
  test.each([
    ['a part of the name, in any case', 'coin', ['Coins of old', 'Alice Coin']],
    ['letters beyond ASCII', 'éLAN', ['100% Élan']],
    ['a part of the symbol', 'hrb', ['Harbour']],
    ['no pattern', '%', ['100% Élan']],
    ['no pattern either', 'a_b', ['100% Élan']],
    ['a backslash', '\\', []],
    ['what nothing has', 'nothing', []],
    ['another account has', 'bob', []],
  ])('finds by %s', async (_what, text, names) => {
    expect(await search({ search: text })).toEqual(names);
  });

  test('finds by the beginning of an address, in any case, and by nothing in its middle', async () => {
    const address = addresses.get('Harbour')!;
    expect(await search({ search: address })).toEqual(['Harbour']);
    expect(await search({ search: address.toLowerCase().slice(0, 15) })).toEqual(['Harbour']);
    expect(await search({ search: `0X${address.slice(2, 12).toUpperCase()}` })).toEqual(['Harbour']);
    expect(await search({ search: address.slice(2) })).toEqual([]);
    expect(await search({ search: `0x${address.slice(12)}` })).toEqual([]);
  });

  test('finds by standard, and by both', async () => {
    expect(await search({ type: 'ERC20' })).toEqual(['100% Élan', 'Alice Coin']);
    expect(await search({ type: 'ERC721', search: 'coin' })).toEqual(['Coins of old']);
  });

  test('pages through what it found', async () => {
    const first = (await ask(alice, 'GET', '/tokens?search=coin&limit=1')).body as Page;
    expect(first.data.map(({ name }) => name)).toEqual(['Coins of old']);
    const second = (await ask(alice, 'GET', `/tokens?search=coin&limit=1&cursor=${first.nextCursor}`))
      .body as Page;
    expect(second.data.map(({ name }) => name)).toEqual(['Alice Coin']);
    expect(second.nextCursor).toBeNull();
  });

  test('tells the decimals', async () => {
    const { body } = await ask(alice, 'GET', '/tokens');
    expect((body as Page).data.map(({ name, decimals }) => [name, decimals])).toEqual([
      ['Coins of old', null],
      ['Harbour', null],
      ['100% Élan', 18],
      ['Alice Coin', 6],
    ]);
  });

  test.each([
    'search=',
    `search=${'a'.repeat(65)}`,
    'search=%00',
    'search=a%0Ab',
    'type=ERC1155',
    'search=a&search=b',
  ])('%s is 422', async (query) => {
    expect(await ask(alice, 'GET', `/tokens?${query}`)).toMatchObject({
      status: 422,
      body: { code: 'VALIDATION_ERROR' },
    });
  });
});

describe('GET /v1/collections', () => {
  test('finds own collections alone, of the environment of the credential', async () => {
    const session = sessionOf(mintmark, alice);
    const { api: sandbox } = await createKey(mintmark, alice, 'sandbox');
    await session.POST('/v1/collections', { body: { name: 'Coin pictures', symbol: 'PIC' } });
    await session.POST('/v1/collections', { body: { name: 'Boats', symbol: 'BOAT' } });
    await sandbox.POST('/v1/collections', { body: { name: 'Coin tries', symbol: 'TRY' } });
    const find = async (api: typeof session, text: string) => {
      const { data } = await api.GET('/v1/collections', { params: { query: { search: text } } });
      return data!.data.map(({ name }) => name);
    };
    expect(await find(session, 'COIN')).toEqual(['Coin pictures']);
    expect(await find(session, 'oat')).toEqual(['Boats']);
    expect(await find(sandbox, 'coin')).toEqual(['Coin tries']);
    expect(await find(sandbox, 'boat')).toEqual([]);
    const [boats] = (await session.GET('/v1/collections')).data!.data;
    expect(await find(session, boats!.address.slice(0, 20))).toEqual(['Boats']);
  });
});
