import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import { openChain } from '../setup/chain.ts';
import { makeRevert } from '../setup/mining.ts';
import { createAsk } from '../setup/request.ts';
import type { Ask } from '../setup/request.ts';
import { startTestService } from '../setup/service.ts';
import type { TestAccount, TestService } from '../setup/service.ts';
import { RECIPIENT, deployToken } from '../setup/tokens.ts';
import type { TestAnswer } from '../setup/tokens.ts';

let mintmark: TestService;
let chain: ReturnType<typeof openChain>;
let ask: Ask;
let alice: TestAccount;
let coin: string;

beforeAll(async () => {
  mintmark = await startTestService();
  chain = openChain(mintmark);
  ask = createAsk(mintmark.url);
  alice = await mintmark.register();
  coin = await deployToken(alice);
});

afterAll(async () => {
  chain?.close();
  await mintmark?.stop();
});

const deploy = (): Promise<TestAnswer> =>
  ask(alice, 'POST', '/tokens', { type: 'ERC20', name: 'Coin', symbol: 'C' });
const mintsUsed = async () => (await alice.api.GET('/stats')).data!.mintsUsed;

test('a healthy service says so', async () => {
  expect(await ask(null, 'GET', '/health')).toMatchObject({ status: 200, body: { ok: true } });
  expect(await ask(null, 'GET', '/ready')).toMatchObject({ status: 200 });
});

test('a missing factory is 503 DEPLOY_UNAVAILABLE, one that refuses 502 with its reason; neither costs anything', async () => {
  const { tokenFactory } = mintmark.service.context.system;
  const code = await chain.provider.getCode(tokenFactory);
  const used = await mintsUsed();
  try {
    await chain.provider.send('hardhat_setCode', [tokenFactory, '0x']);
    expect(await deploy()).toMatchObject({ status: 503, body: { code: 'DEPLOY_UNAVAILABLE' } });
    await makeRevert(chain, tokenFactory, 'not today');
    const refused = await deploy();
    expect(refused).toMatchObject({ status: 502, body: { code: 'CHAIN_ERROR' } });
    expect((refused.body as { message: string }).message).toContain('not today');
  } finally {
    await chain.provider.send('hardhat_setCode', [tokenFactory, code]);
  }
  expect(await mintsUsed()).toBe(used);
  expect((await deploy()).status).toBe(200);
});

test('without ether for gas a deployment is 503, everything else 502, and the service is not ready', async () => {
  const signer = embeddedAccounts[0].address;
  const ether = await chain.provider.getBalance(signer);
  const used = await mintsUsed();
  const setBalance = (wei: bigint) =>
    chain.provider.send('hardhat_setBalance', [signer, `0x${wei.toString(16)}`]);
  try {
    await setBalance(0n);
    await waitFor(async () => (await ask(null, 'GET', '/ready')).status === 503);
    expect(await deploy()).toMatchObject({ status: 503, body: { code: 'DEPLOY_UNAVAILABLE' } });
    const writes = [
      ['POST', 'mint', { owner: RECIPIENT, amount: '1' }],
      ['POST', 'pause', undefined],
      ['POST', 'freeze', { account: RECIPIENT }],
      ['PUT', 'metadata', { name: 'n', description: 'd' }],
    ] as const;
    for (const [method, path, body] of writes) {
      const answer = await ask(alice, method, `/tokens/${coin}/${path}`, body);
      expect(answer).toMatchObject({ status: 502, body: { code: 'CHAIN_ERROR' } });
    }
    // What needs no transaction goes on: the token is not paused as it is.
    expect((await ask(alice, 'POST', `/tokens/${coin}/unpause`)).status).toBe(200);
    expect(await mintsUsed()).toBe(used);
  } finally {
    await setBalance(ether);
  }
  await waitFor(async () => (await ask(null, 'GET', '/ready')).status === 200);
  expect((await deploy()).status).toBe(200);
});

/** The lane looks at its funds every ten seconds. */
async function waitFor(isSo: () => Promise<boolean>): Promise<void> {
  for (let look = 0; look < 100; look += 1) {
    if (await isSo()) return;
    await sleep(200);
  }
  throw new Error('it did not happen within 20 seconds');
}
