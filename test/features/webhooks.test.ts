import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import { findFreePort } from '../../src/embedded/free-port.ts';
import { createKey, sessionOf } from '../../lab/stage/collections.ts';
import type { TestKey } from '../../lab/stage/collections.ts';
import { makeRevert } from '../setup/mining.ts';
import { openChain } from '../setup/chain.ts';
import { isSignedWith, startReceiver } from '../../lab/stage/receiver.ts';
import type { Received, Receiver } from '../../lab/stage/receiver.ts';
import { createAsk } from '../../lab/stage/request.ts';
import type { Ask } from '../../lab/stage/request.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestAccount, TestService } from '../../lab/stage/service.ts';
import { deployToken, requestMint } from '../../lab/stage/tokens.ts';

interface Webhook {
  id: string;
  url: string;
  events: string[];
  enabled: boolean;
  disabledReason: string | null;
  secret?: string;
}

interface Delivery {
  id: string;
  event: string;
  intentId: string | null;
  status: string;
  attempts: number;
  responseStatus: number | null;
  error: string | null;
  nextAttemptAt: string | null;
}

let mintmark: TestService;
let receiver: Receiver;
let alice: TestAccount;
let live: TestKey;
let ask: Ask;

beforeAll(async () => {
  mintmark = await startTestService({ WEBHOOK_ALLOW_PRIVATE: 'true' });
  ask = createAsk(mintmark.url);
});

afterAll(() => mintmark?.stop());

beforeEach(async () => {
  receiver = await startReceiver();
  alice = await mintmark.register();
  live = await createKey(mintmark, alice);
});

afterEach(() => receiver.stop());

const callerOf = ({ key }: TestKey) => ({ token: key });

/** Registers a webhook at a path of the receiver. */
async function register(
  path: string,
  { key = live, events }: { key?: TestKey; events?: string[] } = {},
): Promise<Required<Webhook>> {
  const { status, body } = await ask(callerOf(key), 'POST', '/v1/webhooks', {
    url: receiver.urlOf(path),
    ...(events && { events }),
  });
  expect(status).toBe(201);
  return body as Required<Webhook>;
}

const read = async (id: string): Promise<Webhook> =>
  (await ask(callerOf(live), 'GET', `/v1/webhooks/${id}`)).body as Webhook;

const log = async (id: string, key = live): Promise<Delivery[]> =>
  ((await ask(callerOf(key), 'GET', `/v1/webhooks/${id}/deliveries`)).body as { data: Delivery[] }).data;

/** Polls the newest delivery until it matches. */
async function waitForDelivery(id: string, expected: Partial<Delivery>): Promise<Delivery> {
  let seen: Delivery | undefined;
  for (let look = 0; look < 400; look += 1) {
    [seen] = await log(id);
    if (seen && Object.entries(expected).every(([key, value]) => seen![key as keyof Delivery] === value))
      return seen;
    await sleep(50);
  }
  throw new Error(`the newest delivery is ${JSON.stringify(seen)} and not ${JSON.stringify(expected)}`);
}

/** Makes all waiting deliveries due now. */
const hurry = (): Promise<unknown> =>
  query(
    mintmark.service.context.db,
    `with due as (update webhook_deliveries set next_attempt_at = now() where status = 'pending' returning account_id)
     select graphile_worker.add_job('deliver-webhook', json_build_object('account', account_id)) from due`,
  );

const ofType = (type: string) => (received: Received) => received.message.type === type;

