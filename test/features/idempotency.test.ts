import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createMintmarkClient } from '../../generated/client.ts';
import { readConfig } from '../../src/config.ts';
import { query } from '../../src/db/client.ts';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import { startService } from '../../src/start/service.ts';
import { openChain } from '../setup/chain.ts';
import { waitForStatus } from '../../lab/stage/intents.ts';
import { withoutBlocks } from '../setup/mining.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestAccount, TestService } from '../../lab/stage/service.ts';
import { RECIPIENT, deployToken, requestErc20, requestMint } from '../../lab/stage/tokens.ts';
import type { TestAnswer } from '../../lab/stage/tokens.ts';

const WALLET = '0x5dad7600C5D89fE3824fFa99ec1c3eB8BF3b0501';

let mintmark: TestService;
let chain: ReturnType<typeof openChain>;
let alice: TestAccount;
let bob: TestAccount;
let dora: TestAccount;
let coin: string;

beforeAll(async () => {
  mintmark = await startTestService();
  chain = openChain(mintmark);
  [alice, bob, dora] = await Promise.all([mintmark.register(), mintmark.register(), mintmark.register()]);
  coin = await deployToken(alice);
});

afterAll(async () => {
  chain?.close();
  await mintmark?.stop();
});

const balance = async (token = coin): Promise<bigint> =>
  (await chain.erc20(token).getFunction('balanceOf')(RECIPIENT)) as bigint;
const mintsUsed = async ({ api }: TestAccount): Promise<number> => (await api.GET('/stats')).data!.mintsUsed;
const recordsUnder = async (key: string): Promise<number> =>
  (await query(mintmark.service.context.db, 'select 1 from idempotency_records where key = :key', { key }))
    .length;
/** The parts of an answer that a replay must repeat. */
const essence = ({ status, body, intentId, headers }: TestAnswer) => ({
  status,
  body,
  intentId,
  transaction: headers.get('Transaction-Hash'),
  link: headers.get('Link'),
});

describe('a replay', () => {
  test('of a mint gives the same answer and mints nothing', async () => {
    const key = randomUUID();
    const had = await balance();
    const used = await mintsUsed(alice);
    const first = await requestMint(alice, coin, { key, amount: '5' });
    expect(first.status).toBe(200);
    expect(first.intentId).not.toBeNull();
    for (const again of [
      await requestMint(alice, coin, { key, amount: '5' }),
      // The token is the same one in any case of its address.
      await requestMint(alice, coin.toLowerCase(), { key, amount: '5' }),
    ]) {
      expect(essence(again)).toEqual(essence(first));
    }
    expect(await balance()).toBe(had + 5n);
    expect(await mintsUsed(alice)).toBe(used + 1);
  });

  test('of an ERC-721 mint gives the same token id', async () => {
    const art = await deployToken(alice, 'ERC721');
    const key = randomUUID();
    const first = await requestMint(alice, art, { key, amount: null });
    expect(first.body).toMatchObject({ data: { tokenId: '1' } });
    await requestMint(alice, art, { amount: null });
    expect(essence(await requestMint(alice, art, { key, amount: null }))).toEqual(essence(first));
    expect(await chain.erc721(art).getFunction('totalSupply')()).toBe(2n);
  });

  test('of a deployment gives the same address', async () => {
    const key = randomUUID();
    const used = await mintsUsed(alice);
    const first = await requestErc20(alice, { key, name: 'Once' });
    expect(first.status).toBe(200);
    // The owner is fixed at acceptance: a wallet set later does not change the request.
    await alice.api.PATCH('/me', { body: { walletAddress: WALLET } });
    expect(essence(await requestErc20(alice, { key, name: 'Once' }))).toEqual(essence(first));
    await alice.api.PATCH('/me', { body: { walletAddress: null } });
    expect(await mintsUsed(alice)).toBe(used + 1);
    const { data } = await alice.api.GET('/tokens');
    expect(data!.data.filter(({ name }) => name === 'Once')).toHaveLength(1);
  });

  test('of a mint that failed gives the same error and does not retry', async () => {
    const art = await deployToken(alice, 'ERC721');
    const key = randomUUID();
    const used = await mintsUsed(alice);
    const first = await requestMint(alice, art, { key, owner: coin, amount: null });
    expect(first).toMatchObject({ status: 502, body: { code: 'CHAIN_ERROR' } });
    expect(first.intentId).not.toBeNull();
    expect(essence(await requestMint(alice, art, { key, owner: coin, amount: null }))).toEqual(
      essence(first),
    );
    expect(await mintsUsed(alice)).toBe(used);
    const intents = await query(
      mintmark.service.context.db,
      `select 1 from intents where contract = decode(:digits, 'hex') and kind = 'mint'`,
      { digits: art.slice(2) },
    );
    expect(intents).toHaveLength(1);
  });

  test('of an open write waits for the same intent', async () => {
    const key = randomUUID();
    const had = await balance();
    await withoutBlocks(chain, async (mine) => {
      const waiting = requestMint(alice, coin, { key });
      const accepted = await requestMint(alice, coin, { key, prefer: 'respond-async' });
      expect(accepted.status).toBe(202);
      await waitForStatus(alice, accepted.intentId!, 'submitted');
      await mine();
      const answered = await waiting;
      expect({ status: answered.status, intentId: answered.intentId }).toEqual({
        status: 200,
        intentId: accepted.intentId,
      });
      expect(essence(await requestMint(alice, coin, { key, prefer: 'respond-async' }))).toEqual(
        essence(answered),
      );
    });
    expect(await balance()).toBe(had + 1n);
  });

  test('after the service was restarted gives the same answers', async () => {
    const [mintKey, deployKey, patchKey] = [randomUUID(), randomUUID(), randomUUID()];
    const patch = async () =>
      (
        await alice.api.PATCH('/me', {
          params: { header: { 'Idempotency-Key': patchKey } },
          body: { walletAddress: null },
        })
      ).data;
    const mint = await requestMint(alice, coin, { key: mintKey });
    const deployment = await requestErc20(alice, { key: deployKey });
    const profile = await patch();
    const had = await balance();
    await mintmark.restart();
    expect(essence(await requestMint(alice, coin, { key: mintKey }))).toEqual(essence(mint));
    expect(essence(await requestErc20(alice, { key: deployKey }))).toEqual(essence(deployment));
    expect(await patch()).toEqual(profile);
    expect(await balance()).toBe(had);
  });

  test('succeeds when the quota was used up since', async () => {
    const carol = await mintmark.register();
    const token = await deployToken(carol);
    const key = randomUUID();
    const first = await requestMint(carol, token, { key });
    await query(
      mintmark.service.context.db,
      'update balances set granted = 100, committed = 100 where account_id = :accountId',
      { accountId: carol.id },
    );
    expect((await requestMint(carol, token)).status).toBe(403);
    expect(essence(await requestMint(carol, token, { key }))).toEqual(essence(first));
  });
});

