import { afterAll, beforeEach, expect, test } from '@jest/globals';
import type { WriteOptions } from '../../src/lib/write-options.ts';
import { ADDRESS, INTENT_ID, send, serve } from '../../lab/stage/serve.ts';

const other = '0x5dad7600C5D89fE3824fFa99ec1c3eB8BF3b0501';
const accepted = {
  status: 202,
  body: { intent: { id: INTENT_ID, kind: 'mint', status: 'queued', transaction: null } },
} as const;

let writes: WriteOptions[] = [];

async function record({ write }: { write: WriteOptions }) {
  writes.push(write);
  return accepted;
}

const service = await serve({
  handlers: {
    mintToken: record,
    mintNftBatch: record,
    deployToken: record,
    pauseToken: record,
    unpauseToken: record,
  },
});
beforeEach(() => {
  writes = [];
});
afterAll(() => service[Symbol.asyncDispose]());

const mint = (address = ADDRESS) => `POST /tokens/${address}/mint`;

test.each([undefined, 'k', 'a key with spaces', '~!@#$%^&*()', 'x'.repeat(255)])(
  'accepts the key %.20s',
  async (key) => {
    const headers = key === undefined ? {} : { 'idempotency-key': key };
    expect(await send(service, mint(), { as: 'access', body: { owner: ADDRESS }, headers })).toMatchObject({
      status: 202,
    });
    expect(writes[0]?.idempotency?.key).toBe(key);
  },
);

test.each(['', 'x'.repeat(256), 'schlüssel', 'tab\tinside'])('refuses the key %.20j', async (key) => {
  const answer = await send(service, mint(), {
    as: 'access',
    body: { owner: ADDRESS },
    headers: { 'idempotency-key': key },
  });
  expect(answer).toMatchObject({ status: 422, body: { code: 'VALIDATION_ERROR' } });
  expect(answer.body).toMatchObject({ message: expect.stringMatching(/^idempotency-key /) });
  expect(writes).toEqual([]);
});

test('an address in a body counts in any case, and text that looks like one does not', async () => {
  const headers = { 'idempotency-key': 'k' };
  const hashOf = async (route: string, body: unknown, as = 'access'): Promise<string | undefined> => {
    writes = [];
    expect((await send(service, route, { as, body, headers })).status).toBe(202);
    return writes[0]?.idempotency?.requestHash;
  };
  const lower = ADDRESS.toLowerCase();
  expect(await hashOf(mint(), { owner: lower })).toBe(await hashOf(mint(), { owner: ADDRESS }));
  const batch = `POST /v1/collections/${ADDRESS}/mint/batch`;
  const items = (to: string, name = ADDRESS, own = ADDRESS) => ({
    items: [
      { to: ADDRESS },
      { to, metadata: { name, description: 'D', attributes: { to: own, owner: own } } },
    ],
  });
  const first = await hashOf(batch, items(ADDRESS), 'live');
  expect(await hashOf(batch, items(lower), 'live')).toBe(first);
  expect(await hashOf(batch, items(ADDRESS, lower), 'live')).not.toBe(first);
  expect(await hashOf(batch, items(ADDRESS, ADDRESS, lower), 'live')).not.toBe(first);
  const deploy = (receiver: string) =>
    hashOf('POST /tokens', {
      ...{ type: 'ERC721', name: 'N', symbol: 'S' },
      royalty: { receiver, basisPoints: 100 },
    });
  expect(await deploy(lower)).toBe(await deploy(ADDRESS));
});

test('a body that is none counts as no body', async () => {
  const headers = { 'idempotency-key': 'k' };
  const route = `POST /tokens/${ADDRESS}/pause`;
  for (const body of [undefined, '{}', '[]', 'null'])
    await send(service, route, { as: 'access', headers, ...(body !== undefined && { body }) });
  expect(writes).toHaveLength(4);
  expect(new Set(writes.map(({ idempotency }) => idempotency!.requestHash)).size).toBe(1);
});

test('the hash differs between requests, and not between spellings of one request', async () => {
  const sendBody = (route: string, body: unknown) =>
    send(service, route, { as: 'access', body, headers: { 'idempotency-key': 'k' } });
  await sendBody(mint(), `{"owner":"${ADDRESS}","amount":"1"}`);
  await sendBody(mint(), `{ "amount" : "1" , "owner" : "${ADDRESS}" }`);
  await sendBody(mint(ADDRESS.toLowerCase()), { owner: ADDRESS, amount: '1' });
  await sendBody(mint(), { owner: ADDRESS, amount: '2' });
  await sendBody(mint(), { owner: ADDRESS });
  await sendBody(mint(other), { owner: ADDRESS, amount: '1' });
  await sendBody('POST /tokens', { type: 'ERC20', name: 'A', symbol: 'A' });
  const hashes = writes.map(({ idempotency }) => idempotency?.requestHash);
  expect(hashes[0]).toMatch(/^0x[0-9a-f]{64}$/);
  expect(new Set(hashes.slice(0, 3)).size).toBe(1);
  expect(new Set(hashes.slice(2)).size).toBe(5);
});

test('names and keys that differ in the case of their letters are other requests', async () => {
  const deploy = (name: string, symbol: string) =>
    send(service, 'POST /tokens', {
      as: 'access',
      body: { type: 'ERC20', name, symbol },
      headers: { 'idempotency-key': 'k' },
    });
  await deploy('Coin', 'C');
  await deploy('coin', 'C');
  await deploy('Coin', 'c');
  expect(new Set(writes.map(({ idempotency }) => idempotency?.requestHash)).size).toBe(3);
});

test('two operations on the same thing are two requests', async () => {
  const headers = { 'idempotency-key': 'k' };
  for (const control of ['pause', 'unpause'])
    await send(service, `POST /tokens/${ADDRESS}/${control}`, { as: 'access', headers });
  const hashes = writes.map(({ idempotency }) => idempotency!.requestHash);
  expect(new Set(hashes).size).toBe(2);
});

test.each([
  ['respond-async', true],
  ['respond-async, wait=10', true],
  ['wait=10,Respond-Async', true],
  ['handling=strict', false],
  ['not-respond-async', false],
  ['respond-asynchronously', false],
])('Prefer: %s means %s', async (prefer, expected) => {
  await send(service, mint(), { as: 'access', body: { owner: ADDRESS }, headers: { prefer } });
  expect(writes[0]?.respondAsync).toBe(expected);
});
