import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import { createCollection, createKey, requestBatch, requestNft } from '../../lab/stage/collections.ts';
import type { TestKey } from '../../lab/stage/collections.ts';
import { startReceiver } from '../../lab/stage/receiver.ts';
import type { Receiver } from '../../lab/stage/receiver.ts';
import { createAsk } from '../../lab/stage/request.ts';
import type { Ask } from '../../lab/stage/request.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestAccount, TestService } from '../../lab/stage/service.ts';
import { RECIPIENT } from '../../lab/stage/tokens.ts';

const OTHER = '0x5dad7600C5D89fE3824fFa99ec1c3eB8BF3b0501';

let mintmark: TestService;
let receiver: Receiver;
let ask: Ask;
let alice: TestAccount;
let live: TestKey;
let sandbox: TestKey;

beforeAll(async () => {
  receiver = await startReceiver();
  mintmark = await startTestService({ WEBHOOK_ALLOW_PRIVATE: 'true' });
  ask = createAsk(mintmark.url);
  alice = await mintmark.register();
  [live, sandbox] = await Promise.all([createKey(mintmark, alice), createKey(mintmark, alice, 'sandbox')]);
  for (const { key } of [live, sandbox])
    await ask({ token: key }, 'POST', '/v1/webhooks', { url: receiver.urlOf('intents') });
});

afterAll(async () => {
  await mintmark?.stop();
  await receiver?.[Symbol.asyncDispose]();
});

type Shown = Record<string, unknown> & { id: string };

/** The fields that say what an intent is about. */
function subjectOf(intent: Shown): object {
  const { token, to, amount, tokenId } = intent;
  return JSON.parse(JSON.stringify({ token, to, amount, tokenId })) as object;
}

const listed = async (key: TestKey): Promise<Shown[]> =>
  ((await ask({ token: key.key }, 'GET', '/intents?limit=100')).body as { data: Shown[] }).data;

/** Compares what the intent's own page, the list and, where there is one, the message say of it. */
async function expectSubject(key: TestKey, id: string | null, expected: object): Promise<void> {
  const { body } = await ask({ token: key.key }, 'GET', `/intents/${id}`);
  expect(subjectOf(body as Shown)).toEqual(expected);
  expect(subjectOf((await listed(key)).find((intent) => intent.id === id)!)).toEqual(expected);
  const [message] = await receiver.waitForMessages(1, ({ message: { data } }) => data['id'] === id);
  expect(subjectOf(message!.message.data as Shown)).toEqual(expected);
}

test('an intent says which token, to whom and how much, alone, in lists and in messages', async () => {
  const deployed = await ask(alice, 'POST', '/tokens', {
    ...{ type: 'ERC20', name: 'Harbour', symbol: 'HARB', decimals: 6, recoverable: true },
  });
  const { address } = (deployed.body as { data: { address: string } }).data;
  const token = { address, symbol: 'HARB', decimals: 6 };
  await expectSubject(live, deployed.intentId, { token });

  const path = `/tokens/${address}`;
  const minted = await ask(alice, 'POST', `${path}/mint`, { owner: RECIPIENT, amount: '500' });
  await expectSubject(live, minted.intentId, { token, to: RECIPIENT, amount: '500' });
  const move = { from: RECIPIENT, to: OTHER, amount: '20' };
  const moved = await ask(alice, 'POST', `${path}/force-transfer`, move);
  await expectSubject(live, moved.intentId, { token, to: OTHER, amount: '20' });
  const burnt = await ask(alice, 'POST', `${path}/force-transfer`, { ...move, from: OTHER, to: null });
  await expectSubject(live, burnt.intentId, { token, to: null, amount: '20' });
  const paused = await ask(alice, 'POST', `${path}/pause`);
  await expectSubject(live, paused.intentId, { token });
  const failed = await ask(alice, 'POST', `${path}/mint`, { owner: OTHER, amount: '7' });
  expect(failed.status).toBe(502);
  await expectSubject(live, failed.intentId, { token, to: OTHER, amount: '7' });
  const described = await ask(alice, 'PUT', `${path}/metadata`, { name: 'N', description: 'D' });
  await expectSubject(live, described.intentId, { token });
});

test.each(['live', 'sandbox'] as const)('so do mints of NFTs, %s', async (environment) => {
  const key = environment === 'live' ? live : sandbox;
  const address = await createCollection(key.api);
  const token = { address, symbol: expect.any(String), decimals: null };
  const one = await requestNft(key.api, address);
  await expectSubject(key, one.headers.get('Intent-Id'), { token, to: RECIPIENT, tokenId: '1' });
  const batch = await requestBatch(key.api, address, [{ to: RECIPIENT }, { to: OTHER }]);
  await expectSubject(key, batch.headers.get('Intent-Id'), { token, amount: '2', tokenId: '2' });
  const body = { name: 'N', description: 'D' };
  const described = await ask(
    { token: key.key },
    'PUT',
    `/v1/collections/${address}/tokens/2/metadata`,
    body,
  );
  await expectSubject(key, described.intentId, { token, tokenId: '2' });
});

test('a mint without a verdict has no id yet, and a deployment that failed tells its symbol', async () => {
  const { db } = mintmark.service.context;
  const address = await createCollection(live.api);
  const { headers } = await requestNft(live.api, address);
  const intentId = headers.get('Intent-Id');
  const show = async () => subjectOf((await ask(alice, 'GET', `/intents/${intentId}`)).body as Shown);
  const token = { address, symbol: expect.any(String), decimals: null };
  expect(await show()).toEqual({ token, to: RECIPIENT, tokenId: '1' });
  // As a reorg leaves it.
  await query(
    db,
    `update intents set status = 'submitted', phase = 'open', result = null, final_at = null where id = :intentId`,
    { intentId },
  );
  expect(await show()).toEqual({ token, to: RECIPIENT, tokenId: null });

  const deployed = await ask(alice, 'POST', '/tokens', { type: 'ERC20', name: 'Gone', symbol: 'GONE' });
  const { address: gone } = (deployed.body as { data: { address: string } }).data;
  await query(db, 'delete from tokens t using intents i where t.intent_number = i.number and i.id = :id', {
    id: deployed.intentId,
  });
  const { body } = await ask(alice, 'GET', `/intents/${deployed.intentId}`);
  expect(subjectOf(body as Shown)).toEqual({ token: { address: gone, symbol: 'GONE', decimals: 18 } });
});

test('a page of intents is one query, however many it has', async () => {
  const { db } = mintmark.service.context;
  let queries = 0;
  // At the same time the engine asks for intents, but for no account; webhooks for the account, but for no intents.
  const note = (
    _response: unknown,
    { sql, options }: { sql: string; options: { values: readonly unknown[] } },
  ) => {
    if (sql.includes('from intents') && options.values.includes(alice.id)) queries += 1;
  };
  db.on('query-response', note);
  try {
    expect((await listed(sandbox)).length).toBeGreaterThan(3);
  } finally {
    db.off('query-response', note);
  }
  expect(queries).toBe(1);
});
