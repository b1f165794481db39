import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { setPlan } from '../../lab/stage/accounts.ts';
import { openChain } from '../setup/chain.ts';
import { installClient } from '../setup/client-package.ts';
import type { ClientProject } from '../setup/client-package.ts';
import { createKey } from '../../lab/stage/collections.ts';
import { startLossyProxy } from '../setup/lossy-proxy.ts';
import type { Fault } from '../setup/lossy-proxy.ts';
import { withoutBlocks } from '../setup/mining.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestAccount, TestService } from '../../lab/stage/service.ts';
import { RECIPIENT, deployToken } from '../../lab/stage/tokens.ts';

/** The installed package against the real service, some of it through a proxy that loses what it shall. */
let mintmark: TestService;
let project: ClientProject;
let chain: ReturnType<typeof openChain>;
let alice: TestAccount;
let address: string;

beforeAll(async () => {
  [mintmark, project] = await Promise.all([startTestService(), installClient()]);
  chain = openChain(mintmark);
  alice = await mintmark.register();
  await setPlan(mintmark, alice, 'PRO_PLUS');
  address = await deployToken(alice);
});

afterAll(async () => {
  chain?.close();
  await project?.[Symbol.asyncDispose]();
  await mintmark?.stop();
});

const connect = (options: { baseUrl?: string; timeoutMs?: number; attemptTimeoutMs?: number } = {}) =>
  project.client.createClient({ baseUrl: mintmark.url, token: alice.token, ...options });

const mintOf = (owner: string = RECIPIENT) =>
  ({ params: { path: { address } }, body: { owner, amount: '1' } }) as const;

const supply = (): Promise<bigint> => chain.erc20(address).getFunction('totalSupply')() as Promise<bigint>;

/** What a call is refused with. */
async function errorOf(call: Promise<unknown>) {
  const error = await call.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(project.client.MintmarkError);
  return error as InstanceType<ClientProject['client']['MintmarkError']>;
}

describe('1,000 mints through a proxy that loses replies', () => {
  const CALLS = 1_000;
  const AT_A_TIME = 50;
  const BUSY: Fault = {
    status: 429,
    headers: { 'Content-Type': 'application/json', 'Retry-After': '1' },
    body: '{"code":"RATE_LIMITED","message":"Too many requests."}',
  };
  const GATEWAY: Fault = {
    status: 502,
    headers: { 'Content-Type': 'text/html' },
    body: '<h1>502 Bad Gateway</h1>',
  };
  /** Of one call after the other; then it goes through. */
  const PLANS: readonly Fault[][] = [
    ['lose reply'],
    ['lose reply', 'lose reply'],
    ['lose request', 'cut reply'],
    ['cut reply'],
    ['hold reply'],
    [GATEWAY, 'lose reply'],
    [],
    [BUSY],
  ];
  const recipientOf = (index: number): string => `0x${(index + 1).toString(16).padStart(40, '0')}`;

  test('0 doubled, 0 lost', async () => {
    const plans = new Map<string, readonly Fault[]>();
    await using proxy = await startLossyProxy(mintmark.url, ({ key, attempt }) => {
      if (!plans.has(key!)) plans.set(key!, PLANS[plans.size % PLANS.length]!);
      return plans.get(key!)![attempt - 1] ?? 'none';
    });
    const client = connect({ baseUrl: proxy.url, attemptTimeoutMs: 15_000 });
    const before = await supply();
    const hashes: string[] = [];
    const work = Array.from({ length: CALLS }, (_, index) => index);
    const one = async (): Promise<void> => {
      for (let index = work.pop(); index !== undefined; index = work.pop()) {
        const { data } = await client.POST('/tokens/{address}/mint', mintOf(recipientOf(index)));
        hashes.push(data.data.transaction.hash);
      }
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, one));

    expect(hashes).toHaveLength(CALLS);
    expect(await supply()).toBe(before + BigInt(CALLS));
    const transfers = await chain.erc20(address).queryFilter('Transfer', 0, 'latest');
    const receivers = transfers.map((log) => `0x${log.topics[2]!.slice(-40)}`);
    const ours = receivers.filter((receiver) => BigInt(receiver) <= BigInt(CALLS));
    expect(ours).toHaveLength(CALLS);
    expect(new Set(ours).size).toBe(CALLS);
    // Every call had a key of its own, and its retries had the same one.
    expect(plans.size).toBe(CALLS);
    const faults = PLANS.flat().length * (CALLS / PLANS.length);
    // More where a busy service is late, or says 503 by itself.
    expect(proxy.requests.length).toBeGreaterThanOrEqual(CALLS + faults);
  });
});

