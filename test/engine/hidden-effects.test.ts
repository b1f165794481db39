import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { encodeExecution } from '../../src/chain/abi/execution.ts';
import type { OperatorCall } from '../../src/chain/abi/execution.ts';
import { encodeErc20Mint } from '../../src/chain/abi/mint.ts';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import { query } from '../../src/db/client.ts';
import { keyOf } from '../../src/engine/intent.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { waitForStatus } from '../../lab/stage/intents.ts';
import { startTestService } from '../../lab/stage/service.ts';
import { requestMint } from '../../lab/stage/tokens.ts';
import { createMintmarkClient } from '../../generated/client.ts';
import type { Answer } from '../../lab/proxies/rpc/endpoint.ts';
import { openChain } from '../setup/chain.ts';
import { acceptLossOf, holdLanes, startEpochStand } from '../setup/epoch-stand.ts';
import type { EpochStand } from '../setup/epoch-stand.ts';
import { SHORT_TIMINGS } from './timings.ts';

/* Effects that a database lost, and that something hides from it: a client's repeat has its first answer anyway. */

const TEN_MINUTES = 601;
const THIEF: Hex = `0x${'bad0'.repeat(10)}`;

/** Mints under the key, and waits for that. Returns its intent. */
async function mintOnce({ target: { account, address }, quiet }: EpochStand): Promise<string> {
  const { intentId } = await requestMint(account, address, { key: 'k', prefer: 'respond-async' });
  await waitForStatus(account, intentId!, 'confirmed');
  await quiet();
  return intentId!;
}

/** Takes a backup, mints, and goes on with the backup, of which a person has accepted what it lacks. */
async function loseMint(stand: EpochStand, beforeStart: () => Promise<unknown> = async () => undefined) {
  const { mintmark, countEffects } = stand;
  const backup = await stand.stopAndCopy();
  await mintmark.restart();
  const intent = await mintOnce(stand);
  const effects = await countEffects();
  await mintmark.service.stop();
  await acceptLossOf(backup);
  await beforeStart();
  await mintmark.restart({ DATABASE_URL: backup });
  await stand.waitForEpoch(2);
  return { intent, effects };
}

test.each<[string, Answer]>([
  ['refuses logs', { error: { code: -32_005, message: 'query exceeds max block range' } }],
  ['answers without logs, as while it indexes,', { result: [] }],
])('an endpoint that %s for a moment hides none', async (_how, answer) => {
  await using stand = await startEpochStand();
  const { anvil, proxy, countEffects } = stand;
  const asked = new Set<string>();
  const { intent, effects } = await loseMint(stand, async () => {
    // Final and deep, where a node may have dropped them.
    await anvil.call('anvil_mine', ['0x40']);
    proxy.endpoint.layers.unshift(async (request, forward) => {
      const [{ blockHash }] = [...request.params, {}] as [{ blockHash?: string }];
      if (request.method !== 'eth_getLogs' || !blockHash || asked.has(blockHash)) return forward(request);
      asked.add(blockHash);
      return answer;
    });
  });
  expect(asked.size).toBeGreaterThan(0);
  expect([await mintOnce(stand), await countEffects()]).toEqual([intent, effects]);
});

test('an endpoint that searches no old events is asked for what is known, and holds up nothing', async () => {
  await using stand = await startEpochStand();
  const { proxy, target, countEffects } = stand;
  const { intent, effects } = await loseMint(stand);
  proxy.options.faultFor = (method, [filter]) =>
    method === 'eth_getLogs' && (filter as { fromBlock?: string }).fromBlock === 'earliest'
      ? 'too-far'
      : null;
  expect(await mintOnce(stand)).toBe(intent);
  const { account, address } = target;
  const other = await requestMint(account, address, { key: 'another', prefer: 'respond-async' });
  await waitForStatus(account, other.intentId!, 'confirmed');
  proxy.options.faultFor = () => null;
  expect(await countEffects()).toBe(effects + 1);
});

/** Has the signer send a call that no database has asked for. */
async function executeUnknown({ anvil, mintmark }: EpochStand, call: OperatorCall): Promise<void> {
  const [{ address: from }] = embeddedAccounts;
  await anvil.call('anvil_impersonateAccount', [from]);
  const to = mintmark.service.context.system.operator;
  await anvil.call('eth_sendTransaction', [{ from, to, data: encodeExecution(1n, [call]), gas: '0xf4240' }]);
}

