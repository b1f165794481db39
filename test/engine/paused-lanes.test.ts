import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { JsonRpcProvider, id } from 'ethers';
import { setTimeout as sleep } from 'node:timers/promises';
import { query } from '../../src/db/client.ts';
import { deploySystem } from '../../lab/stage/system.ts';
import { startAnvil } from '../../lab/stage/anvil.ts';
import type { Anvil } from '../../lab/stage/anvil.ts';
import { openChain } from '../setup/chain.ts';
import { waitForStatus } from '../../lab/stage/intents.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestAccount, TestService } from '../../lab/stage/service.ts';
import { deployToken, requestMint } from '../../lab/stage/tokens.ts';
import { SHORT_TIMINGS } from './timings.ts';

const EXECUTOR_ROLE = id('EXECUTOR_ROLE');
/** Wei per gas: before whatever the service sends. */
const FIRST_IN_BLOCK = { maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 10n ** 11n };

let anvil: Anvil;
let provider: JsonRpcProvider;
let mintmark: TestService;
let chain: ReturnType<typeof openChain>;
let account: TestAccount;
let token: string;

beforeEach(async () => {
  anvil = await startAnvil();
  provider = new JsonRpcProvider(anvil.url, undefined, { staticNetwork: true, cacheTimeout: -1 });
  // The admin's key is not the service's: what it sends uses no nonce of a lane.
  const [signer, admin] = [await provider.getSigner(0), await provider.getSigner(3)];
  await deploySystem(admin, signer.address);
  mintmark = await startTestService(
    { OPERATOR_ADMIN: admin.address },
    { rpcUrl: anvil.url, timings: SHORT_TIMINGS },
  );
  chain = openChain(mintmark);
  account = await mintmark.register();
  token = await deployToken(account);
});

afterEach(async () => {
  chain.close();
  await mintmark.stop();
  provider.destroy();
  await anvil.stop();
});

const encode = (name: string, args: readonly unknown[] = []) =>
  chain.operator.interface.encodeFunctionData(name, args);

/** Sends a call as the admin; `mined` waits for its block. */
async function asAdmin(name: string, args: readonly unknown[] = [], mined = true): Promise<void> {
  const admin = await provider.getSigner(3);
  const { system } = mintmark.service.context;
  const data = encode(name, args);
  const sent = await admin.sendTransaction({
    ...{ to: system.operator, data, gasLimit: 200_000 },
    ...FIRST_IN_BLOCK,
  });
  if (mined) await sent.wait();
}

/** What the Operator does to itself for its admin. */
const asItself = (name: string, args: readonly unknown[]) =>
  asAdmin('adminExecute', [mintmark.service.context.system.operator, encode(name, args)]);
/** Ends the first epoch. The admin has been given the role for that. */
const raiseEpoch = (mined = true) => asAdmin('raiseEpoch', [1, id('by hand')], mined);

const stopMining = () => provider.send('evm_setAutomine', [false]);
const mine = () => provider.send('evm_mine', []);
const startMining = () => provider.send('evm_setAutomine', [true]);

/** Asks for a mint and does not wait for it. Returns its intent. */
async function startMint(): Promise<string> {
  const { status, intentId } = await requestMint(account, token, { prefer: 'respond-async' });
  expect(status).toBe(202);
  return intentId!;
}

const shown = async (intent: string) =>
  (await account.api.GET('/intents/{id}', { params: { path: { id: intent } } })).data!;

/** Waits until what is shown of an intent says so. */
async function untilWaitingFor(intent: string, cause: RegExp): Promise<{ cause: string; action: string }> {
  for (let look = 0; look < 6_000; look += 1) {
    const { waiting } = await shown(intent);
    if (waiting && cause.test(waiting.cause)) return waiting;
    await sleep(50);
  }
  throw new Error(`The intent is ${JSON.stringify(await shown(intent))}`);
}

async function readReady(): Promise<{ status: number; text: string }> {
  const response = await fetch(`${mintmark.url}/ready`);
  return { status: response.status, text: await response.text() };
}

async function untilReady(isReady: boolean): Promise<string> {
  for (let look = 0; look < 3_000; look += 1) {
    const { status, text } = await readReady();
    if ((status === 200) === isReady) return text;
    await sleep(100);
  }
  throw new Error(`/ready stays as it is: ${(await readReady()).text}`);
}

const supply = async (): Promise<bigint> => (await chain.erc20(token)['totalSupply']!()) as bigint;

/** The epoch of each intent, by its public id. */
async function readEpochs(): Promise<Map<string, bigint>> {
  const rows = await query<{ id: string; epoch: bigint }>(
    mintmark.service.context.db,
    'select id, epoch from intents where epoch is not null',
  );
  return new Map(rows.map((row) => [row.id, row.epoch]));
}