describe('a key', () => {
  test('is refused for another request: another body, another token, another operation', async () => {
    const key = randomUUID();
    const other = await deployToken(alice);
    const first = await requestMint(alice, coin, { key, amount: '7' });
    const had = await balance();
    const used = await mintsUsed(alice);
    const wallet = await alice.api.PATCH('/me', {
      params: { header: { 'Idempotency-Key': key } },
      body: { walletAddress: WALLET },
    });
    for (const { status, body } of [
      await requestMint(alice, coin, { key, amount: '8' }),
      await requestMint(alice, coin, { key, amount: '7', owner: WALLET }),
      await requestMint(alice, other, { key, amount: '7' }),
      await requestErc20(alice, { key }),
      { status: wallet.response.status, body: wallet.error },
    ]) {
      expect({ status, body }).toMatchObject({
        status: 422,
        body: { code: 'VALIDATION_ERROR', message: expect.stringContaining('Idempotency-Key') },
      });
    }
    expect(await balance()).toBe(had);
    expect(await balance(other)).toBe(0n);
    expect(await mintsUsed(alice)).toBe(used);
    expect((await alice.api.GET('/me')).data!.walletAddress).toBeNull();
    expect(essence(await requestMint(alice, coin, { key, amount: '7' }))).toEqual(essence(first));
  });

  test('of another account is independent', async () => {
    const key = randomUUID();
    const bobs = await deployToken(bob);
    const first = await requestMint(alice, coin, { key });
    const second = await requestMint(bob, bobs, { key });
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.intentId).not.toBe(first.intentId);
    expect(await balance(bobs)).toBe(1n);
  });

  test('can be used again when its request was refused', async () => {
    const carol = await mintmark.register();
    const token = await deployToken(carol);
    const key = randomUUID();
    const { db } = mintmark.service.context;
    const refused = [
      await requestMint(carol, token, { key, owner: WALLET.replace('d', 'D') }),
      await requestMint(carol, token, { key, amount: null }),
      await requestMint(carol, WALLET, { key }),
      await requestMint(carol, coin, { key }),
    ];
    await query(db, 'update balances set committed = granted where account_id = :accountId', {
      accountId: carol.id,
    });
    refused.push(await requestMint(carol, token, { key }), await requestErc20(carol, { key }));
    await query(db, 'update balances set committed = 1 where account_id = :accountId', {
      accountId: carol.id,
    });
    expect(refused.map(({ status }) => status)).toEqual([422, 422, 404, 403, 403, 403]);
    expect(refused.map(({ intentId }) => intentId)).toEqual(refused.map(() => null));
    expect(await recordsUnder(key)).toBe(0);
    expect((await requestMint(carol, token, { key, amount: '3' })).status).toBe(200);
    expect(await balance(token)).toBe(3n);
  });

  test.each([
    ['256 characters', 'x'.repeat(256)],
    ['a tab', 'tab\tinside'],
    ['a letter beyond ASCII', 'schlüssel'],
    ['nothing', ''],
  ])('of %s is 422, and nothing happens', async (_case, key) => {
    const used = await mintsUsed(alice);
    const { status, body } = await requestMint(alice, coin, { key });
    expect({ status, body }).toMatchObject({ status: 422, body: { code: 'VALIDATION_ERROR' } });
    expect(await mintsUsed(alice)).toBe(used);
  });

  test.each([
    ['255 characters', '~'.repeat(255)],
    ['spaces and signs', 'order #8421 {"a": 1} \\ \'x\''],
  ])('of %s works', async (_case, key) => {
    const first = await requestMint(alice, coin, { key });
    expect(first.status).toBe(200);
    expect((await requestMint(alice, coin, { key })).intentId).toBe(first.intentId);
  });
});

