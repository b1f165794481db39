import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { JsonRpcProvider } from 'ethers';
import { describeSystem } from '../../src/chain/system/system-contracts.ts';
import { NO_SIGNER } from '../../src/config.ts';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import { findFreePort } from '../../src/embedded/free-port.ts';
import { DETERMINISTIC_DEPLOYER } from '../../src/lib/deterministic-deployer.ts';
import { startAnvil } from '../../lab/stage/anvil.ts';
import { startHardhatNode } from '../setup/hardhat-node.ts';

/** Starts the service with a node, and a folder and a port of its own, and nothing else. */
async function start(rpcUrl: string, folder: string) {
  const child = spawn(process.execPath, ['src/main.ts'], {
    env: {
      PATH: process.env['PATH'],
      RPC_URL: rpcUrl,
      DATA_DIR: folder,
      PORT: String(await findFreePort()),
      LOG_LEVEL: 'error',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  const errors = text(child.stderr);
  let output = '';
  await new Promise<void>((resolve) => {
    child.stdout.on('data', (chunk) => {
      output += String(chunk);
      if (output.includes('first mint')) resolve();
    });
    void ended.then(() => resolve());
  });
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
  };
  return { output, isRunning: child.exitCode === null, errors, stop, [Symbol.asyncDispose]: stop };
}

async function startBareAnvil() {
  const anvil = await startAnvil();
  await anvil.call('anvil_setCode', [DETERMINISTIC_DEPLOYER.address, '0x']);
  return anvil;
}

/** Pastes the first mint that the start has shown. Returns the hash of its transaction. */
async function mint(output: string): Promise<string> {
  const lines = output.slice(output.indexOf('API='));
  const { stdout } = await promisify(execFile)('bash', ['-eu', '-c', lines]);
  return /"hash":"(0x\w{64})"/.exec(stdout)?.[1] ?? stdout;
}

test.each([
  ['npx hardhat node', startHardhatNode],
  ['anvil without the deterministic deployer', startBareAnvil],
])('RPC_URL is all that a start on a new %s needs, and the next start goes on', async (_name, startNode) => {
  await using node = await startNode();
  await using folder = await mkdtempDisposable(path.join(tmpdir(), 'mintmark-local-'));
  // The user that PostgreSQL runs as may be another one.
  const data = path.join(folder.path, 'data');
  const first = await start(node.url, data);
  if (!first.isRunning) throw new Error(await first.errors);
  const provider = new JsonRpcProvider(node.url, undefined, { staticNetwork: true });
  await using stack = new AsyncDisposableStack();
  stack.defer(() => provider.destroy());
  stack.use(first);
  const receipt = await provider.getTransactionReceipt(await mint(first.output));
  expect(receipt?.status).toBe(1);
  for (const { address } of describeSystem({
    admin: embeddedAccounts[1].address,
    adminDelay: 0,
    chainId: 31_337n,
  }).contracts)
    expect(await provider.getCode(address)).not.toBe('0x');
  await first.stop();
  await using second = await start(node.url, data);
  expect(second.isRunning).toBe(true);
});

test('accounts with public keys are used on no chain but a local one', async () => {
  await using node = await startAnvil({ chainId: 5 });
  await using folder = await mkdtempDisposable(path.join(tmpdir(), 'mintmark-local-'));
  await using service = await start(node.url, path.join(folder.path, 'data'));
  expect(await service.errors).toContain(NO_SIGNER);
  expect(service.isRunning).toBe(false);
});
