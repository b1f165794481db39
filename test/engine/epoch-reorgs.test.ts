import { expect, test } from '@jest/globals';
import { Interface, JsonRpcProvider, Wallet, id } from 'ethers';
import { readConfig } from '../../src/config.ts';
import { query } from '../../src/db/client.ts';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import { beginEpochs } from '../../src/engine/index.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { startService } from '../../src/start/service.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import { emptyLog, mintOnce } from '../../lab/load/load.ts';
import { createCli } from '../../lab/stage/cli.ts';
import { acceptLossOf, holdLanes, startEpochStand, withDb } from '../setup/epoch-stand.ts';
import type { EpochStand } from '../setup/epoch-stand.ts';
import { makeSender } from '../setup/lanes.ts';
import { SHORT_TIMINGS } from './timings.ts';

const OPERATOR = new Interface([
  'function adminExecute(address target, bytes data) payable returns (bytes)',
  'function revokeRole(bytes32 role, address account)',
]);

/** Takes the role of the sender, who is the admin too. */
async function revokeOwnRole({ anvil, mintmark }: EpochStand): Promise<void> {
  const { operator } = mintmark.service.context.system;
  const provider = new JsonRpcProvider(anvil.url);
  const wallet = new Wallet(embeddedAccounts[0].privateKey, provider);
  const revoke = OPERATOR.encodeFunctionData('revokeRole', [id('EXECUTOR_ROLE'), wallet.address]);
  const data = OPERATOR.encodeFunctionData('adminExecute', [operator, revoke]);
  const sent = await wallet.sendTransaction({ to: operator, data, gasLimit: 300_000 });
  await sent.wait();
  provider.destroy();
}

test('a sender without the role leaves the raise to a standby that has it', async () => {
  await using stand = await startEpochStand();
  const { anvil, mintmark, target, waitForRow } = stand;
  const [own, other] = [embeddedAccounts[0], embeddedAccounts[5]];
  await createCli(mintmark.environment).say('signers', 'grant', other.address);
  const config = readConfig(['--role', 'engine'], {
    ...mintmark.environment,
    OPERATOR_ADMIN: own.address,
    RPC_URL: anvil.url,
    SIGNER_KEY: other.privateKey,
  });
  await using standby = new AsyncDisposableStack();
  standby.use(await startService(config, createLogger('silent'), { timings: SHORT_TIMINGS }));
  await waitForRow(
    `select 1 from lanes where holder <> 'command line' and lease_until > now() having count(*) = 2`,
  );
  await stand.quiet();
  await holdLanes(stand.db());
  await mintOnce(target, emptyLog());
  // The key of the sender is stolen: its role is taken at once, and a person runs `recover`.
  await revokeOwnRole(stand);
  const sender = own.address.toLowerCase() as Hex;
  await makeSender(stand.db(), sender);
  await beginEpochs(stand.db());
  const isSender = `encode(signer, 'hex') = '${sender.slice(2)}'`;
  await query(stand.db(), `update lanes set lease_until = '-infinity' where ${isSender}`);
  await waitForRow(`select 1 from lanes where ${isSender} and holder <> 'another' and lease_until > now()`);
  await query(stand.db(), `update lanes set lease_until = '-infinity' where not ${isSender}`);
  expect(await stand.waitForEpoch(2)).toHaveLength(1);
});

/**
 * Restores a backup after a mint was signed that it still has as queued, and accepts the loss: the mint is done in
 * epoch 2. Returns the bytes that were lost, whose nonce the raise has.
 */
async function outbidLostMint(stand: EpochStand): Promise<Hex> {
  const { mintmark, target } = stand;
  await holdLanes(stand.db());
  await mintOnce(target, emptyLog());
  const backup = await stand.stopAndCopy();
  await mintmark.restart();
  stand.withholdSent(true);
  await stand.letLanesGo();
  const [lost] = await stand.waitForRow<{ raw: Hex }>(
    `select a.raw from transactions t join attempts a on a.transaction_id = t.id where t.status = 'open'`,
  );
  await mintmark.service.stop();
  stand.withholdSent(false);
  await acceptLossOf(backup);
  await mintmark.restart({ DATABASE_URL: backup });
  await stand.waitForEpoch(2);
  await stand.quiet();
  expect(await stand.countEffects()).toBe(2);
  return lost!.raw;
}