describe('a stopped Operator', () => {
  test('under load: nothing fails, nothing is sent, and all confirms after the start', async () => {
    const before = Array.from({ length: 20 }, startMint);
    await asAdmin('stopExecution');
    const intents = await Promise.all([...before, ...Array.from({ length: 20 }, startMint)]);
    const waiting = await untilWaitingFor(intents.at(-1)!, /stopped/);
    expect(waiting.action).toContain('execution start');
    expect(await untilReady(false)).toContain('execution start');

    const count = await provider.getTransactionCount((await provider.getSigner(0)).address);
    await sleep(1_000);
    expect(await provider.getTransactionCount((await provider.getSigner(0)).address)).toBe(count);
    for (const intent of intents) expect((await shown(intent)).status).not.toBe('failed');

    await asAdmin('startExecution');
    for (const intent of intents) await waitForStatus(account, intent, 'confirmed');
    expect(await supply()).toBe(40n);
    await untilReady(true);
  });

  test('that is started while nothing is queued is noticed', async () => {
    await asAdmin('stopExecution');
    const intent = await startMint();
    await untilWaitingFor(intent, /stopped/);
    const cancelled = await account.api.POST('/intents/{id}/cancel', { params: { path: { id: intent } } });
    expect(cancelled.response.status).toBe(200);
    await untilReady(false);
    await asAdmin('startExecution');
    await untilReady(true);
  });

  test('fails no call whose transaction it reverted, however often', async () => {
    await stopMining();
    const intent = await startMint();
    for (let round = 0; round < 3; round += 1) {
      await waitForStatus(account, intent, 'submitted');
      await asAdmin('stopExecution', [], false);
      await mine();
      await untilWaitingFor(intent, /stopped/);
      await asAdmin('startExecution', [], false);
      await mine();
    }
    await waitForStatus(account, intent, 'submitted');
    await startMining();
    await mine();
    await waitForStatus(account, intent, 'confirmed');
    expect(await supply()).toBe(1n);
  });
});

test('without the executor role the lane is paused, and goes on when it is granted again', async () => {
  const { address } = await provider.getSigner(0);
  await asItself('revokeRole', [EXECUTOR_ROLE, address]);
  const intents = await Promise.all(Array.from({ length: 5 }, startMint));
  const { action } = await untilWaitingFor(intents[0]!, /not an executor/);
  expect(action).toContain(`signers grant ${address.toLowerCase()}`);
  expect(await untilReady(false)).toContain('signers grant');
  await asItself('grantRole', [EXECUTOR_ROLE, address]);
  for (const intent of intents) await waitForStatus(account, intent, 'confirmed');
  expect(await supply()).toBe(5n);
});

describe('a new epoch', () => {
  beforeEach(async () => {
    const { address } = await provider.getSigner(3);
    await asItself('grantRole', [id('EPOCH_ROLE'), address]);
  });

  test('takes along what was never signed, and what comes later belongs to it', async () => {
    await asAdmin('stopExecution');
    const intent = await startMint();
    await untilWaitingFor(intent, /stopped/);
    expect((await readEpochs()).get(intent)).toBe(1n);
    await raiseEpoch();
    await asAdmin('startExecution');
    await waitForStatus(account, intent, 'confirmed');
    const later = await startMint();
    await waitForStatus(account, later, 'confirmed');
    const epochs = await readEpochs();
    expect([epochs.get(intent), epochs.get(later)]).toEqual([2n, 2n]);
    expect(await supply()).toBe(2n);
  });

  test('takes along what was found done in the last one, in a block that is gone', async () => {
    await asAdmin('stopExecution');
    const intent = await startMint();
    await untilWaitingFor(intent, /stopped/);
    await query(mintmark.service.context.db, 'update intents set found_done = true where id = :intent', {
      intent,
    });
    await raiseEpoch();
    await asAdmin('startExecution');
    await waitForStatus(account, intent, 'confirmed');
    expect(await supply()).toBe(1n);
  });

  test('takes along what was signed once its transaction is final, and it happens once', async () => {
    await stopMining();
    const intent = await startMint();
    await waitForStatus(account, intent, 'submitted');
    await raiseEpoch(false);
    await mine();
    await startMining();
    await waitForStatus(account, intent, 'confirmed');
    expect((await readEpochs()).get(intent)).toBe(2n);
    expect(await supply()).toBe(1n);
  });

  test('is learnt at the start, so that an API replica accepts for it', async () => {
    await raiseEpoch();
    await mintmark.restart();
    const intent = await startMint();
    expect((await readEpochs()).get(intent)).toBe(2n);
    await waitForStatus(account, intent, 'confirmed');
  });
});
