import { expect, test } from '@jest/globals';
import { encodeExecution } from '../../src/chain/abi/execution.ts';
import { query } from '../../src/db/client.ts';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import { beginEpochs, findPendingEpochs } from '../../src/engine/index.ts';
import { keyOf } from '../../src/engine/intent.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { emptyLog, mintOnce } from '../../lab/load/load.ts';
import { requestMint } from '../../lab/stage/tokens.ts';
import { acceptLossOf, holdLanes, mint, startEpochStand, withDb } from '../setup/epoch-stand.ts';
import type { EpochStand } from '../setup/epoch-stand.ts';

/** The Operator takes a raise ten minutes after the last one. */
const letTenMinutesPass = ({ anvil }: EpochStand) => anvil.call('evm_increaseTime', [601]);

test('a mint that was done in an epoch that a restored backup does not know is not done again in the one after it', async () => {
  await using stand = await startEpochStand();
  const { mintmark, target, quiet, countEffects } = stand;
  await holdLanes(stand.db());
  const log = emptyLog();
  await mintOnce(target, log);
  expect(log.acknowledged.size).toBe(1);
  const backup = await stand.stopAndCopy();

  // A person ran `recover`: the mint was carried into epoch 2, and is done there.
  await mintmark.restart();
  await beginEpochs(stand.db());
  await stand.letLanesGo();
  await stand.waitForEpoch(2);
  await quiet();
  expect(await countEffects()).toBe(2);

  // The backup is restored as the handbook says.
  await expect(mintmark.restart({ DATABASE_URL: backup })).rejects.toThrow(/recover --accept-loss/);
  await acceptLossOf(backup);
  await mintmark.restart({ DATABASE_URL: backup });
  await letTenMinutesPass(stand);
  await quiet();
  expect(await countEffects()).toBe(2);
});

test('an older backup on another server does not start before a person accepts the loss', async () => {
  await using stand = await startEpochStand();
  const { mintmark, target, quiet, countEffects } = stand;
  const backup = await stand.stopAndCopy();
  await mintmark.restart();
  expect(await mint(target, '1')).toBe(200);
  await quiet();
  await mintmark.service.stop();
  // As after any restore from a base backup: the timeline is another one.
  await withDb(backup, (db) => query(db, `update server set identity = 'the server that is gone'`));
  await expect(mintmark.restart({ DATABASE_URL: backup })).rejects.toThrow(/recover --accept-loss/);
  expect(await countEffects()).toBe(2);
});

test('a backup that was taken while a raise was on its way does not start before a person accepts the loss', async () => {
  await using stand = await startEpochStand();
  const { mintmark, target, quiet, countEffects } = stand;
  stand.withholdSent(true);
  await beginEpochs(stand.db());
  await stand.waitForRow(`select 1 from transactions where status = 'open'`);
  const backup = await stand.stopAndCopy();
  stand.withholdSent(false);
  await mintmark.restart();
  await stand.waitForEpoch(2);
  expect(await mint(target, '1')).toBe(200);
  await quiet();
  await expect(mintmark.restart({ DATABASE_URL: backup })).rejects.toThrow(/recover --accept-loss/);
  expect(await countEffects()).toBe(2);
});

/**
 * Loses a mint of 1 with its epoch, 2, accepts that, and then asks for a mint of `amount`, as another client does.
 * Returns once everything has its verdict.
 */
async function mintAfterLoss(stand: EpochStand, amount: string): Promise<void> {
  const { mintmark, target, quiet } = stand;
  const backup = await stand.stopAndCopy();
  await mintmark.restart();
  await beginEpochs(stand.db());
  await stand.waitForEpoch(2);
  expect(await mint(target, '1')).toBe(200);
  await quiet();
  await mintmark.service.stop();
  await acceptLossOf(backup);
  await mintmark.restart({ DATABASE_URL: backup });
  // It has seen that epoch 2 is not its own.
  await stand.waitForRow('select 1 from operators where epoch = 3');
  await letTenMinutesPass(stand);
  await stand.waitForEpoch(3);
  expect(await mint(target, amount)).toBe(200);
  await quiet();
}