/** Replaces all blocks from that of the raise on; the miner of the other fork takes the bytes that were outbid. */
async function replaceRaise({ anvil, db }: EpochStand, lost: Hex): Promise<void> {
  const [raise] = await query<{ block: bigint }>(db(), 'select raised_in as block from operators');
  const { block } = raise!;
  const hash = async (): Promise<Hex | undefined> =>
    (await anvil.call<{ hash: Hex } | null>('eth_getBlockByNumber', [`0x${block.toString(16)}`, false]))
      ?.hash;
  const before = await hash();
  // Blocks come meanwhile: then fewer were replaced.
  while ((await hash()) === before) {
    const height = BigInt(await anvil.call<Hex>('eth_blockNumber'));
    await anvil.call('anvil_reorg', [Number(height - block) + 1, [[lost, 0]]]);
  }
}

test('a deep reorg that takes a raise away does not let a call be done in both epochs', async () => {
  await using stand = await startEpochStand({ CONFIRMATIONS: '3' });
  const lost = await outbidLostMint(stand);
  // Something is under way, so that the reader looks.
  stand.withholdSent(true);
  await mintOnce(stand.target, emptyLog());
  await stand.waitForRow(`select 1 from transactions where status = 'open'`);
  await replaceRaise(stand, lost);
  stand.withholdSent(false);
  await stand.waitForRow(
    `select 1 from deep_reorgs where resolved_at is not null
        and not exists (select 1 from intents where final_at is null)`,
  );
  // The deployment and two mints.
  expect(await stand.countEffects()).toBe(3);
});

test('a deep reorg that takes a raise away from an idle service is noticed once something is to be sent', async () => {
  await using stand = await startEpochStand({ CONFIRMATIONS: '3' });
  await replaceRaise(stand, await outbidLostMint(stand));
  await mintOnce(stand.target, emptyLog());
  await stand.quiet();
  expect(await query(stand.db(), 'select number from intents where final_at is null')).toEqual([]);
});

/**
 * Lets a mint go in epoch 2 with another signer than that whose transaction of epoch 1 has reached no block. Returns
 * the bytes of that, which are void.
 */
async function voidMint(stand: EpochStand): Promise<Hex> {
  const { mintmark, target } = stand;
  const [own, other] = [embeddedAccounts[0], embeddedAccounts[5]];
  await createCli(mintmark.environment).say('signers', 'grant', other.address);
  stand.withholdSent(true);
  await mintOnce(target, emptyLog());
  const [open] = await stand.waitForRow<{ raw: Hex }>(
    `select a.raw from transactions t join attempts a on a.transaction_id = t.id where t.status = 'open'`,
  );
  await mintmark.service.stop();
  stand.withholdSent(false);
  await withDb(mintmark.databaseUrl, async (db) => {
    // Nobody minds what is open there.
    await holdLanes(db);
    await query(db, 'update lanes set is_sender = false');
    await beginEpochs(db);
  });
  await mintmark.restart({ SIGNER_KEY: other.privateKey, OPERATOR_ADMIN: own.address });
  await stand.waitForEpoch(2);
  await stand.quiet();
  expect(await stand.countEffects()).toBe(2);
  return open!.raw;
}

test('a deep reorg that takes a raise away does not let a call be done in both epochs by two signers', async () => {
  await using stand = await startEpochStand({ CONFIRMATIONS: '3' });
  await replaceRaise(stand, await voidMint(stand));
  await stand.waitForRow(
    `select 1 from deep_reorgs where resolved_at is not null
        and not exists (select 1 from intents where final_at is null)
        and not exists (select 1 from transactions where status in ('open', 'mined'))`,
  );
  await stand.waitForEpoch(2);
  // The deployment and the mint.
  expect(await stand.countEffects()).toBe(2);
});
