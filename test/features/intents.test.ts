import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { getAddress } from 'ethers';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import { openChain } from '../setup/chain.ts';
import { waitForStatus } from '../../lab/stage/intents.ts';
import type { ShownIntent } from '../../lab/stage/intents.ts';
import { makeRevert, withoutBlocks } from '../setup/mining.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestAccount, TestService } from '../../lab/stage/service.ts';
import { RECIPIENT, deployToken, requestErc20, requestMint } from '../../lab/stage/tokens.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const HASH = /^0x[0-9a-f]{64}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

let mintmark: TestService;
let chain: ReturnType<typeof openChain>;
let alice: TestAccount;
let bob: TestAccount;
let coin: string;

beforeAll(async () => {
  mintmark = await startTestService();
  chain = openChain(mintmark);
  [alice, bob] = await Promise.all([mintmark.register(), mintmark.register()]);
  coin = await deployToken(alice);
});

afterAll(async () => {
  chain?.close();
  await mintmark?.stop();
});

async function getIntent({ api }: Pick<TestAccount, 'api'>, id: string) {
  const { data, error, response } = await api.GET('/intents/{id}', { params: { path: { id } } });
  return { status: response.status, body: data ?? error };
}

const balance = async (): Promise<bigint> =>
  (await chain.erc20(coin).getFunction('balanceOf')(RECIPIENT)) as bigint;