describe('a verdict', () => {
  test('is sent once, signed, with the intent as GET /intents/{id} returns it', async () => {
    const { id, secret } = await register('shop');
    const address = await deployToken(alice);
    const { intentId } = await requestMint(alice, address);
    const messages = await receiver.waitForMessages(2);
    const message = messages.find(({ message }) => message.data['id'] === intentId)!;
    expect(isSignedWith(secret, message)).toBe(true);
    expect(isSignedWith(`whsec_${Buffer.alloc(32).toString('base64')}`, message)).toBe(false);
    const { data: intent } = await alice.api.GET('/intents/{id}', { params: { path: { id: intentId! } } });
    expect(message.message).toEqual({
      type: 'intent.confirmed',
      timestamp: expect.any(String),
      sequence: 1,
      data: { ...intent, updatedAt: expect.any(String) },
    });
    expect(message.headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
    });
    const delivery = await waitForDelivery(id, { status: 'delivered' });
    expect(await log(id)).toHaveLength(2);
    expect(delivery).toMatchObject({ attempts: 1, responseStatus: 204, error: null, nextAttemptAt: null });
    expect((await log(id)).map((each) => each.id).sort()).toEqual(messages.map((each) => each.id).sort());
  });

  test('of a failure is sent with its reason', async () => {
    using chain = openChain(mintmark);
    const address = await deployToken(alice);
    await register('shop', { events: ['intent.failed'] });
    await makeRevert(chain, address, 'no more');
    const { status, intentId } = await requestMint(alice, address);
    expect(status).toBe(502);
    const [message] = await receiver.waitForMessages(1);
    expect(message!.message).toMatchObject({
      type: 'intent.failed',
      data: { id: intentId, status: 'failed', error: { code: 'CHAIN_ERROR' } },
    });
  });

  test('without a transaction is sent too', async () => {
    const address = await deployToken(alice);
    await register('shop');
    await alice.api.POST('/tokens/{address}/unpause', { params: { path: { address } } });
    const [message] = await receiver.waitForMessages(1);
    expect(message!.message).toMatchObject({
      type: 'intent.confirmed',
      data: { kind: 'unpause', status: 'confirmed', transaction: null },
    });
  });

  test('is sent to each webhook that subscribed to it, and to no other', async () => {
    const other = await mintmark.register();
    const others = await createKey(mintmark, other);
    await register('all');
    await register('failures', { events: ['intent.failed', 'intent.retracted'] });
    await register('more', { events: ['intent.confirmed'] });
    const off = await register('off');
    await ask(callerOf(live), 'PATCH', `/v1/webhooks/${off.id}`, { enabled: false });
    await register('others', { key: others });
    await deployToken(alice);
    await receiver.waitForMessages(2);
    await deployToken(other);
    await receiver.waitForMessages(3);
    await sleep(200);
    expect(receiver.received.map(({ path }) => path).sort()).toEqual(['all', 'more', 'others']);
  });

  test('of the sandbox is sent to webhooks of the sandbox, a live one to live webhooks', async () => {
    const sandbox = await createKey(mintmark, alice, 'sandbox');
    await register('live');
    const { id } = await register('sandbox', { key: sandbox });
    const made = await ask(callerOf(sandbox), 'POST', '/v1/collections', { name: 'Art', symbol: 'A' });
    const [first] = await receiver.waitForMessages(1);
    expect(first).toMatchObject({ path: 'sandbox', message: { data: { id: made.intentId } } });
    await deployToken(alice);
    const messages = await receiver.waitForMessages(2);
    expect(messages.map(({ path }) => path)).toEqual(['sandbox', 'live']);
    expect((await ask(callerOf(live), 'GET', `/v1/webhooks/${id}`)).status).toBe(404);
    expect((await ask(callerOf(sandbox), 'GET', `/v1/webhooks/${id}`)).body).toMatchObject({
      environment: 'sandbox',
    });
  });

  test('needs no database statement without webhooks, and one for all verdicts of a batch with them', async () => {
    const { db } = mintmark.service.context;
    const statements: string[] = [];
    const listen = ({ sql }: { sql: string }): void => void statements.push(sql);
    const address = await deployToken(alice);
    // At times old rows are deleted, and lines that nobody woke are looked for.
    const outbox = () =>
      statements.filter((sql) => sql.includes('webhook') && !/delete from|with recursive/.test(sql)).length;
    const mint = async (): Promise<void> => {
      await Promise.all(Array.from({ length: 5 }, () => requestMint(alice, address)));
    };
    db.on('query', listen);
    await mint();
    expect(statements.length).toBeGreaterThan(0);
    expect(outbox()).toBe(0);
    await register('shop');
    statements.length = 0;
    await mint();
    await receiver.waitForMessages(5);
    db.off('query', listen);
    const written = statements.filter((sql) => sql.includes('insert into webhook_deliveries')).length;
    const settled = statements.filter((sql) => sql.includes(`set status = 'confirmed'`)).length;
    expect(written).toBeGreaterThan(0);
    expect(written).toBeLessThanOrEqual(settled);
  });
});

