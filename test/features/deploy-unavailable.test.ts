import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import { openChain } from '../setup/chain.ts';
import { createCollection, createKey, creditsLeft } from '../../lab/stage/collections.ts';
import type { TestKey } from '../../lab/stage/collections.ts';
import { makeRevert } from '../setup/mining.ts';
import { createAsk } from '../../lab/stage/request.ts';
import type { Ask } from '../../lab/stage/request.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestAccount, TestService } from '../../lab/stage/service.ts';
import { RECIPIENT, deployToken } from '../../lab/stage/tokens.ts';
import type { TestAnswer } from '../../lab/stage/tokens.ts';

let mintmark: TestService;
let chain: ReturnType<typeof openChain>;
let ask: Ask;
let alice: TestAccount;
let coin: string;
let key: TestKey;
let collection: string;

beforeAll(async () => {
  mintmark = await startTestService();
  chain = openChain(mintmark);
  ask = createAsk(mintmark.url);
  alice = await mintmark.register();
  coin = await deployToken(alice);
  key = await createKey(mintmark, alice);
  collection = await createCollection(key.api);
  expect(
    (await ask({ token: key.key }, 'POST', `/v1/collections/${collection}/mint`, { to: RECIPIENT })).status,
  ).toBe(201);
});

afterAll(async () => {
  chain?.close();
  await mintmark?.stop();
});

const deploy = (): Promise<TestAnswer> =>
  ask(alice, 'POST', '/tokens', { type: 'ERC20', name: 'Coin', symbol: 'C' });
const create = (): Promise<TestAnswer> =>
  ask({ token: key.key }, 'POST', '/v1/collections', { name: 'Art', symbol: 'A' });
const mintsUsed = async () => (await alice.api.GET('/stats')).data!.mintsUsed;

test('a healthy service is ready', async () => {
  expect(await ask(null, 'GET', '/health')).toMatchObject({ status: 200, body: { ok: true } });
  expect(await ask(null, 'GET', '/ready')).toMatchObject({ status: 200 });
});

test('a missing factory is 503 DEPLOY_UNAVAILABLE, a factory that reverts is 502 with its reason, and neither spends quota', async () => {
  const { tokenFactory, collectionFactory } = mintmark.service.context.system;
  const used = await mintsUsed();
  const credits = await creditsLeft(mintmark, alice);
  for (const [factory, make] of [
    [tokenFactory, deploy],
    [collectionFactory, create],
  ] as const) {
    const code = await chain.provider.getCode(factory);
    try {
      await chain.provider.send('hardhat_setCode', [factory, '0x']);
      expect(await make()).toMatchObject({ status: 503, body: { code: 'DEPLOY_UNAVAILABLE' } });
      await makeRevert(chain, factory, 'not today');
      const refused = await make();
      expect(refused).toMatchObject({ status: 502, body: { code: 'CHAIN_ERROR' } });
      expect((refused.body as { message: string }).message).toContain('not today');
    } finally {
      await chain.provider.send('hardhat_setCode', [factory, code]);
    }
  }
  expect(await mintsUsed()).toBe(used);
  expect(await creditsLeft(mintmark, alice)).toBe(credits);
  expect((await deploy()).status).toBe(200);
  expect((await create()).status).toBe(201);
});

test('without ether for gas a deployment is 503, other writes are 502, and the service is not ready', async () => {
  const signer = embeddedAccounts[0].address;
  const ether = await chain.provider.getBalance(signer);
  const used = await mintsUsed();
  const credits = await creditsLeft(mintmark, alice);
  const setBalance = (wei: bigint) =>
    chain.provider.send('hardhat_setBalance', [signer, `0x${wei.toString(16)}`]);
  try {
    await setBalance(0n);
    await waitUntil(async () => (await ask(null, 'GET', '/ready')).status === 503);
    for (const make of [deploy, create]) {
      expect(await make()).toMatchObject({ status: 503, body: { code: 'DEPLOY_UNAVAILABLE' } });
    }
    const described = { name: 'n', description: 'd' };
    const writes = [
      ['POST', `/tokens/${coin}/mint`, { owner: RECIPIENT, amount: '1' }],
      ['POST', `/tokens/${coin}/pause`, undefined],
      ['POST', `/tokens/${coin}/freeze`, { account: RECIPIENT }],
      ['PUT', `/tokens/${coin}/metadata`, described],
      ['POST', `/v1/collections/${collection}/mint`, { to: RECIPIENT }],
      ['POST', `/v1/collections/${collection}/mint/batch`, { items: [{ to: RECIPIENT }] }],
      ['PUT', `/v1/collections/${collection}/metadata`, described],
      ['PUT', `/v1/collections/${collection}/tokens/1/metadata`, described],
    ] as const;
    for (const [method, path, body] of writes) {
      const answer = await ask(path.startsWith('/v1') ? { token: key.key } : alice, method, path, body);
      expect(answer).toMatchObject({ status: 502, body: { code: 'CHAIN_ERROR' } });
    }
    // A write that needs no transaction succeeds: the token is not paused already.
    expect((await ask(alice, 'POST', `/tokens/${coin}/unpause`)).status).toBe(200);
    expect(await mintsUsed()).toBe(used);
    expect(await creditsLeft(mintmark, alice)).toBe(credits);
    // A quota that is used up is told first.
    const { db } = mintmark.service.context;
    const use = (mints: number) =>
      query(
        db,
        `update balances set committed = committed + :mints, granted = granted + :mints where meter = 'mints'`,
        { mints },
      );
    await use(1_000_000);
    expect(await ask(alice, ...writes[0])).toMatchObject({ status: 403, body: { code: 'QUOTA_EXCEEDED' } });
    await use(-1_000_000);
  } finally {
    await setBalance(ether);
  }
  await waitUntil(async () => (await ask(null, 'GET', '/ready')).status === 200);
  expect((await deploy()).status).toBe(200);
});

/** The lane checks its funds every ten seconds. */
async function waitUntil(isSo: () => Promise<boolean>): Promise<void> {
  for (let look = 0; look < 600; look += 1) {
    if (await isSo()) return;
    await sleep(200);
  }
  throw new Error('it did not happen within two minutes');
}
