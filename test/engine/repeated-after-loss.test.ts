import { expect, test } from '@jest/globals';
import { acceptLoss } from '../../src/engine/index.ts';
import { until } from '../setup/until.ts';
import type { TestAccount } from '../../lab/stage/service.ts';
import { waitForStatus } from '../../lab/stage/intents.ts';
import { requestErc20, requestMint } from '../../lab/stage/tokens.ts';
import { acceptLossOf, startEpochStand } from '../setup/epoch-stand.ts';
import type { EpochStand } from '../setup/epoch-stand.ts';

/** What a client knows of a write. */
async function shown({ api }: TestAccount, id: string) {
  const { data } = await api.GET('/intents/{id}', { params: { path: { id } } });
  return { id, contract: data!.contract, transaction: data!.transaction?.hash };
}

/** Asks under one key each for a token, a mint of it and one of an older token, and waits for all of them. */
async function askForAll({ target }: EpochStand, amount = '5') {
  const { account } = target;
  const deployed = await requestErc20(account, { key: 'deployment' });
  await waitForStatus(account, deployed.intentId!, 'confirmed');
  const { contract } = await shown(account, deployed.intentId!);
  const ids = [deployed.intentId!];
  for (const [key, address] of [
    ['of the new one', contract],
    ['of the old one', target.address],
  ] as const) {
    const { intentId } = await requestMint(account, address, { key, amount });
    await waitForStatus(account, intentId!, 'confirmed');
    ids.push(intentId!);
  }
  return Promise.all(ids.map((id) => shown(account, id)));
}

const quotaOf = async ({ target }: EpochStand) => (await target.account.api.GET('/stats')).data!.mintsUsed;

test('what an older backup has lost is not done again for a client that repeats it, and has its first answer', async () => {
  await using stand = await startEpochStand();
  const { mintmark, countEffects, quiet } = stand;
  const backup = await stand.stopAndCopy();
  await mintmark.restart();
  const first = await askForAll(stand);
  await quiet();
  const [effects, quota] = [await countEffects(), await quotaOf(stand)];

  await mintmark.service.stop();
  await acceptLossOf(backup);
  await mintmark.restart({ DATABASE_URL: backup });
  await stand.waitForEpoch(2);
  expect(await askForAll(stand)).toEqual(first);
  await quiet();
  expect([await countEffects(), await quotaOf(stand)]).toEqual([effects, quota]);
  // What is new is done, and so is another request under a key that the database has lost.
  await waitForStatus(
    stand.target.account,
    (await requestMint(stand.target.account, stand.target.address, { key: 'new' })).intentId!,
    'confirmed',
  );
  expect(await countEffects()).toBe(effects + 1);
});

test('another request under a lost key is done', async () => {
  await using stand = await startEpochStand();
  const { mintmark, countEffects, quiet } = stand;
  const backup = await stand.stopAndCopy();
  await mintmark.restart();
  await askForAll(stand, '5');
  await quiet();
  const effects = await countEffects();
  await mintmark.service.stop();
  await acceptLossOf(backup);
  await mintmark.restart({ DATABASE_URL: backup });
  await stand.waitForEpoch(2);
  await askForAll(stand, '6');
  await quiet();
  // Both mints, and not the deployment.
  expect(await countEffects()).toBe(effects + 2);
});

test('nothing is accepted before it is known what lost commits have done', async () => {
  await using stand = await startEpochStand();
  const { mintmark, target } = stand;
  stand.withholdSent(true);
  await acceptLoss(stand.db());
  const refused = await requestMint(target.account, target.address, { key: 'meanwhile' });
  expect(refused).toMatchObject({ status: 500, intentId: null });
  expect(JSON.stringify(refused)).toContain('nothing is accepted until');
  await until(async () => (await fetch(`${mintmark.url}/ready`)).status === 503);
  expect(await (await fetch(`${mintmark.url}/ready`)).text()).toContain('A new epoch is about to begin');
  stand.withholdSent(false);
  await stand.waitForEpoch(2);
  const { intentId } = await requestMint(target.account, target.address, { key: 'meanwhile' });
  await waitForStatus(target.account, intentId!, 'confirmed');
});