describe('a change of the wallet', () => {
  const WALLET = '0x5dad7600C5D89fE3824fFa99ec1c3eB8BF3b0501';
  const set = (walletAddress: string | null) => alice.api.PATCH('/me', { body: { walletAddress } });

  test('is sent, signed, to the live webhooks that asked for it, and only when it is one', async () => {
    const { secret } = await register('security', { events: ['account.wallet_changed'] });
    await register('shop');
    await register('sandbox', {
      key: await createKey(mintmark, alice, 'sandbox'),
      events: ['account.wallet_changed'],
    });
    await set(null);
    await set(WALLET.toLowerCase());
    await set(WALLET);
    await set(null);
    const messages = await receiver.waitForMessages(2);
    await sleep(200);
    expect(receiver.received.map(({ path }) => path)).toEqual(['security', 'security']);
    expect(messages.every((message) => isSignedWith(secret, message))).toBe(true);
    const changes = messages.map(({ message }) => message).sort((a, b) => a.sequence - b.sequence);
    expect(changes).toEqual(
      [
        { walletAddress: WALLET, previousWalletAddress: null },
        { walletAddress: null, previousWalletAddress: WALLET },
      ].map((change, index) => ({
        type: 'account.wallet_changed',
        timestamp: expect.any(String),
        sequence: index + 1,
        data: { accountId: alice.id, ...change },
      })),
    );
  });
});