test('a thief of a signer hides none, who copies its key from the pool and is mined first', async () => {
  await using stand = await startEpochStand();
  const { mintmark, countEffects, target } = stand;
  const { account, address } = target;
  const backup = await stand.stopAndCopy();
  await mintmark.restart();
  stand.withholdSent(true);
  const { intentId } = await requestMint(account, address, { key: 'k', prefer: 'respond-async' });
  await stand.waitForRow(`select 1 from transactions where status = 'open'`);
  const theft = {
    ...{ target: address.toLowerCase() as Hex, gasCap: 200_000, number: 0n, key: keyOf(intentId!) },
    data: encodeErc20Mint(THIEF, 5n),
  };
  await executeUnknown(stand, theft);
  // Its block has come.
  await sleep(1_000);
  stand.withholdSent(false);
  await waitForStatus(account, intentId!, 'confirmed');
  await stand.quiet();
  const effects = await countEffects();
  await mintmark.service.stop();
  await acceptLossOf(backup);
  await mintmark.restart({ DATABASE_URL: backup });
  await stand.waitForEpoch(2);
  expect([await mintOnce(stand), await countEffects()]).toEqual([intentId, effects]);
});

test('an effect with a number that was never handed out stops an older database', async () => {
  await using stand = await startEpochStand();
  const { mintmark, target, anvil, countEffects } = stand;
  const { account, address } = target;
  const before = await countEffects();
  const call = { target: address.toLowerCase() as Hex, gasCap: 200_000, number: 900_000n, key: 1n };
  await executeUnknown(stand, { ...call, data: encodeErc20Mint(THIEF, 5n) });
  while ((await countEffects()) === before) await sleep(100);
  // Who looks at the chain for this finds the other.
  await requestMint(account, address, { key: 'first', prefer: 'respond-async' });
  await untilStopped(mintmark.url);
  expect((await requestMint(account, address, { key: 'second', prefer: 'respond-async' })).status).toBe(500);
  await acceptLossOf(mintmark.databaseUrl);
  await anvil.call('evm_increaseTime', [TEN_MINUTES]);
  await stand.waitForEpoch(2);
  await mintOnce(stand);
  expect((await requestMint(account, address, { key: 'first' })).status).toBe(200);
});

/** Lets another database go on with the contracts, and mint; its service has ended then. Returns the intent. */
async function mintElsewhere({ mintmark, target }: EpochStand, databaseUrl: string): Promise<string> {
  await acceptLossOf(databaseUrl);
  const rpcUrl = mintmark.environment['RPC_URL']!;
  await using other = await startTestService(
    { DATABASE_URL: databaseUrl },
    { rpcUrl, timings: SHORT_TIMINGS },
  );
  const there = { api: createMintmarkClient({ baseUrl: other.url, token: target.account.token }) };
  while ((await fetch(`${other.url}/ready`)).status !== 200) await sleep(100);
  const { intentId } = await requestMint(there, target.address, { key: 'k' });
  await waitForStatus(there, intentId!, 'confirmed');
  return intentId!;
}

test('what is accepted before anybody knows that another database went on is compared too', async () => {
  await using stand = await startEpochStand();
  const { mintmark, countEffects, target, anvil } = stand;
  const other = await stand.stopAndCopy();
  await mintmark.restart();
  const intent = await mintElsewhere(stand, other);
  const effects = await countEffects();
  const { account, address } = target;
  const again = await requestMint(account, address, { key: 'k', prefer: 'respond-async' });
  expect(again).toMatchObject({ status: 202, intentId: intent });
  await stand.waitForRow('select 1 from server where lost_since is not null');
  await acceptLossOf(mintmark.databaseUrl);
  await anvil.call('evm_increaseTime', [TEN_MINUTES]);
  await stand.waitForEpoch(3);
  await waitForStatus(account, intent, 'confirmed');
  await stand.quiet();
  expect(await countEffects()).toBe(effects);
});