describe('a write', () => {
  test('is followed past a 202 to its own answer', async () => {
    await using slow = await startTestService({ WAIT_TIMEOUT_MS: '0' });
    const { token } = await slow.register();
    const client = project.client.createClient({ baseUrl: slow.url, token });
    const { data, response } = await client.POST('/tokens', {
      body: { type: 'ERC20', name: 'Slow', symbol: 'S' },
    });
    expect([response.status, data.data.name]).toEqual([200, 'Slow']);
  });

  test('returns at once with `wait: false`, and waitForIntent tells its verdict', async () => {
    const client = connect();
    await withoutBlocks(chain, async (mine) => {
      const { data, intentId } = await client.POST('/tokens/{address}/mint', { ...mintOf(), wait: false });
      if (!('intent' in data)) throw new Error('the answer is final already');
      expect(data.intent.id).toBe(intentId);
      const late = await errorOf(client.waitForIntent(intentId, { timeoutMs: 600 }));
      expect([late.code, late.intentId]).toEqual(['TIMEOUT', intentId]);
      const never = await errorOf(client.waitForIntent(intentId, { timeoutMs: 0 }));
      expect([never.code, never.intentId, never.message]).toEqual([
        'TIMEOUT',
        intentId,
        'No answer came in time',
      ]);
      await mine();
      const intent = await client.waitForIntent(intentId);
      expect([intent.status, intent.transaction?.hash]).toEqual(['confirmed', expect.stringMatching(/^0x/)]);
    });
  });

  test('that fails throws what it failed with, and so does waitForIntent', async () => {
    const client = connect();
    await client.POST('/tokens/{address}/pause', { params: { path: { address } } });
    const refused = await errorOf(client.POST('/tokens/{address}/mint', mintOf()));
    expect(refused).toMatchObject({ code: 'CHAIN_ERROR', status: 502, details: { code: 'CHAIN_ERROR' } });
    expect(refused.requestId).toMatch(/\w/);
    expect(await errorOf(client.waitForIntent(refused.intentId!))).toMatchObject({
      code: 'CHAIN_ERROR',
      intentId: refused.intentId,
    });
    await client.POST('/tokens/{address}/unpause', { params: { path: { address } } });
  });

  test('that was left alone is done once under the key of its error', async () => {
    const client = connect({ timeoutMs: 1_500 });
    const before = await supply();
    await withoutBlocks(chain, async (mine) => {
      const late = await errorOf(client.POST('/tokens/{address}/mint', mintOf()));
      expect([late.code, late.status]).toEqual(['TIMEOUT', null]);
      await mine();
      const { response } = await connect().POST('/tokens/{address}/mint', {
        ...mintOf(),
        idempotencyKey: late.idempotencyKey!,
      });
      expect(response.status).toBe(200);
    });
    expect(await supply()).toBe(before + 1n);
  });

  test('ends with the reason of its signal', async () => {
    const ending = new AbortController();
    await withoutBlocks(chain, async () => {
      const call = connect().POST('/tokens/{address}/mint', { ...mintOf(), signal: ending.signal });
      setTimeout(() => ending.abort(new Error('enough')), 200);
      await expect(call).rejects.toThrow('enough');
    });
  });

  test('that takes no key is not sent again when it may have been carried out', async () => {
    await using proxy = await startLossyProxy(mintmark.url, () => 'lose reply');
    const client = connect({ baseUrl: proxy.url });
    const body = { email: alice.email, password: alice.password };
    expect(await errorOf(client.POST('/auth/signin', { body }))).toMatchObject({
      code: 'CONNECTION_FAILED',
      status: null,
      idempotencyKey: null,
    });
    expect(proxy.requests).toEqual([{ method: 'POST', path: '/auth/signin', key: undefined }]);
    await expect(client.POST('/auth/signin', { body, idempotencyKey: 'mine' })).rejects.toThrow(
      'takes no idempotencyKey',
    );
  });
});