describe('a receiver', () => {
  test('that fails gets the same message again', async () => {
    const { id, secret } = await register('shop');
    receiver.answer((response) => void response.writeHead(503).end('down'));
    await deployToken(alice);
    const pending = await waitForDelivery(id, { attempts: 1 });
    expect(pending).toMatchObject({
      status: 'pending',
      responseStatus: 503,
      error: 'The receiver answered 503',
    });
    const delay = Date.parse(pending.nextAttemptAt!) - Date.now();
    expect(delay).toBeGreaterThan(0);
    expect(delay).toBeLessThan(6_000);
    receiver.answer((response) => void response.writeHead(200).end('thanks'));
    const [first, second] = await receiver.waitForMessages(2);
    expect(second!.id).toBe(first!.id);
    expect(second!.body).toBe(first!.body);
    expect(isSignedWith(secret, second!)).toBe(true);
    expect(await waitForDelivery(id, { status: 'delivered' })).toMatchObject({
      attempts: 2,
      responseStatus: 200,
      error: null,
    });
  });

  test('that always fails gets ten attempts in three days', async () => {
    const { id } = await register('shop');
    receiver.answer((response) => void response.writeHead(500).end());
    await ask(callerOf(live), 'POST', `/v1/webhooks/${id}/test`);
    const delays: number[] = [];
    for (let attempts = 1; attempts < 10; attempts += 1) {
      const seen = await waitForDelivery(id, { attempts });
      delays.push((Date.parse(seen.nextAttemptAt!) - Date.now()) / 1_000);
      await hurry();
    }
    expect(await waitForDelivery(id, { attempts: 10 })).toMatchObject({
      status: 'failed',
      nextAttemptAt: null,
    });
    [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400].forEach((seconds, index) => {
      expect(delays[index]! / seconds).toBeGreaterThan(index === 0 ? 0.4 : 0.89);
      expect(delays[index]! / seconds).toBeLessThan(1.11);
    });
    expect(receiver.received).toHaveLength(10);
  });

  test('that answers 410 is disabled', async () => {
    const { id } = await register('shop');
    receiver.answer((response) => void response.writeHead(410).end());
    await ask(callerOf(live), 'POST', `/v1/webhooks/${id}/test`);
    expect(await waitForDelivery(id, { status: 'failed' })).toMatchObject({
      responseStatus: 410,
      attempts: 1,
    });
    expect(await read(id)).toMatchObject({ enabled: false, disabledReason: 'GONE' });
    const enabled = await ask(callerOf(live), 'PATCH', `/v1/webhooks/${id}`, { enabled: true });
    expect(enabled.body).toMatchObject({ enabled: true, disabledReason: null });
  });

  test('that fails for five days without a success is disabled', async () => {
    const { db } = mintmark.service.context;
    const { id } = await register('shop');
    const test = () => ask(callerOf(live), 'POST', `/v1/webhooks/${id}/test`);
    const age = (days: number): Promise<unknown> =>
      query(db, `update webhooks set failing_since = now() - :days * interval '1 day' where id = :id`, {
        days,
        id,
      });
    const fail = async (): Promise<void> => {
      receiver.answer((response) => void response.writeHead(500).end());
      await test();
      await waitForDelivery(id, { attempts: 1, responseStatus: 500 });
    };
    await fail();
    await age(6);
    receiver.answer((response) => void response.writeHead(204).end());
    await test();
    await waitForDelivery(id, { status: 'delivered' });
    await fail();
    expect(await read(id)).toMatchObject({ enabled: true });
    await age(4);
    await fail();
    expect(await read(id)).toMatchObject({ enabled: true });
    await age(6);
    await fail();
    expect(await read(id)).toMatchObject({ enabled: false, disabledReason: 'FAILING' });
    // The waiting delivery gets no further attempt.
    await hurry();
    expect(await waitForDelivery(id, { status: 'failed' })).toMatchObject({
      error: 'The webhook is disabled',
    });
  });

  test('that redirects is not followed', async () => {
    const { id } = await register('shop');
    receiver.answer((response) => void response.writeHead(302, { Location: '/elsewhere' }).end());
    await ask(callerOf(live), 'POST', `/v1/webhooks/${id}/test`);
    expect(await waitForDelivery(id, { attempts: 1 })).toMatchObject({
      status: 'pending',
      responseStatus: 302,
    });
    expect(receiver.received.map(({ path }) => path)).toEqual(['shop']);
  });

  test('that never answers does not delay those of other accounts', async () => {
    const other = await mintmark.register();
    const slow = await register('slow');
    const quick = await register('quick', { key: await createKey(mintmark, other) });
    receiver.answer((response, { path }) => {
      if (path === 'quick') response.writeHead(204).end();
    });
    for (let count = 0; count < 20; count += 1)
      await ask(callerOf(live), 'POST', `/v1/webhooks/${slow.id}/test`);
    await receiver.waitForMessages(4, ({ path }) => path === 'slow');
    await deployToken(other);
    const startedAt = Date.now();
    await receiver.waitForMessages(1, ({ path }) => path === 'quick');
    expect(Date.now() - startedAt).toBeLessThan(60_000);
    expect(quick.enabled).toBe(true);
    await ask(callerOf(live), 'DELETE', `/v1/webhooks/${slow.id}`);
  });
});

