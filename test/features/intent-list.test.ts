import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startRpcProxy } from '../../lab/proxies/rpc-proxy.ts';
import type { RpcProxy } from '../../lab/proxies/rpc-proxy.ts';
import { openChain } from '../setup/chain.ts';
import { waitForStatus } from '../../lab/stage/intents.ts';
import type { ShownIntent } from '../../lab/stage/intents.ts';
import { createAsk } from '../../lab/stage/request.ts';
import type { Ask } from '../../lab/stage/request.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestAccount, TestService } from '../../lab/stage/service.ts';
import { RECIPIENT, deployToken, requestMint } from '../../lab/stage/tokens.ts';

let mintmark: TestService;
let proxy: RpcProxy;
let chain: ReturnType<typeof openChain>;
let ask: Ask;
let alice: TestAccount;
let bob: TestAccount;
let coin: string;
let isDown = false;

beforeAll(async () => {
  mintmark = await startTestService();
  proxy = await startRpcProxy({ target: mintmark.chain.url, faultFor: () => (isDown ? 'drop' : null) });
  await mintmark.restart({ RPC_URL: proxy.url });
  chain = openChain(mintmark);
  ask = createAsk(mintmark.url);
  [alice, bob] = await Promise.all([mintmark.register(), mintmark.register()]);
  coin = await deployToken(alice);
});

afterAll(async () => {
  isDown = false;
  chain?.close();
  await mintmark?.stop();
  await proxy?.stop();
});

interface Page {
  data: ShownIntent[];
  nextCursor: string | null;
}

async function list(account: TestAccount, query = ''): Promise<Page> {
  const { status, body } = await ask(account, 'GET', `/intents${query}`);
  expect(status).toBe(200);
  return body as Page;
}

const ids = ({ data }: Page) => data.map(({ id }) => id);
const balance = async () => (await chain.erc20(coin).getFunction('balanceOf')(RECIPIENT)) as bigint;

/** Runs `work` while no endpoint answers, so that what is accepted stays queued. */
async function whileDown(work: () => Promise<void>): Promise<void> {
  isDown = true;
  try {
    await work();
  } finally {
    isDown = false;
  }
}

describe('GET /intents', () => {
  test('pages through own intents, newest first, by status and by contract', async () => {
    const carol = await mintmark.register();
    const [one, other] = [await deployToken(carol), await deployToken(carol)];
    const written: string[] = [];
    for (const address of [one, other, one]) {
      written.unshift((await requestMint(carol, address)).intentId!);
    }
    const refused = await ask(carol, 'POST', `/tokens/${one}/mint`, {
      owner: RECIPIENT,
      amount: String(2n ** 208n - 1n),
    });
    expect(refused.status).toBe(502);

    const first = await list(carol, '?limit=3');
    expect(ids(first)).toEqual([refused.intentId, written[0], written[1]]);
    const second = await list(carol, `?limit=3&cursor=${first.nextCursor}`);
    expect(second.data.map(({ kind }) => kind)).toEqual(['mint', 'deploy_token', 'deploy_token']);
    expect(second.nextCursor).toBeNull();

    expect(ids(await list(carol, '?status=failed'))).toEqual([refused.intentId]);
    expect(ids(await list(carol, `?status=confirmed&contract=${other.toLowerCase()}&limit=1`))).toEqual([
      written[1],
    ]);
    expect((await list(carol, `?contract=${RECIPIENT}`)).data).toEqual([]);
    expect(first.data[1]).toEqual(await waitForStatus(carol, written[0]!, 'confirmed'));
    expect((await list(bob)).data).toEqual([]);
  });

  test.each(['limit=0', 'limit=101', 'status=done', 'contract=0x12', 'cursor=bm9uc2Vuc2U'])(
    '%s is 422',
    async (query) => {
      const answer = await ask(alice, 'GET', `/intents?${query}`);
      expect(answer).toMatchObject({ status: 422, body: { code: 'VALIDATION_ERROR' } });
    },
  );
});

describe('POST /intents/{id}/cancel', () => {
  const cancel = (id: string, headers?: Record<string, string>, account: TestAccount = alice) =>
    ask(account, 'POST', `/intents/${id}/cancel`, undefined, headers);

  test('cancels a queued mint: no effect, the quota is given back, and the waiting request gets 409', async () => {
    const before = await balance();
    const used = (await alice.api.GET('/stats')).data!.mintsUsed;
    await whileDown(async () => {
      const key = randomUUID();
      const mint = await requestMint(alice, coin, { key, prefer: 'respond-async' });
      expect(mint.status).toBe(202);
      expect((await alice.api.GET('/stats')).data!.mintsUsed).toBe(used + 1);
      const cancelled = await cancel(mint.intentId!);
      expect(cancelled).toMatchObject({
        status: 200,
        body: { id: mint.intentId, status: 'cancelled', transaction: null },
      });
      expect((await cancel(mint.intentId!)).body).toEqual(cancelled.body);
      expect((await alice.api.GET('/stats')).data!.mintsUsed).toBe(used);
      const replayed = await requestMint(alice, coin, { key });
      expect(replayed).toMatchObject({ status: 409, body: { code: 'CONFLICT' }, intentId: mint.intentId });
    });
    expect((await requestMint(alice, coin)).status).toBe(200);
    expect(await balance()).toBe(before + 1n);
  });

  test('takes effect once under one Idempotency-Key, which no other request may use', async () => {
    await whileDown(async () => {
      const mint = await requestMint(alice, coin, { prefer: 'respond-async' });
      const key = { 'Idempotency-Key': randomUUID() };
      const first = await cancel(mint.intentId!, key);
      expect(first.status).toBe(200);
      expect(await cancel(mint.intentId!, key)).toMatchObject({ status: 200, body: first.body });
      const other = await requestMint(alice, coin, { prefer: 'respond-async' });
      expect((await cancel(other.intentId!, key)).status).toBe(422);
      await cancel(other.intentId!);
    });
  });

  test('409 once it is confirmed, 404 for an unknown intent and one of another account', async () => {
    const { intentId } = await requestMint(alice, coin);
    expect(await cancel(intentId!)).toMatchObject({ status: 409, body: { code: 'CONFLICT' } });
    const unknown = await cancel(randomUUID());
    expect(unknown).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    expect(await cancel(intentId!, {}, bob)).toMatchObject({ status: 404, body: unknown.body });
  });
});
