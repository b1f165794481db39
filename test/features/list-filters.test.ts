import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import { cookie } from '../../lab/stage/credentials.ts';
import { openChain } from '../setup/chain.ts';
import { withoutBlocks } from '../setup/mining.ts';
import { createAsk } from '../../lab/stage/request.ts';
import type { Ask } from '../../lab/stage/request.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestAccount, TestService } from '../../lab/stage/service.ts';
import { deployToken, requestMint } from '../../lab/stage/tokens.ts';

let mintmark: TestService;
let ask: Ask;
let alice: TestAccount;

beforeAll(async () => {
  mintmark = await startTestService({ MAX_IN_FLIGHT: '1' });
  ask = createAsk(mintmark.url);
  alice = await mintmark.register();
});

afterAll(() => mintmark?.stop());

async function list<Entry>(path: string): Promise<Entry[]> {
  const { status, body } = await ask(null, 'GET', path, undefined, cookie(alice.cookie));
  expect(status).toBe(200);
  return (body as { data: Entry[] }).data;
}

const refuse = (path: string) => ask(null, 'GET', path, undefined, cookie(alice.cookie));

test('GET /intents lists by kind, by contract, and what is open, and tells the contract of each', async () => {
  const [one, other] = [await deployToken(alice), await deployToken(alice)];
  await ask(alice, 'POST', `/tokens/${one}/pause`);
  await ask(alice, 'POST', `/tokens/${other}/pause`);
  const intents = async (filter: string) =>
    (await list<{ kind: string; contract: string }>(`/intents?${filter}`)).map(({ kind, contract }) => [
      kind,
      contract,
    ]);
  expect(await intents('')).toEqual([
    ['pause', other],
    ['pause', one],
    ['deploy_token', other],
    ['deploy_token', one],
  ]);
  expect(await intents('kind=pause')).toEqual([
    ['pause', other],
    ['pause', one],
  ]);
  expect(await intents(`kind=pause&contract=${one}`)).toEqual([['pause', one]]);
  expect(await intents('kind=pause&status=failed')).toEqual([]);
  expect(await intents('kind=mint')).toEqual([]);
  expect(await intents('status=open')).toEqual([]);

  const chain = openChain(mintmark);
  const art = await deployToken(alice);
  await withoutBlocks(chain, async () => {
    // The second one waits for the only transaction that may be in flight.
    const first = await requestMint(alice, art, { prefer: 'respond-async' });
    await expect(statusOf(first.intentId!, 'submitted')).resolves.toBe('submitted');
    const second = await ask(alice, 'POST', `/tokens/${art}/lock-transfers`, undefined, {
      Prefer: 'respond-async',
    });
    expect(second.status).toBe(202);
    expect(await intents('status=open')).toEqual([
      ['lock_transfers', art],
      ['mint', art],
    ]);
    expect(await intents('status=open&kind=mint')).toEqual([['mint', art]]);
    expect(await intents('status=open&limit=1')).toEqual([['lock_transfers', art]]);
  });
  chain.close();
  expect(await refuse('/intents?kind=burn')).toMatchObject({ status: 422 });
});

/** Polls until the intent has this status. */
async function statusOf(id: string, wanted: string): Promise<string> {
  for (let look = 0; look < 600; look += 1) {
    const { body } = await ask(alice, 'GET', `/intents/${id}`);
    if ((body as { status: string }).status === wanted) return wanted;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`intent ${id} is not ${wanted}`);
}

test('GET /audit lists by action', async () => {
  const actions = async (filter: string) =>
    (await list<{ action: string }>(`/audit?${filter}`)).map(({ action }) => action);
  expect(new Set(await actions('limit=100')).size).toBeGreaterThan(2);
  expect(await actions('action=registration')).toEqual(['registration']);
  expect(new Set(await actions('action=write'))).toEqual(new Set(['write']));
  expect(await actions('action=key_created')).toEqual([]);
  expect(await refuse('/audit?action=nothing')).toMatchObject({ status: 422 });
});

test('GET /v1/webhooks/{id}/deliveries lists by status', async () => {
  const headers = cookie(alice.cookie);
  const url = 'https://receiver.invalid/hook';
  // Of nothing that other tests leave to be done.
  const events = ['account.wallet_changed'];
  const registered = await ask(null, 'POST', '/v1/webhooks', { url, events }, headers);
  const { id } = registered.body as { id: string };
  const sent: string[] = [];
  for (let index = 0; index < 3; index += 1) {
    const tested = await ask(null, 'POST', `/v1/webhooks/${id}/test`, undefined, headers);
    sent.push((tested.body as { id: string }).id);
  }
  await query(
    mintmark.service.context.db,
    `update webhook_deliveries set next_attempt_at = null, status = case when id = :delivered then 'delivered' else 'failed' end
      where id in (:delivered, :failed)`,
    { delivered: sent[0]!, failed: sent[1]! },
  );
  const ids = async (filter: string) =>
    (await list<{ id: string }>(`/v1/webhooks/${id}/deliveries${filter}`)).map((each) => each.id);
  expect(await ids('')).toEqual(sent.toReversed());
  expect(await ids('?status=delivered')).toEqual([sent[0]]);
  expect(await ids('?status=failed')).toEqual([sent[1]]);
  expect(await ids('?status=pending')).toEqual([sent[2]]);
  expect(await refuse(`/v1/webhooks/${id}/deliveries?status=lost`)).toMatchObject({ status: 422 });
});

test('GET /network tells anybody the chain and where its explorer is', async () => {
  await mintmark.restart({ EXPLORER_URL: 'https://explorer.example/' });
  expect(await ask(null, 'GET', '/network')).toMatchObject({
    status: 200,
    body: { network: 'test', chainId: 31337, explorerUrl: 'https://explorer.example' },
  });
});