describe('the owner of a webhook', () => {
  test('can replay a message', async () => {
    const { id } = await register('shop');
    await ask(callerOf(live), 'POST', `/v1/webhooks/${id}/test`);
    const { id: delivery } = await waitForDelivery(id, { status: 'delivered' });
    const route = `/v1/webhooks/${id}/deliveries/${delivery}/replay`;
    const replayed = await ask(callerOf(live), 'POST', route, undefined, { 'Idempotency-Key': 'again' });
    expect(replayed).toMatchObject({ status: 200, body: { id: delivery, attempts: 0 } });
    const [first, second] = await receiver.waitForMessages(2);
    expect([second!.id, second!.body]).toEqual([first!.id, first!.body]);
    await waitForDelivery(id, { status: 'delivered' });
    const repeated = await ask(callerOf(live), 'POST', route, undefined, { 'Idempotency-Key': 'again' });
    expect(repeated.body).toEqual(replayed.body);
    expect((await log(id))[0]).toMatchObject({ status: 'delivered' });
    const unknown = `/v1/webhooks/${id}/deliveries/${randomUUID()}/replay`;
    expect((await ask(callerOf(live), 'POST', unknown)).status).toBe(404);
    const elsewhere = await register('elsewhere');
    const foreign = `/v1/webhooks/${elsewhere.id}/deliveries/${delivery}/replay`;
    expect((await ask(callerOf(live), 'POST', foreign)).status).toBe(404);
  });

  test('can rotate the secret while both are valid', async () => {
    const { db } = mintmark.service.context;
    const { id, secret } = await register('shop');
    const route = `/v1/webhooks/${id}/rotate-secret`;
    const once = { 'Idempotency-Key': 'rotation' };
    const rotated = await ask(callerOf(live), 'POST', route, undefined, once);
    const { secret: next, previousSecretExpiresAt } = rotated.body as Record<string, string>;
    expect(Date.parse(previousSecretExpiresAt!) - Date.now()).toBeGreaterThan(23 * 3_600_000);
    expect(next).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect((await ask(callerOf(live), 'POST', route, undefined, once)).body).toEqual({
      previousSecretExpiresAt,
    });
    await ask(callerOf(live), 'POST', `/v1/webhooks/${id}/test`);
    const [both] = await receiver.waitForMessages(1);
    expect([isSignedWith(secret, both!), isSignedWith(next!, both!)]).toEqual([true, true]);
    await query(db, `update webhooks set previous_secret_until = now() where id = :id`, { id });
    await ask(callerOf(live), 'POST', `/v1/webhooks/${id}/test`);
    const [, one] = await receiver.waitForMessages(2);
    expect([isSignedWith(secret, one!), isSignedWith(next!, one!)]).toEqual([false, true]);
  });

  test('can register, read, change and delete with a key or the cookie, and sees the secret once', async () => {
    const once = { 'Idempotency-Key': 'registration' };
    const body = { url: receiver.urlOf('shop'), events: ['intent.failed'] };
    const made = await ask(callerOf(live), 'POST', '/v1/webhooks', body, once);
    const { secret, ...webhook } = made.body as Required<Webhook>;
    expect(webhook).toMatchObject({ ...body, enabled: true, disabledReason: null, environment: 'live' });
    expect(secret).toMatch(/^whsec_/);
    expect((await ask(callerOf(live), 'POST', '/v1/webhooks', body, once)).body).toEqual(webhook);
    expect((await ask(callerOf(live), 'POST', '/v1/webhooks', { url: body.url }, once)).status).toBe(422);
    const session = sessionOf(mintmark, alice);
    const { data: page } = await session.GET('/v1/webhooks', {});
    expect(page).toEqual({ data: [webhook], nextCursor: null });
    const { data: changed } = await session.PATCH('/v1/webhooks/{id}', {
      params: { path: { id: webhook.id } },
      body: { url: receiver.urlOf('v2'), events: ['intent.confirmed'] },
    });
    expect(changed).toMatchObject({ url: receiver.urlOf('v2'), events: ['intent.confirmed'], enabled: true });
    expect(await read(webhook.id)).toEqual(changed);
    const { db } = mintmark.service.context;
    const [owner] = await query<{ id: string }>(
      db,
      'select account_id as id from webhooks where id = :webhookId',
      { webhookId: webhook.id },
    );
    const { response } = await session.DELETE('/v1/webhooks/{id}', { params: { path: { id: webhook.id } } });
    expect(response.status).toBe(204);
    for (const [method, rest] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/test'],
      ['POST', '/rotate-secret'],
      ['GET', '/deliveries'],
    ] as const) {
      expect((await ask(callerOf(live), method, `/v1/webhooks/${webhook.id}${rest}`)).status).toBe(404);
    }
    expect((await ask(callerOf(live), 'PATCH', `/v1/webhooks/${webhook.id}`, { enabled: true })).status).toBe(
      404,
    );
    // The row itself may be gone: a job cleans up every fifth minute.
    const [row] = await query<object>(
      db,
      `select is_watched, (select count(secret)::int from webhooks w where w.account_id = a.id) as secrets
         from accounts a where a.id = :id`,
      { ...owner },
    );
    expect(row).toEqual({ is_watched: false, secrets: 0 });
  });

  test('can page through webhooks and deliveries', async () => {
    const ids: string[] = [];
    for (let index = 0; index < 3; index += 1) ids.unshift((await register(`shop${index}`)).id);
    const page = async (path: string) =>
      (await ask(callerOf(live), 'GET', path)).body as { data: { id: string }[]; nextCursor: string | null };
    const first = await page('/v1/webhooks?limit=2');
    expect(first.data.map(({ id }) => id)).toEqual(ids.slice(0, 2));
    const second = await page(`/v1/webhooks?limit=2&cursor=${first.nextCursor}`);
    expect(second).toMatchObject({ data: [{ id: ids[2] }], nextCursor: null });
    const tests: string[] = [];
    for (let index = 0; index < 3; index += 1) {
      const made = await ask(callerOf(live), 'POST', `/v1/webhooks/${ids[0]}/test`);
      expect(made.status).toBe(201);
      tests.unshift((made.body as { id: string }).id);
    }
    const newest = await page(`/v1/webhooks/${ids[0]}/deliveries?limit=2`);
    const oldest = await page(`/v1/webhooks/${ids[0]}/deliveries?limit=2&cursor=${newest.nextCursor}`);
    expect([...newest.data, ...oldest.data].map(({ id }) => id)).toEqual(tests);
  });

  test('can have ten in each environment', async () => {
    for (let index = 0; index < 10; index += 1) await register(`shop${index}`);
    const refused = await ask(callerOf(live), 'POST', '/v1/webhooks', { url: receiver.urlOf('one-more') });
    expect(refused).toMatchObject({ status: 409, body: { code: 'CONFLICT' } });
    await register('sandbox', { key: await createKey(mintmark, alice, 'sandbox') });
  });

  test('cannot test or replay through a disabled one', async () => {
    const { id } = await register('shop');
    const made = await ask(callerOf(live), 'POST', `/v1/webhooks/${id}/test`);
    await ask(callerOf(live), 'PATCH', `/v1/webhooks/${id}`, { enabled: false });
    const { id: delivery } = made.body as Delivery;
    for (const route of [`${id}/test`, `${id}/deliveries/${delivery}/replay`]) {
      const refused = await ask(callerOf(live), 'POST', `/v1/webhooks/${route}`);
      expect(refused).toMatchObject({ status: 409, body: { code: 'CONFLICT' } });
    }
  });

  test('gets an error that says what a URL must be', async () => {
    const { id } = await register('shop');
    const refused: unknown[] = [];
    for (const url of [
      'ftp://shop.example/',
      'https://user:secret@shop.example/',
      'https://shop.example/#part',
      'https://shop.example:22/',
      'shop',
      `https://shop.example/${'a'.repeat(2_048)}`,
    ]) {
      const made = await ask(callerOf(live), 'POST', '/v1/webhooks', { url });
      const changed = await ask(callerOf(live), 'PATCH', `/v1/webhooks/${id}`, { url });
      refused.push(made.status, changed.status);
    }
    expect(new Set(refused)).toEqual(new Set([422]));
    expect((await ask(callerOf(live), 'PATCH', `/v1/webhooks/${id}`, {})).status).toBe(422);
    expect(
      (await ask(callerOf(live), 'POST', `/v1/webhooks`, { url: receiver.urlOf('a'), events: [] })).status,
    ).toBe(422);
  });
});

