import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { Wallet } from 'ethers';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import { startEmbeddedChain } from '../../src/embedded/chain.ts';
import { findFreePort } from '../../src/embedded/free-port.ts';
import { spawnService } from '../../lab/stage/service-process.ts';
import { openProvider } from '../../lab/stage/provider.ts';
import { askForHeldLane, createCli, runAsProcess } from '../../lab/stage/cli.ts';

test('the command line finds database and chain of a running npm start, and fails with a sentence when none runs', async () => {
  await using folder = await mkdtempDisposable(path.join(tmpdir(), 'mintmark-admin-'));
  const environment = {
    DATA_DIR: folder.path,
    PORT: String(await findFreePort()),
    EMBEDDED_CHAIN_PORT: String(await findFreePort()),
  };
  const cli = createCli(environment, runAsProcess);
  await using service = await spawnService({ ...environment, DATABASE_URL: '', RPC_URL: '' });
  expect(await cli.ask('invites', 'list')).toHaveLength(1);
  expect(await askForHeldLane(cli)).toMatchObject([
    { address: embeddedAccounts[0].address, executor: true, lane: { isHeld: true } },
  ]);
  expect(await cli.ask('signers', 'grant', embeddedAccounts[2].address)).toMatchObject({ sent: true });
  const lost = createCli({ ...environment, EMBEDDED_CHAIN_PORT: '1' });
  expect(await lost.refuse('signers', 'status')).toMatch(/No chain answers on port 1/);
  await service.kill('SIGTERM');
  expect(await cli.refuse('invites', 'list')).toBe(
    `No Mintmark runs on ${folder.path}/embedded: start it with "npm start" first, or set DATABASE_URL and RPC_URL`,
  );
});

test('a grant from the same folder lets a service start whose signer was not granted', async () => {
  await using folder = await mkdtempDisposable(path.join(tmpdir(), 'mintmark-admin-'));
  await using chain = await startEmbeddedChain({ port: 0, log: () => undefined });
  const [, admin, signer] = embeddedAccounts;
  const environment = {
    DATA_DIR: folder.path,
    PORT: String(await findFreePort()),
    RPC_URL: chain.url,
    SIGNER_KEY: signer.privateKey,
    OPERATOR_ADMIN: admin.address,
  };
  const cli = createCli(environment, runAsProcess);
  const refused = await spawnService({ ...environment, DATABASE_URL: '', LOG_LEVEL: 'silent' });
  expect(refused.child.exitCode).toBe(1);
  const grant = await cli.ask<{ sent: boolean; to: string; data: string }>(
    'signers',
    'grant',
    signer.address,
  );
  expect(grant.sent).toBe(false);
  using provider = openProvider(chain.url);
  const { to, data } = grant;
  await (await new Wallet(admin.privateKey, provider).sendTransaction({ to, data })).wait();
  expect(await cli.ask('signers', 'status')).toMatchObject([{ address: signer.address, executor: true }]);
  const service = await spawnService({ ...environment, DATABASE_URL: '' });
  expect(service.child.exitCode).toBe(null);
  await service.kill('SIGTERM');
});