describe('GET /intents/{id}', () => {
  test.each([
    ['mint', () => requestMint(alice, coin)],
    ['deploy_token', () => requestErc20(alice)],
  ])('tells what became of a %s', async (kind, request) => {
    const written = await request();
    expect(written.intentId).toMatch(UUID);
    const { status, body } = await getIntent(alice, written.intentId!);
    const hash = written.headers.get('Transaction-Hash');
    expect(hash).toMatch(HASH);
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        id: written.intentId,
        kind,
        contract: kind === 'mint' ? coin : expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
        token: { address: (body as { contract: string }).contract, symbol: expect.any(String), decimals: 18 },
        ...(kind === 'mint' && { to: RECIPIENT, amount: expect.stringMatching(/^[1-9]\d*$/) }),
        status: 'confirmed',
        transaction: { hash, explorerUrl: `${mintmark.url}/explorer/tx/${hash}` },
        error: null,
        createdAt: expect.stringMatching(TIME),
        updatedAt: expect.stringMatching(TIME),
      },
    });
    const { createdAt, updatedAt } = body as { createdAt: string; updatedAt: string };
    expect(Date.parse(updatedAt)).toBeGreaterThanOrEqual(Date.parse(createdAt));
    expect(Math.abs(Date.now() - Date.parse(createdAt))).toBeLessThan(60_000);
  });

  test('explains an open intent: its nonce, the intent that blocks it, and the cause', async () => {
    const mintLater = () => requestMint(alice, coin, { prefer: 'respond-async' });
    await withoutBlocks(chain, async (mine) => {
      const first = await mintLater();
      await waitForStatus(alice, first.intentId!, 'submitted');
      const second = await mintLater();
      await waitForStatus(alice, second.intentId!, 'submitted');
      const look = async () =>
        (await Promise.all(
          [first, second].map(async ({ intentId }) => (await getIntent(alice, intentId!)).body),
        )) as ShownIntent[];
      let [one, two] = await look();
      // On a busy machine the lease of the lane may lapse for a moment.
      while (one!.waiting!.cause.startsWith('No process holds')) [one, two] = await look();
      expect(one!.waiting).toMatchObject({
        signer: getAddress(embeddedAccounts[0].address),
        blockingNonce: one!.waiting!.nonce,
        cause: expect.stringMatching(
          /^Its transaction with nonce \d+ was sent with (one bid|\d+ bids) and is not mined\.$/,
        ),
      });
      expect(two!.waiting).toMatchObject({
        nonce: String(BigInt(one!.waiting!.nonce!) + 1n),
        blockingNonce: one!.waiting!.nonce,
        since: expect.stringMatching(TIME),
        cause: expect.stringContaining(`waits behind nonce ${one!.waiting!.nonce}`),
        action: expect.stringMatching(/\S/),
      });
      await mine();
      await waitForStatus(alice, second.intentId!, 'confirmed');
      expect((await getIntent(alice, second.intentId!)).body).not.toHaveProperty('waiting');
    });
  });

  test('shows an intent to its account only', async () => {
    const { intentId } = await requestMint(alice, coin);
    const foreign = await getIntent(bob, intentId!);
    const unknown = await getIntent(bob, randomUUID());
    expect(foreign).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    expect(unknown).toEqual(foreign);
    expect((await getIntent({ api: mintmark.anonymous }, intentId!)).status).toBe(401);
    expect((await getIntent(alice, intentId!)).status).toBe(200);
  });

  test.each([
    '7',
    'null',
    '3a2cf1f6-90dd-4ecb-aa84-46042086a99b0',
    '3a2cf1f690dd4ecbaa8446042086a99b',
    "' or true --",
  ])('an id that is none is 422: %j', async (id) => {
    expect(await getIntent(alice, id)).toMatchObject({ status: 422, body: { code: 'VALIDATION_ERROR' } });
  });

  test('shows why a simulated call failed, without a transaction', async () => {
    const art = await deployToken(alice, 'ERC721');
    const refused = await requestMint(alice, art, { owner: coin, amount: null });
    expect(refused.status).toBe(502);
    const { body } = await getIntent(alice, refused.intentId!);
    expect(body).toMatchObject({
      status: 'failed',
      transaction: null,
      error: { code: 'CHAIN_ERROR', message: expect.stringContaining('ReceiverRefused') },
    });
    // The answer of the write and the intent have the same error.
    expect((body as { error: unknown }).error).toEqual(refused.body);
  });

  test('shows why a call failed that a block refused, and then all the gas that it may use did not help', async () => {
    const art = await deployToken(alice, 'ERC721');
    const receiver = getAddress(`0x${randomBytes(20).toString('hex')}`);
    const { data: before } = await alice.api.GET('/stats');
    await withoutBlocks(chain, async (mine) => {
      const accepted = await requestMint(alice, art, {
        owner: receiver,
        amount: null,
        prefer: 'respond-async',
      });
      await waitForStatus(alice, accepted.intentId!, 'submitted');
      expect((await alice.api.GET('/stats')).data!.mintsUsed).toBe(before!.mintsUsed + 1);
      // After the simulation the receiver becomes a contract that takes no tokens.
      await makeRevert(chain, receiver, 'not today');
      await mine();
      const failed = await waitForStatus(alice, accepted.intentId!, 'confirmed', 'failed');
      expect(failed).toMatchObject({
        status: 'failed',
        // It is in none: the verdict is that of a simulation with more gas.
        transaction: null,
        error: { code: 'CHAIN_ERROR', message: expect.stringContaining('not today') },
      });
    });
    expect((await alice.api.GET('/stats')).data).toEqual(before);
    expect(await chain.erc721(art).getFunction('totalSupply')()).toBe(0n);
  });
});

