import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { mkdtempDisposable, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { setPlan } from '../lab/stage/accounts.ts';
import { openChain } from './setup/chain.ts';
import { createCollection, createKey, requestNft, sessionOf } from '../lab/stage/collections.ts';
import { examplesOf, readDocumented, schemesOf } from '../lab/stage/documented.ts';
import type { Documented } from '../lab/stage/documented.ts';
import { waitForStatus } from '../lab/stage/intents.ts';
import { withoutBlocks } from './setup/mining.ts';
import { startPrism } from './setup/prism.ts';
import type { Prism } from './setup/prism.ts';
import { startReceiver } from '../lab/stage/receiver.ts';
import type { Receiver } from '../lab/stage/receiver.ts';
import { createAsk } from '../lab/stage/request.ts';
import { startTestService } from '../lab/stage/service.ts';
import type { TestAccount, TestService } from '../lab/stage/service.ts';
import { RECIPIENT, deployToken, requestMint } from '../lab/stage/tokens.ts';

/**
 * Every request goes to the real service through Prism as docs/sdk.md starts it, which answers 500 or 422 in its own
 * words where a request or an answer breaks `openapi.yaml`. So each test here shows two things at once.
 */
const [, command] = /^```sh proxy\n(.*)\n```$/m.exec(await readFile('docs/sdk.md', 'utf8')) ?? [];

let mintmark: TestService;
let receiver: Receiver;
let chain: ReturnType<typeof openChain>;
let prism: Prism;
let world: Awaited<ReturnType<typeof createWorld>>;

beforeAll(async () => {
  // One transaction at a time, so that a second write is queued behind the first.
  mintmark = await startTestService({
    MAX_IN_FLIGHT: '1',
    WEBHOOK_ALLOW_PRIVATE: 'true',
  });
  chain = openChain(mintmark);
  receiver = await startReceiver();
  [prism, world] = await Promise.all([startProxy(mintmark.url), createWorld()]);
});

afterAll(async () => {
  await prism?.stop();
  chain?.close();
  await receiver?.stop();
  await mintmark?.stop();
});

/** The command of the page without npx, which does not pass signals on to its child. */
function startProxy(target: string): Promise<Prism> {
  return startPrism((port) => {
    const line = command!.replace('http://127.0.0.1:3000', target).replace('--port 4011', `--port ${port}`);
    return ['sh', '-c', line.replace('npx ', 'exec node_modules/.bin/')];
  });
}

/** Existing objects in place of those in the examples. */
async function createWorld() {
  const alice = await mintmark.register();
  await setPlan(mintmark, alice, 'PRO');
  const session = sessionOf(mintmark, alice);
  const [live, sandbox] = [
    await createKey(mintmark, alice, 'live'),
    await createKey(mintmark, alice, 'sandbox'),
  ];
  const [coin, art, controlled] = [
    await deployToken(alice),
    await deployToken(alice, 'ERC721'),
    await deployToken(alice),
  ];
  const { intentId } = await requestMint(alice, art, { amount: null });
  const collections = { live: await createCollection(session), sandbox: await createCollection(sandbox.api) };
  await requestNft(session, collections.live);
  const tried = await requestNft(sandbox.api, collections.sandbox);
  return {
    alice,
    credentials: {
      accessToken: { Authorization: `Bearer ${alice.token}` },
      liveKey: { Authorization: `Bearer ${live.key}` },
      sandboxKey: { Authorization: `Bearer ${sandbox.key}` },
      session: { Cookie: `service_session=${alice.cookie}` },
    } as Record<string, Record<string, string>>,
    coin,
    art,
    controlled,
    collections,
    intents: { live: intentId!, sandbox: tried.headers.get('Intent-Id')! },
  };
}

interface Real {
  /** Path parameters. */
  path?: Record<string, string>;
  body?: Record<string, unknown>;
  headers?: Record<string, string>;
}

async function newInvite(): Promise<string> {
  const invite = randomUUID();
  await mintmark.service.context.accounts.ensureInvites([invite]);
  return invite;
}

const withCookie = ({ cookie }: TestAccount): Real => ({ headers: { Cookie: `service_session=${cookie}` } });

/** An account of its own with a webhook, and a delivery of it: an account may have only so many. */
async function withWebhook(scheme: string): Promise<Real> {
  const account = await mintmark.register();
  const environment = scheme === 'sandboxKey' ? 'sandbox' : 'live';
  const { key, api } = await createKey(mintmark, account, environment);
  const body = { url: receiver.urlOf('shop') };
  const { data: webhook } = await api.POST('/v1/webhooks', { body });
  const params = { path: { id: webhook!.id } };
  const { data: delivery } = await api.POST('/v1/webhooks/{id}/test', { params });
  const session = withCookie(account).headers!;
  return {
    headers: scheme === 'session' ? session : { Authorization: `Bearer ${key}` },
    path: { id: webhook!.id, deliveryId: delivery!.id },
  };
}

/** A token of its own, of which the account of the examples has one whole: what changes it cannot be undone. */
async function withToken(type: 'ERC20' | 'ERC721'): Promise<Real> {
  const address = await deployToken(world.alice, type, true, { recoverable: true });
  await requestMint(world.alice, address, { amount: type === 'ERC20' ? `1${'0'.repeat(18)}` : null });
  return { path: { address } };
}

/** Values that an example cannot know or that can be used once, replaced before each request. */
const REPLACED: Record<string, (scheme: string, example: Body) => Promise<Real>> = {
  registerAccount: async () => ({
    body: { email: `${randomUUID()}@example.com`, inviteCode: await newInvite() },
  }),
  logIn: async () => ({ body: { email: world.alice.email } }),
  signIn: async () => ({ body: { email: world.alice.email } }),
  signOut: async () => ({ headers: { Authorization: `Bearer ${(await mintmark.register()).token}` } }),
  logOut: async () => withCookie(await mintmark.register()),
  changePassword: async () => {
    const account = await mintmark.register();
    return { ...withCookie(account), body: { currentPassword: account.password } };
  },
  revokeApiKey: async () => ({ path: { id: (await createKey(mintmark, world.alice)).id } }),
  getIntent: async (scheme) => ({
    path: { id: scheme === 'sandboxKey' ? world.intents.sandbox : world.intents.live },
  }),
  getIntentTimeline: async (scheme) => ({
    path: { id: scheme === 'sandboxKey' ? world.intents.sandbox : world.intents.live },
  }),
  createWebhook: async () => ({ body: { url: receiver.urlOf('shop') } }),
  getWebhook: withWebhook,
  updateWebhook: withWebhook,
  deleteWebhook: withWebhook,
  rotateWebhookSecret: withWebhook,
  testWebhook: withWebhook,
  listWebhookDeliveries: withWebhook,
  replayWebhookDelivery: withWebhook,
  closeMint: () => withToken('ERC20'),
  reopenMint: () => withToken('ERC20'),
  renounceControls: () => withToken('ERC20'),
  restoreControls: () => withToken('ERC20'),
  setMintLimit: () => withToken('ERC20'),
  forceTransfer: (_scheme, example) => withToken('amount' in example! ? 'ERC20' : 'ERC721'),
  setRoyalty: () => withToken('ERC721'),
  freezeMetadata: () => withToken('ERC721'),
  unfreezeMetadata: () => withToken('ERC721'),
};

const CONTROLS =
  /\/(un)?(pause|lock-transfers|freeze|approve-account)$|\/un(lock-transfers|approve-account)$/;

/** The contract that an operation is tried on: controls have their own, so that no other operation finds it paused. */
function addressFor({ path: template }: Documented, tokenId: unknown, scheme: string): string {
  if (template.startsWith('/v1/')) return world.collections[scheme === 'sandboxKey' ? 'sandbox' : 'live'];
  if (CONTROLS.test(template)) return world.controlled;
  return tokenId === undefined ? world.coin : world.art;
}

type Body = Record<string, unknown> | undefined;

async function send(operation: Documented, scheme: string, example: Body, prefer?: string) {
  const { method, path: template, parameters, operationId } = operation;
  const real = (await REPLACED[operationId]?.(scheme, example)) ?? {};
  const isNft = operationId === 'mintToken' && !('amount' in example!);
  const takesTokenId = parameters.some(({ name }) => name === 'tokenId');
  const tokenId = example?.['tokenId'] ?? (takesTokenId || isNft ? '1' : undefined);
  const address = addressFor(operation, tokenId, scheme);
  const filled = template.replaceAll(
    /\{(\w+)\}/g,
    (_, name: string) => ({ address, account: RECIPIENT, tokenId: '1', ...real.path })[name] ?? `{${name}}`,
  );
  const query = new URLSearchParams();
  for (const { name, in: place, example: value } of parameters) {
    // A cursor is valid for its own list only; test/features pages through whole lists.
    if (place === 'query' && name !== 'cursor')
      query.set(name, name === 'contract' ? address : String(value));
  }
  const body = example && { ...example, ...real.body };
  const takesKey = parameters.some(({ name }) => name === 'Idempotency-Key');
  const response = await fetch(`${prism.url}${filled}${query.size > 0 ? `?${query.toString()}` : ''}`, {
    method: method.toUpperCase(),
    headers: {
      ...world.credentials[scheme],
      ...(takesKey && { 'Idempotency-Key': `order-8421-mint ${randomUUID()}` }),
      ...(prefer && { Prefer: prefer }),
      ...(body && { 'Content-Type': 'application/json' }),
      ...real.headers,
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { scheme, status: response.status, text: await response.text() };
}

const operations = readDocumented();
const withoutSpecial = operations.filter(({ operationId }) => operationId !== 'cancelIntent');

test.each(withoutSpecial.map((operation) => [operation.operationId, operation] as const))(
  'the service takes each example of %s, from every credential, and answers as documented',
  async (_id, operation) => {
    const bodies = operation.requestBody
      ? examplesOf(operation.requestBody).map(({ value }) => value as Body)
      : [undefined];
    const success = Number(Object.keys(operation.responses).find((status) => status.startsWith('2')));
    const schemes = schemesOf(operation);
    for (const scheme of schemes.length > 0 ? schemes : ['none']) {
      for (const body of bodies) {
        const answer = await send(operation, scheme, body);
        expect(answer).toEqual({ scheme, status: success, text: answer.text });
        if (!operation.responses['202']) continue;
        const early = await send(operation, scheme, body, 'respond-async');
        expect([202, success]).toContain(early.status);
      }
    }
  },
);

test('the service takes the example of cancelIntent while a write is queued', async () => {
  const { art, alice } = world;
  await withoutBlocks(chain, async () => {
    const first = await requestMint(alice, art, { amount: null, prefer: 'respond-async' });
    await waitForStatus(alice, first.intentId!, 'submitted');
    const second = await requestMint(alice, art, { amount: null, prefer: 'respond-async' });
    const answer = await createAsk(prism.url)(alice, 'POST', `/intents/${second.intentId}/cancel`);
    expect(answer).toMatchObject({ status: 200, body: { status: 'cancelled' } });
  });
});

test('the demo runs to its end through the check', async () => {
  await using folder = await mkdtempDisposable(path.join(tmpdir(), 'mintmark-proxied-'));
  const picture = path.join(folder.path, 'demo.svg');
  const args = ['scripts/demo.ts', '--url', prism.url, '--invite', await newInvite(), '--picture', picture];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  expect(stdout).toMatch(/as GET \/v1\/billing\/credits says +-10 +90\n/);
});

describe('an error passes the check too', () => {
  const unknown = '0x3440326f551B8A7ee198cEE35cb5D517f2d296a2';
  type Case = [string, string, () => Promise<{ status: number; body: unknown }>];
  const ask = (...args: Parameters<ReturnType<typeof createAsk>>) => createAsk(prism.url)(...args);
  const cases: Case[] = [
    ['a worthless token', '401 UNAUTHORIZED', () => ask({ token: 'mta_x' }, 'GET', '/me')],
    [
      'a wrong password',
      '401 UNAUTHORIZED',
      () => ask(null, 'POST', '/auth/signin', { email: world.alice.email, password: 'wrong' }),
    ],
    [
      "somebody else's token",
      '403 FORBIDDEN',
      async () => ask(await mintmark.register(), 'GET', `/tokens/${world.coin}`),
    ],
    [
      'a write from another site',
      '403 FORBIDDEN',
      () =>
        ask(
          null,
          'POST',
          '/v1/collections',
          { name: 'Elsewhere', symbol: 'ELSE' },
          {
            ...world.credentials['session'],
            Origin: 'https://elsewhere.example',
          },
        ),
    ],
    ['an unknown address', '404 NOT_FOUND', () => ask(world.alice, 'GET', `/tokens/${unknown}`)],
    ['an unknown intent', '404 NOT_FOUND', () => ask(world.alice, 'GET', `/intents/${randomUUID()}`)],
    [
      'an e-mail that is registered',
      '409 CONFLICT',
      async () =>
        ask(null, 'POST', '/v1/auth/register', {
          email: world.alice.email,
          password: 'correct horse battery',
          inviteCode: await newInvite(),
        }),
    ],
    [
      'an invite code that does not exist',
      '422 VALIDATION_ERROR',
      () =>
        ask(null, 'POST', '/v1/auth/register', {
          email: `${randomUUID()}@example.com`,
          password: 'correct horse battery',
          inviteCode: 'none',
        }),
    ],
    [
      'a base URI that is too long',
      '422 BASE_URI_TOO_LONG',
      () =>
        ask(world.alice, 'POST', '/tokens', {
          type: 'ERC721',
          name: 'Art',
          symbol: 'A',
          baseUri: `ipfs://${'x'.repeat(256)}`,
        }),
    ],
    [
      'a used Idempotency-Key',
      '422 VALIDATION_ERROR',
      async () => {
        const key = { 'Idempotency-Key': randomUUID() };
        await ask(world.alice, 'PATCH', '/me', { walletAddress: unknown }, key);
        return ask(world.alice, 'PATCH', '/me', { walletAddress: null }, key);
      },
    ],
    [
      'a mint to a frozen account',
      '502 CHAIN_ERROR',
      async () => {
        await ask(world.alice, 'POST', `/tokens/${world.controlled}/freeze`, { account: RECIPIENT });
        return ask(world.alice, 'POST', `/tokens/${world.controlled}/mint`, {
          owner: RECIPIENT,
          amount: '1',
        });
      },
    ],
  ];
  test.each(cases)('%s: %s', async (_what, expected, request) => {
    const { status, body } = await request();
    expect(`${status} ${(body as { code: string }).code}`).toBe(expected);
  });
});

test('the check reports an answer that breaks the contract, and a request that does', async () => {
  await using server = createServer((_request, response) => {
    response.setHeader('Content-Type', 'application/json').end('{"ok":"yes"}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  await using proxy = await startProxy(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const wrongAnswer = await fetch(`${proxy.url}/health`);
  const wrongRequest = await fetch(`${proxy.url}/v1/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"email":"alice@example.com"}',
  });
  expect([wrongAnswer.status, wrongRequest.status]).toEqual([500, 422]);
  expect(wrongAnswer.headers.get('Content-Type')).toContain('application/problem+json');
  expect(await wrongAnswer.text()).toContain('#VIOLATIONS');
});