/** How the receivers of docs/webhooks.md are run. Python is on most machines, and no part of this project. */
const RECEIVERS = [
  { language: 'js', program: process.execPath, args: ['--input-type=module', '--eval'] },
  { language: 'python', program: 'python3', args: ['-c'] },
].filter(({ program }) => spawnSync(program, ['--version']).status === 0);

test.each(RECEIVERS)(
  'the receiver of docs/webhooks.md in $language accepts a signed message once, and nothing else',
  async ({ language, program, args }) => {
    const handbook = readFileSync('docs/webhooks.md', 'utf8');
    const [, code] = new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``).exec(handbook)!;
    const port = await findFreePort();
    const { id, secret } = await register('shop');
    const ported = code!.replace(/listen\(4000\)|\b4000\b/, (found) =>
      found === '4000' ? String(port) : `listen(${port}, '127.0.0.1')`,
    );
    using stack = new DisposableStack();
    const running = spawn(program, [...args, ported], {
      env: { ...process.env, WEBHOOK_SECRET: secret },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    stack.defer(() => running.kill('SIGKILL'));
    const url = `http://127.0.0.1:${port}/`;
    const forge = () =>
      fetch(url, { method: 'POST', body: '{}', headers: { 'webhook-id': 'a', 'webhook-timestamp': '1' } });
    let forged: Response | null = null;
    for (let look = 0; look < 6_000 && !forged; look += 1) {
      forged = await forge().catch(() => null);
      await sleep(50);
    }
    expect(forged!.status).toBe(401);
    await ask(callerOf(live), 'PATCH', `/v1/webhooks/${id}`, { url });
    let printed = '';
    running.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    // Its data has neither id nor status.
    await ask(callerOf(live), 'POST', `/v1/webhooks/${id}/test`);
    await waitForDelivery(id, { event: 'webhook.test', status: 'delivered', attempts: 1 });
    await deployToken(alice);
    const delivery = await waitForDelivery(id, { event: 'intent.confirmed', responseStatus: 204 });
    await ask(callerOf(live), 'POST', `/v1/webhooks/${id}/deliveries/${delivery.id}/replay`);
    await waitForDelivery(id, { status: 'delivered' });
    expect(printed).toBe(`intent.confirmed ${delivery.intentId} confirmed\n`);
  },
);

describe('without WEBHOOK_SECRET_KEY_FILE', () => {
  test('webhooks can be read, and neither registered nor rotated', async () => {
    const { id } = await register('shop');
    await mintmark.restart({ WEBHOOK_SECRET_KEY_FILE: '' });
    try {
      const made = await ask(callerOf(live), 'POST', '/v1/webhooks', { url: receiver.urlOf('other') });
      expect(made).toMatchObject({ status: 503, body: { code: 'NOT_READY' } });
      const rotated = await ask(callerOf(live), 'POST', `/v1/webhooks/${id}/rotate-secret`);
      expect(rotated).toMatchObject({ status: 503, body: { code: 'NOT_READY' } });
      await ask(callerOf(live), 'POST', `/v1/webhooks/${id}/test`);
      expect(await waitForDelivery(id, { attempts: 1 })).toMatchObject({
        responseStatus: null,
        error: 'The signing secret cannot be read; rotate it',
      });
    } finally {
      await mintmark.restart({ WEBHOOK_ALLOW_PRIVATE: 'true' });
    }
    await hurry();
    await receiver.waitForMessages(1, ofType('webhook.test'));
  });
});