describe('Prefer: respond-async', () => {
  test('is 202 at once; the intent is then queued, submitted and confirmed', async () => {
    const had = await balance();
    await withoutBlocks(chain, async (mine) => {
      const { status, headers, body, intentId } = await requestMint(alice, coin, { prefer: 'respond-async' });
      expect(status).toBe(202);
      expect(headers.get('Preference-Applied')).toBe('respond-async');
      expect(headers.get('Transaction-Hash')).toBeNull();
      expect(intentId).toMatch(UUID);
      expect(body).toEqual({ intent: { id: intentId, kind: 'mint', status: 'queued', transaction: null } });

      const submitted = await waitForStatus(alice, intentId!, 'submitted');
      expect(submitted).toMatchObject({
        error: null,
        transaction: { hash: expect.stringMatching(HASH), explorerUrl: expect.any(String) },
      });
      await mine();
      const confirmed = await waitForStatus(alice, intentId!, 'confirmed');
      expect(confirmed.transaction).toEqual(submitted.transaction);
      expect((await chain.provider.getTransactionReceipt(confirmed.transaction!.hash))?.status).toBe(1);
    });
    expect(await balance()).toBe(had + 1n);
  });

  test('is 202 for a deployment, whose token can be read once it is confirmed', async () => {
    const { status, body, intentId } = await requestErc20(bob, { prefer: 'respond-async' });
    expect(status).toBe(202);
    expect(body).toEqual({
      intent: { id: intentId, kind: 'deploy_token', status: 'queued', transaction: null },
    });
    await waitForStatus(bob, intentId!, 'confirmed');
    expect((await bob.api.GET('/tokens')).data!.data).toHaveLength(1);
  });

  test('hides a token until it is confirmed', async () => {
    await withoutBlocks(chain, async () => {
      const { intentId } = await requestErc20(bob, { prefer: 'respond-async' });
      await waitForStatus(bob, intentId!, 'submitted');
      expect((await bob.api.GET('/tokens')).data!.data).toHaveLength(1);
    });
  });

  test('is the only preference; others are ignored', async () => {
    const { status, headers } = await requestMint(alice, coin, { prefer: 'wait=1, handling=strict' });
    expect(status).toBe(200);
    expect(headers.get('Preference-Applied')).toBeNull();
  });

  test('does not turn an error into 202', async () => {
    const { status, intentId } = await requestMint(bob, coin, { prefer: 'respond-async' });
    expect({ status, intentId }).toEqual({ status: 403, intentId: null });
  });
});

describe('WAIT_TIMEOUT_MS', () => {
  test('after it the answer is 202, and the mint still happens', async () => {
    await mintmark.restart({ WAIT_TIMEOUT_MS: '1' });
    const had = await balance();
    const used = (await alice.api.GET('/stats')).data!.mintsUsed;
    await withoutBlocks(chain, async (mine) => {
      const { status, headers, body, intentId } = await requestMint(alice, coin);
      expect(status).toBe(202);
      expect(headers.get('Preference-Applied')).toBeNull();
      expect(body).toEqual({
        intent: {
          id: intentId,
          kind: 'mint',
          status: expect.stringMatching(/^(queued|submitted)$/),
          transaction:
            (body as { intent: { status: string } }).intent.status === 'queued' ? null : expect.anything(),
        },
      });
      await waitForStatus(alice, intentId!, 'submitted');
      await mine();
      await waitForStatus(alice, intentId!, 'confirmed');
    });
    expect(await balance()).toBe(had + 1n);
    expect((await alice.api.GET('/stats')).data!.mintsUsed).toBe(used + 1);
  });

  test('limits how long a write waits', async () => {
    await mintmark.restart({ WAIT_TIMEOUT_MS: '300' });
    await withoutBlocks(chain, async (mine) => {
      const began = performance.now();
      const waiting = requestMint(alice, coin);
      const { status, intentId } = await waiting;
      expect(performance.now() - began).toBeGreaterThanOrEqual(295);
      expect(status).toBe(202);
      await mine();
      await waitForStatus(alice, intentId!, 'confirmed');
    });
  });
});

describe('a chain with a block interval', () => {
  test('a write without a preference waits for its block and is 200', async () => {
    await mintmark.restart();
    const { provider } = chain;
    await provider.send('evm_setAutomine', [false]);
    await provider.send('evm_setIntervalMining', [1]);
    try {
      const first = await provider.getBlockNumber();
      const answers = [await requestMint(alice, coin), await requestMint(alice, coin)];
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      expect(await provider.getBlockNumber()).toBeGreaterThanOrEqual(first + 2);
    } finally {
      await provider.send('evm_setIntervalMining', [0]);
      await provider.send('evm_setAutomine', [true]);
    }
  });
});
