import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createMintmarkClient } from '../../generated/client.ts';
import { createCli } from '../../lab/stage/cli.ts';
import { createKey, sessionOf } from '../../lab/stage/collections.ts';
import { cookie, issuedCookie } from '../../lab/stage/credentials.ts';
import { waitForStatus } from '../../lab/stage/intents.ts';
import { withoutBlocks } from '../setup/mining.ts';
import { openChain } from '../setup/chain.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestAccount, TestService } from '../../lab/stage/service.ts';
import { deployToken, requestMint } from '../../lab/stage/tokens.ts';

const ADDRESS = '203.0.113.7';
const AGENT = 'audited/1.0';

interface Entry {
  action: string;
  actor: string;
  credentialId: string | null;
  address: string | null;
  userAgent: string | null;
  environment: string | null;
  intentId: string | null;
  details: Record<string, unknown>;
  createdAt: string;
  hash: string | null;
}

let mintmark: TestService;
let cli: ReturnType<typeof createCli>;

beforeAll(async () => {
  mintmark = await startTestService({ TRUST_PROXY: '1', WEBHOOK_ALLOW_PRIVATE: 'true', MAX_IN_FLIGHT: '1' });
  cli = createCli(mintmark.environment);
});

afterAll(() => mintmark?.stop());

/** Sends as the client of these tests. */
async function send(route: string, body: unknown, headers: Record<string, string>) {
  const [method, path] = route.split(' ') as [string, string];
  const response = await fetch(mintmark.url + path, {
    method,
    headers: {
      'X-Forwarded-For': ADDRESS,
      'User-Agent': AGENT,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    body: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>,
    intentId: response.headers.get('Intent-Id'),
    headers: response.headers,
  };
}

/** All entries of an account, oldest first. */
async function entriesOf({ api }: TestAccount): Promise<Entry[]> {
  const { data } = await api.GET('/audit', { params: { query: { limit: 100 } } });
  return (data!.data as Entry[]).toReversed();
}

/** What an account does from here on is kept; what made it is not. */
async function since(account: TestAccount, work: () => Promise<unknown>): Promise<Entry[]> {
  const before = (await entriesOf(account)).length;
  await work();
  return (await entriesOf(account)).slice(before);
}

const by = ({ cookie, token }: TestAccount) => ({
  session: { Cookie: `service_session=${cookie}` },
  token: { Authorization: `Bearer ${token}` },
});
const brief = ({ action, actor, environment, details }: Entry) => ({ action, actor, environment, details });

describe('the audit log', () => {
  test('has a registration and sign-ins, with the credential that each got, and failed ones', async () => {
    const alice = await mintmark.register();
    const { email, password } = alice;
    const [registration, first] = await entriesOf(alice);
    expect(registration).toMatchObject({ action: 'registration', actor: 'account', address: '127.0.0.1' });
    expect(first).toMatchObject({ action: 'sign_in', details: { kind: 'access_token' } });

    const entries = await since(alice, async () => {
      await send('POST /v1/auth/login', { email, password }, {});
      await send('POST /auth/signin', { email: email.toUpperCase(), password: 'wrong one' }, {});
      await send('POST /v1/auth/login', { email: `${randomUUID()}@example.com`, password: 'wrong one' }, {});
      await send('DELETE /auth/token', undefined, by(await mintmark.register()).token);
    });
    // Sealed within two seconds, which may be over by now.
    const shown = entries.map((entry) => ({ ...entry, hash: entry.hash ?? '0'.repeat(64) }));
    expect(shown).toEqual([
      {
        action: 'sign_in',
        actor: 'account',
        credentialId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        address: ADDRESS,
        userAgent: AGENT,
        environment: null,
        intentId: null,
        details: { kind: 'session' },
        createdAt: expect.any(String),
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
      expect.objectContaining({
        action: 'sign_in_failed',
        actor: 'stranger',
        credentialId: null,
        address: ADDRESS,
        details: { kind: 'access_token' },
      }),
    ]);
    // Nobody's, and without what was typed.
    const all = await cli.ask<{ action: string; accountId: string | null }[]>('audit', 'list');
    expect(all).toContainEqual(expect.objectContaining({ action: 'sign_in_failed', accountId: null }));
    expect(JSON.stringify(all)).not.toContain('wrong one');
  });

  test('has each change of the account, its keys and its webhooks', async () => {
    const alice = await mintmark.register();
    const { session, token } = by(alice);
    const wallet = '0x5dad7600C5D89fE3824fFa99ec1c3eB8BF3b0501';
    const newPassword = 'staple correct horse';
    let [key, hook, delivery] = ['', '', ''];
    const entries = await since(alice, async () => {
      await send('PATCH /me', { walletAddress: wallet }, token);
      await send('PATCH /me', { walletAddress: wallet }, token);
      key = (await send('POST /v1/api-keys', { name: 'shop', environment: 'sandbox' }, session)).body[
        'id'
      ] as string;
      await send(`DELETE /v1/api-keys/${key}`, undefined, session);
      await send(`DELETE /v1/api-keys/${key}`, undefined, session);
      hook = (await send('POST /v1/webhooks', { url: 'https://receiver.invalid/?s=1' }, session)).body[
        'id'
      ] as string;
      await send(`PATCH /v1/webhooks/${hook}`, { events: ['intent.failed'] }, session);
      await send(`PATCH /v1/webhooks/${hook}`, { events: ['intent.failed'] }, session);
      await send(`POST /v1/webhooks/${hook}/rotate-secret`, undefined, session);
      delivery = (await send(`POST /v1/webhooks/${hook}/test`, undefined, session)).body['id'] as string;
      await send(`POST /v1/webhooks/${hook}/deliveries/${delivery}/replay`, undefined, session);
      await send(`DELETE /v1/webhooks/${hook}`, undefined, session);
      const passwords = { currentPassword: alice.password, newPassword };
      await send('POST /v1/auth/password', { ...passwords, currentPassword: 'wrong' }, session);
      const changed = await send('POST /v1/auth/password', { ...passwords, revokeKeys: true }, session);
      await send('POST /v1/auth/logout', undefined, cookie(issuedCookie(changed)));
      const body = { email: alice.email, password: newPassword };
      const signedIn = await send('POST /auth/signin', body, {});
      alice.api = createMintmarkClient({ baseUrl: mintmark.url, token: signedIn.body['token'] as string });
    });
    const shop = { id: key, name: 'shop', keyPrefix: expect.stringMatching(/^mts_.{8}$/) };
    const own = (action: string, details: object = {}, environment: string | null = null) => ({
      ...{ action, actor: 'account', environment, details },
    });
    const ofHook = (action: string) => own(action, { id: hook }, 'live');
    expect(entries.map(brief)).toEqual([
      own('wallet_changed', { from: null, to: wallet.toLowerCase() }),
      own('key_created', shop, 'sandbox'),
      own('key_revoked', shop, 'sandbox'),
      ofHook('webhook_created'),
      ofHook('webhook_updated'),
      ofHook('webhook_secret_rotated'),
      ofHook('webhook_tested'),
      ofHook('webhook_delivery_replayed'),
      ofHook('webhook_deleted'),
      own('password_change_failed'),
      own('password_changed', { revokeKeys: true }),
      own('sign_out'),
      own('sign_in', { kind: 'access_token' }),
    ]);
    expect(new Set(entries.map(({ address, userAgent }) => `${address} ${userAgent}`))).toEqual(
      new Set([`${ADDRESS} ${AGENT}`]),
    );
    expect(new Set(entries.slice(1, -1).map(({ credentialId }) => credentialId)).size).toBe(1);
  });

  test('has each accepted write once, with its intent, and neither replays nor refused ones', async () => {
    const alice = await mintmark.register();
    const address = await deployToken(alice);
    const { id, key } = await createKey(mintmark, alice);
    const sandbox = await createKey(mintmark, alice, 'sandbox');
    const headers = { Authorization: `Bearer ${key}`, 'Idempotency-Key': 'once' };
    const mint = { owner: alice.id, amount: '1' };
    const good = { ...mint, owner: '0x3440326f551B8A7ee198cEE35cb5D517f2d296a2' };
    const intents: (string | null)[] = [];
    const entries = await since(alice, async () => {
      intents.push((await send(`POST /tokens/${address}/mint`, good, headers)).intentId);
      await send(`POST /tokens/${address}/mint`, good, headers);
      await send(`POST /tokens/${address}/mint`, mint, headers);
      const art = { name: 'Art', symbol: 'A' };
      const made = await send('POST /v1/collections', art, { Authorization: `Bearer ${sandbox.key}` });
      intents.push(made.intentId);
    });
    expect(
      entries.map(({ action, credentialId, environment, intentId, details }) => ({
        ...{ action, credentialId, environment, intentId, details },
      })),
    ).toEqual([
      {
        action: 'write',
        credentialId: id,
        environment: 'live',
        intentId: intents[0],
        details: { kind: 'mint' },
      },
      {
        action: 'write',
        credentialId: sandbox.id,
        environment: 'sandbox',
        intentId: intents[1],
        details: { kind: 'create_collection' },
      },
    ]);
  });

  test('has a cancelled write', async () => {
    const alice = await mintmark.register();
    const address = await deployToken(alice);
    const chain = openChain(mintmark);
    let id = '';
    const entries = await since(alice, () =>
      withoutBlocks(chain, async () => {
        // One transaction at a time: the second one waits behind the first.
        const first = await requestMint(alice, address, { prefer: 'respond-async' });
        await waitForStatus(alice, first.intentId!, 'submitted');
        id = (await requestMint(alice, address, { prefer: 'respond-async' })).intentId!;
        await alice.api.POST('/intents/{id}/cancel', { params: { path: { id } } });
        await alice.api.POST('/intents/{id}/cancel', { params: { path: { id } } });
      }),
    );
    chain.close();
    expect(entries.map(({ action, intentId }) => [action, intentId]).slice(1)).toEqual([
      ['write', id],
      ['write_cancelled', id],
    ]);
  });

  test('has what the operator did to the account, and each command of the operator', async () => {
    const alice = await mintmark.register();
    const { id } = await createKey(mintmark, alice);
    const entries = await since(alice, async () => {
      await cli.ask('accounts', 'set-plan', alice.email, 'PRO');
      await cli.ask('keys', 'revoke', id);
      await cli.ask('accounts', 'suspend', alice.email);
      await cli.ask('accounts', 'resume', alice.email);
      await cli.refuse('accounts', 'suspend', 'nobody@example.com');
    });
    expect(
      entries.map(({ action, actor, address, credentialId, details }) => ({
        ...{ action, actor, address, credentialId, details },
      })),
    ).toEqual(
      [
        ['plan_changed', { from: 'BASIC', to: 'PRO' }],
        ['key_revoked', { id, name: 'a live key', keyPrefix: expect.any(String) }],
        ['account_suspended', {}],
        ['account_resumed', {}],
      ].map(([action, details]) => ({
        action,
        details,
        actor: 'operator',
        address: null,
        credentialId: null,
      })),
    );
    const all = await cli.ask<{ action: string; actor: string; details: Record<string, unknown> }[]>(
      'audit',
      'list',
      '--limit',
      '20',
    );
    const commands = all
      .filter(({ action }) => action === 'admin_command')
      .map(({ details }) => details['command']);
    expect(commands.toReversed().slice(-6)).toEqual([
      'accounts set-plan',
      'keys revoke',
      'accounts suspend',
      'accounts resume',
      'accounts suspend',
      'audit list',
    ]);
    expect(all.find(({ details }) => details['command'] === 'accounts set-plan')).toMatchObject({
      actor: 'operator',
      details: {
        arguments: [alice.email, 'PRO', { json: true }],
        user: expect.any(String),
        host: expect.any(String),
      },
    });
    expect(await cli.say('audit', 'list')).toMatch(/operator +plan_changed/);
  });

  test('is read in pages, by its account alone, and not with API keys', async () => {
    const [alice, bob] = [await mintmark.register(), await mintmark.register()];
    const { api } = await createKey(mintmark, alice);
    expect((await api.GET('/audit')).response.status).toBe(403);
    const session = sessionOf(mintmark, alice);
    const pages: string[] = [];
    let cursor: string | null | undefined;
    do {
      const { data } = await session.GET('/audit', {
        params: { query: { limit: 1, ...(cursor && { cursor }) } },
      });
      pages.push(...data!.data.map(({ action }) => action));
      cursor = data!.nextCursor;
    } while (cursor);
    expect(pages).toEqual(['key_created', 'sign_in', 'registration']);
    expect((await entriesOf(bob)).map(({ action }) => action)).toEqual(['registration', 'sign_in']);
  });
});