describe('PATCH /me', () => {
  const patch = async (key: string, walletAddress: string | null, { api }: TestAccount = bob) => {
    const { data, error, response } = await api.PATCH('/me', {
      params: { header: { 'Idempotency-Key': key } },
      body: { walletAddress },
    });
    return { status: response.status, body: data ?? error };
  };

  test('a replay repeats the answer without the change', async () => {
    const key = randomUUID();
    const first = await patch(key, WALLET);
    expect(first).toMatchObject({ status: 200, body: { walletAddress: WALLET } });
    await patch(randomUUID(), null);
    expect(await patch(key, WALLET)).toEqual(first);
    expect((await bob.api.GET('/me')).data!.walletAddress).toBeNull();
  });

  test('its key is refused for another wallet and for a mint', async () => {
    const key = randomUUID();
    const token = await deployToken(bob);
    await patch(key, WALLET);
    expect(await patch(key, null)).toMatchObject({ status: 422 });
    expect((await bob.api.GET('/me')).data!.walletAddress).toBe(WALLET);
    expect(await requestMint(bob, token, { key })).toMatchObject({ status: 422, intentId: null });
    expect(await balance(token)).toBe(0n);
    await patch(randomUUID(), null);
  });

  test('a refused wallet leaves the key free', async () => {
    const key = randomUUID();
    expect((await patch(key, `0x${'0'.repeat(40)}`)).status).toBe(422);
    expect((await patch(key, WALLET)).status).toBe(200);
    await patch(randomUUID(), null);
  });
});

describe('concurrent requests', () => {
  test('40 keys with 10 requests each make 40 mints', async () => {
    const token = await deployToken(dora);
    const keys = Array.from({ length: 40 }, () => randomUUID());
    const answers = await Promise.all(
      Array.from({ length: 10 }, () =>
        keys.map(async (key, index) => ({
          key,
          // Different amounts, so that the balance shows which mints happened.
          answer: await requestMint(dora, token, { key, amount: String(2 ** index) }),
        })),
      ).flat(),
    );
    expect(answers.map(({ answer }) => answer.status)).toEqual(answers.map(() => 200));
    for (const key of keys) {
      const own = answers.filter((racer) => racer.key === key).map(({ answer }) => essence(answer));
      expect(own).toHaveLength(10);
      expect(own).toEqual(own.map(() => own[0]));
    }
    expect(new Set(answers.map(({ answer }) => answer.intentId)).size).toBe(40);
    expect(await balance(token)).toBe(2n ** 40n - 1n);
    expect(await mintsUsed(dora)).toBe(41);
    const { filters } = chain.erc20(token);
    expect(await chain.erc20(token).queryFilter(filters.Transfer!(null, RECIPIENT), 0)).toHaveLength(40);
  });

  test('of 10 different requests under one key one is accepted and nine are refused', async () => {
    const key = randomUUID();
    const token = await deployToken(bob);
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => requestMint(bob, token, { key, amount: String(index + 1) })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([
      200,
      ...Array.from({ length: 9 }, () => 422),
    ]);
    const won = answers.findIndex(({ status }) => status === 200);
    expect(await balance(token)).toBe(BigInt(won + 1));
  });

  test('10 deployments under one key make one token', async () => {
    const key = randomUUID();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => requestErc20(bob, { key, name: 'Raced' })),
    );
    expect(answers.map(essence)).toEqual(answers.map(() => essence(answers[0]!)));
    expect(answers[0]!.status).toBe(200);
    const { data } = await bob.api.GET('/tokens');
    expect(data!.data.filter(({ name }) => name === 'Raced')).toHaveLength(1);
  });

  test('to two replicas make one mint a key', async () => {
    const config = readConfig(['--role', 'api'], {
      ...mintmark.environment,
      PORT: '0',
      SIGNER_KEY: '',
      OPERATOR_ADMIN: embeddedAccounts[0].address,
    });
    await using replica = await startService(config, createLogger(config.logLevel));
    const there = { ...dora, api: createMintmarkClient({ baseUrl: replica.url!, token: dora.token }) };
    const keys = Array.from({ length: 10 }, () => randomUUID());
    const token = await deployToken(dora);
    const pairs = await Promise.all(
      keys.map((key) => Promise.all([dora, there, dora, there].map((at) => requestMint(at, token, { key })))),
    );
    for (const answers of pairs) {
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      expect(new Set(answers.map(({ intentId }) => intentId)).size).toBe(1);
    }
    expect(await balance(token)).toBe(10n);
  });
});