describe('retries', () => {
  const answer = (status: number, retryAfter?: string): Fault => ({
    status,
    headers: { 'Content-Type': 'application/json', ...(retryAfter && { 'Retry-After': retryAfter }) },
    body: JSON.stringify({ code: 'RATE_LIMITED', message: 'Later.' }),
  });

  test('a Retry-After that is too long is not waited for', async () => {
    await using proxy = await startLossyProxy(mintmark.url, () => answer(429, '40000'));
    const error = await errorOf(connect({ baseUrl: proxy.url }).GET('/stats'));
    expect(error).toMatchObject({ code: 'RATE_LIMITED', status: 429, retryAfterSeconds: 40_000 });
    expect(proxy.requests).toHaveLength(1);
  });

  test.each([
    ['503, and a date in Retry-After', answer(503, new Date(0).toUTCString()), 2],
    ['409 with Retry-After, of a key whose first request is not accepted yet', answer(409, '0'), 2],
    ['409 without', answer(409), 1],
    ['500', answer(500), 1],
    ['a connection that broke', 'lose request' as const, 2],
  ])('%s', async (_what, fault, requests) => {
    await using proxy = await startLossyProxy(mintmark.url, ({ attempt }) =>
      attempt === 1 ? fault : 'none',
    );
    await connect({ baseUrl: proxy.url })
      .POST('/tokens/{address}/mint', mintOf())
      .catch(() => undefined);
    expect(proxy.requests).toHaveLength(requests);
    expect(new Set(proxy.requests.map(({ key }) => key)).size).toBe(1);
  });

  test('end: a service that is not there is told as such', async () => {
    const client = project.client.createClient({ baseUrl: 'http://127.0.0.1:1', maxRetries: 1 });
    const error = await errorOf(client.GET('/health'));
    expect([error.code, error.status]).toEqual(['CONNECTION_FAILED', null]);
    expect(String(error.cause)).toContain('fetch failed');
  });
});

describe('answers that are not of the service', () => {
  test.each<[string, Fault, RegExp]>([
    ['a redirect', { status: 301, headers: { Location: 'https://mint.example' }, body: '' }, /mint\.example/],
    ['a page', { status: 404, headers: { 'Content-Type': 'text/html' }, body: '<p>Nothing' }, /404.*<p>No/],
    [
      'broken JSON',
      { status: 200, headers: { 'Content-Type': 'application/json' }, body: '{"a' },
      /not JSON/,
    ],
  ])('%s is an error that tells it', async (_what, fault, words) => {
    await using proxy = await startLossyProxy(mintmark.url, () => fault);
    const error = await errorOf(connect({ baseUrl: proxy.url }).POST('/tokens/{address}/mint', mintOf()));
    expect(error.code).toBe('UNEXPECTED_ANSWER');
    expect(error.message).toMatch(words);
    expect(proxy.requests).toHaveLength(1);
  });
});

test('an API key works, and a list is read to its end, page by page', async () => {
  const { key } = await createKey(mintmark, alice, 'sandbox');
  const shop = project.client.createClient({ baseUrl: mintmark.url, apiKey: key });
  const names = Array.from({ length: 5 }, (_, index) => `Collection ${index} ${randomUUID()}`);
  for (const name of names) await shop.POST('/v1/collections', { body: { name, symbol: 'C' } });
  const read: string[] = [];
  for await (const { name } of shop.paginate('/v1/collections', { params: { query: { limit: 2 } } }))
    read.push(name);
  expect(read.sort()).toEqual(names.sort());
});

test.each([
  [{ baseUrl: 'mint.example.org' }, 'baseUrl must be like https://mint.example.org'],
  [{ baseUrl: 'https://mint.example.org/?a=b' }, 'baseUrl must be like'],
  [{ baseUrl: 'https://mint.example.org', token: 'mta_1', apiKey: 'mtk_1' }, 'token and apiKey are given'],
  [{ baseUrl: 'https://mint.example.org', timeoutMs: Infinity }, 'timeoutMs must be a number from 0 to'],
  [{ baseUrl: 'https://mint.example.org', maxRetries: -1 }, 'maxRetries must be a number from 0 to'],
])('createClient(%j) says what is wrong', (options, words) => {
  expect(() => project.client.createClient(options)).toThrow(words);
});

test('a token may come from a function, which is asked for each call', async () => {
  let asked = 0;
  const client = project.client.createClient({
    baseUrl: mintmark.url,
    token: async () => {
      asked += 1;
      return alice.token;
    },
  });
  const { data } = await client.GET('/me');
  await client.GET('/stats');
  expect([data.email, asked]).toEqual([alice.email, 2]);
});

test('what is not JSON is text', async () => {
  const { data } = await connect().GET('/openapi.yaml');
  expect(data).toMatch(/^openapi: 3\.1/);
});