test('a reader that was idle passes over nothing that another database did', async () => {
  await using stand = await startEpochStand({}, { longIdleMs: 1_000 });
  const { mintmark, target, anvil } = stand;
  const other = await stand.stopAndCopy();
  await mintmark.restart();
  const intent = await mintElsewhere(stand, other);
  using chain = openChain(mintmark);
  const readSupply = (): Promise<bigint> => chain.erc20(target.address).getFunction('totalSupply')();
  const supply = await readSupply();
  await sleep(2_000);
  // A request that looks at the head of the chain.
  const { address } = target;
  await target.account.api.POST('/tokens/{address}/unpause', { params: { path: { address } } });
  await mintmark.service.stop();
  await acceptLossOf(mintmark.databaseUrl);
  await anvil.call('evm_increaseTime', [TEN_MINUTES]);
  await mintmark.restart();
  await stand.waitForEpoch(3);
  expect([await mintOnce(stand), await readSupply()]).toEqual([intent, supply]);
});

/** Lets the endpoint answer for these methods as it is now, whenever it is told to be behind. */
async function stayBehind({ anvil, proxy }: EpochStand, methods: readonly string[]) {
  const old = await anvil.call('eth_blockNumber', []);
  let isBehind = false;
  proxy.endpoint.layers.unshift((request, forward) =>
    isBehind && methods.includes(request.method)
      ? forward({ ...request, params: request.params.map((one) => (one === 'latest' ? old : one)) })
      : forward(request),
  );
  return (behind: boolean) => void (isBehind = behind);
}

async function untilStopped(url: string): Promise<void> {
  while ((await fetch(`${url}/ready`)).status === 200) await sleep(100);
}

test('an older database with nothing open passes over nothing that it has lost', async () => {
  await using stand = await startEpochStand({}, { longIdleMs: 1_000 });
  const { mintmark, countEffects, anvil } = stand;
  const backup = await stand.stopAndCopy();
  const beBehind = await stayBehind(stand, ['eth_call']);
  await mintmark.restart();
  const intent = await mintOnce(stand);
  const effects = await countEffects();
  await mintmark.service.stop();
  await sleep(3_000);
  beBehind(true);
  await mintmark.restart({ DATABASE_URL: backup });
  beBehind(false);
  await untilStopped(mintmark.url);
  await acceptLossOf(backup);
  await anvil.call('evm_increaseTime', [TEN_MINUTES]);
  await stand.waitForEpoch(2);
  expect([await mintOnce(stand), await countEffects()]).toEqual([intent, effects]);
});

test.each([1, 2])(
  'a lost number that was handed out again stops the service, of %s lost ones',
  async (lost) => {
    await using stand = await startEpochStand();
    const { mintmark, countEffects, anvil, target } = stand;
    const { account, address } = target;
    const backup = await stand.stopAndCopy();
    const beBehind = await stayBehind(stand, ['eth_call', 'eth_getBlockByNumber']);
    await mintmark.restart();
    const intent = await mintOnce(stand);
    if (lost === 2) await requestMint(account, address, { key: 'l' });
    await stand.quiet();
    const effects = await countEffects();
    await mintmark.service.stop();
    beBehind(true);
    await mintmark.restart({ DATABASE_URL: backup });
    const other = await requestMint(account, address, { key: 'other', amount: '7', prefer: 'respond-async' });
    expect(other.status).toBe(202);
    beBehind(false);
    await untilStopped(mintmark.url);
    await acceptLossOf(backup);
    await anvil.call('evm_increaseTime', [TEN_MINUTES]);
    await stand.waitForEpoch(2);
    expect(await mintOnce(stand)).toBe(intent);
    await waitForStatus(account, other.intentId!, 'confirmed');
    expect(await countEffects()).toBe(effects + 1);
  },
);

test('a request that is repeated in time is not done again, though it is looked at a day later', async () => {
  await using stand = await startEpochStand();
  const { countEffects, anvil, target } = stand;
  const { intent, effects } = await loseMint(stand);
  const pass = async (hours: number): Promise<void> => {
    await anvil.call('evm_increaseTime', [hours * 3_600]);
    await anvil.call('anvil_mine', ['0x4']);
  };
  await pass(23);
  await holdLanes(stand.db());
  const { account, address } = target;
  const again = await requestMint(account, address, { key: 'k', prefer: 'respond-async' });
  expect(again).toMatchObject({ status: 202, intentId: intent });
  await pass(3);
  await query(
    stand.db(),
    `update intents set created_at = created_at - interval '3 hours' where status = 'queued'`,
  );
  await stand.letLanesGo();
  await waitForStatus(account, intent, 'confirmed');
  await stand.quiet();
  expect(await countEffects()).toBe(effects);
});