test('a mint that is accepted after an accepted loss is confirmed, though a lost one is done in a lost epoch', async () => {
  await using stand = await startEpochStand();
  await mintAfterLoss(stand, '2');
  expect(
    await query(
      stand.db(),
      `select status, error_message as error from intents where kind = 'mint' order by number`,
    ),
  ).toEqual([{ status: 'confirmed', error: null }]);
});

test('a mint that is accepted after an accepted loss is done, though a lost one of another client asked for the same', async () => {
  await using stand = await startEpochStand();
  await mintAfterLoss(stand, '1');
  // The deployment, the lost mint, and this one.
  expect(await stand.countEffects()).toBe(3);
});

test('a database sends no call in an epoch that another one has raised', async () => {
  // The raise is not final for a while: the other database cannot know yet that it is not its own.
  await using stand = await startEpochStand({ CONFIRMATIONS: '60' });
  const { mintmark, target } = stand;
  await holdLanes(stand.db());
  expect(await mint(target, '7', { isAsync: true })).toBe(202);
  const other = await stand.stopAndCopy();
  await withDb(mintmark.databaseUrl, (db) =>
    query(
      db,
      `update intents set status = 'cancelled', phase = 'cancelled', final_at = now() where status = 'queued'`,
    ),
  );
  await mintmark.restart();
  await stand.letLanesGo();
  await beginEpochs(stand.db());
  await stand.waitForRow(`select 1 from transactions where status <> 'open' and intent_numbers = '{}'`);
  await withDb(other, beginEpochs);
  await mintmark.restart({ DATABASE_URL: other });
  await stand.letLanesGo();
  await stand.waitForRow('select 1 from operators where epoch = 3');
  expect(
    await query(
      stand.db(),
      `select t.status, i.status as intent from transactions t join intents i on i.number = any(t.intent_numbers)
        where t.epoch = 2`,
    ),
  ).toEqual([]);
});

test('a mint that another process sent before a lossy failover cannot be cancelled when the sender of the copy vouches', async () => {
  await using stand = await startEpochStand();
  const { anvil, mintmark, target, quiet, countEffects } = stand;
  const { account, address } = target;
  const [sender] = await query<{ holder: string }>(stand.db(), 'select holder from lanes');
  await holdLanes(stand.db());
  const { intentId } = await requestMint(account, address, { prefer: 'respond-async' });
  const [intent] = await query<{ number: bigint; target: Hex; calldata: Hex }>(
    stand.db(),
    'select number, target, calldata from intents where id = :intentId',
    { intentId: intentId! },
  );
  // What the copy lacks: it waits in a pool.
  await anvil.call('evm_setIntervalMining', [0]);
  const call = { target: intent!.target, data: intent!.calldata, gasCap: 200_000 };
  const [{ address: from }] = embeddedAccounts;
  await anvil.call('anvil_impersonateAccount', [from]);
  const to = mintmark.service.context.system.operator;
  const data = encodeExecution(1n, [{ ...call, number: intent!.number, key: keyOf(intentId!) }]);
  await anvil.call('eth_sendTransaction', [{ from, to, data, gas: '0xf4240' }]);
  // In the copy this process is the sender.
  await query(stand.db(), 'update lanes set holder = :holder', { ...sender });
  await query(stand.db(), `update server set identity = 'the server that is gone'`);
  await stand.waitForRow('select 1 from server where identity = server_identity()');

  const { response } = await account.api.POST('/intents/{id}/cancel', {
    params: { path: { id: intentId! } },
  });
  expect(response.status).toBe(409);
  await stand.letLanesGo();
  await anvil.call('evm_setIntervalMining', [1]);
  await quiet();
  expect(
    await query(stand.db(), 'select status from intents where id = :intentId', { intentId: intentId! }),
  ).toEqual([{ status: 'confirmed' }]);
  expect([await countEffects(), await findPendingEpochs(stand.db())]).toEqual([2, []]);
});
