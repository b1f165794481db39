import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { id } from 'ethers';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitForStatus } from '../../lab/stage/intents.ts';
import { startAdminStand } from '../setup/admin-stand.ts';
import type { AdminStand } from '../setup/admin-stand.ts';
import { SHORT_TIMINGS } from './timings.ts';

const EXECUTOR_ROLE = id('EXECUTOR_ROLE');

let stand: AdminStand;

beforeEach(async () => {
  stand = await startAdminStand({ timings: SHORT_TIMINGS });
});

afterEach(async () => stand[Symbol.asyncDispose]());

describe('a stopped Operator', () => {
  test('under load: nothing fails, nothing is sent, and all confirms after the start', async () => {
    const { provider, signer, account, asAdmin, startMint, shown, untilWaitingFor, untilReady } = stand;
    const before = Array.from({ length: 20 }, startMint);
    await asAdmin('stopExecution');
    const intents = await Promise.all([...before, ...Array.from({ length: 20 }, startMint)]);
    const waiting = await untilWaitingFor(intents.at(-1)!, /stopped/);
    expect(waiting.action).toContain('execution start');
    expect(await untilReady(false)).toContain('execution start');

    const count = await provider.getTransactionCount(signer);
    await sleep(1_000);
    expect(await provider.getTransactionCount(signer)).toBe(count);
    for (const intent of intents) expect((await shown(intent)).status).not.toBe('failed');

    await asAdmin('startExecution');
    for (const intent of intents) await waitForStatus(account, intent, 'confirmed');
    expect(await stand.supply()).toBe(40n);
    await untilReady(true);
  });

  test('that is started while nothing is queued is noticed', async () => {
    const { account, asAdmin, startMint, untilWaitingFor, untilReady } = stand;
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
    const { account, asAdmin, startMint, untilWaitingFor, stopMining, mine } = stand;
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
    await stand.startMining();
    await mine();
    await waitForStatus(account, intent, 'confirmed');
    expect(await stand.supply()).toBe(1n);
  });
});

test('without the executor role the lane is paused, and goes on when it is granted again', async () => {
  const { signer, account, asItself, startMint, untilWaitingFor, untilReady } = stand;
  await asItself('revokeRole', [EXECUTOR_ROLE, signer]);
  const intents = await Promise.all(Array.from({ length: 5 }, startMint));
  const { action } = await untilWaitingFor(intents[0]!, /not an executor/);
  expect(action).toContain(`signers grant ${signer.toLowerCase()}`);
  expect(await untilReady(false)).toContain('signers grant');
  await asItself('grantRole', [EXECUTOR_ROLE, signer]);
  for (const intent of intents) await waitForStatus(account, intent, 'confirmed');
  expect(await stand.supply()).toBe(5n);
});
