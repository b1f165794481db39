import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import { processStart } from '../../src/embedded/process-identity.ts';
import { until } from '../setup/until.ts';
import { findAnvil, startAnvil } from '../../lab/stage/anvil.ts';

const isAlive = async (pid: number): Promise<boolean> => (await processStart(pid)) !== undefined;

test('has the chain id, the accounts and the balances of the embedded chain', async () => {
  await using anvil = await startAnvil();
  expect(await anvil.call('eth_chainId')).toBe('0x7a69');
  for (const { address } of embeddedAccounts) {
    const balance = await anvil.call<string>('eth_getBalance', [address, 'latest']);
    expect(BigInt(balance)).toBe(10n ** 24n);
  }
  await anvil.stop();
  expect(await isAlive(anvil.pid)).toBe(false);
});

test('is the program of the package, else the one in the PATH, else Foundry is named', async () => {
  await using folder = await mkdtempDisposable(path.join(tmpdir(), 'mintmark-anvil-'));
  const packaged = path.join(folder.path, 'packaged');
  const find = (): string => findAnvil(packaged, `/nowhere${path.delimiter}${folder.path}`);
  expect(find).toThrow(/^There is no anvil: .+ install Foundry \(https:\/\/getfoundry\.sh\)/);
  await writeFile(path.join(folder.path, 'anvil'), '');
  expect(find()).toBe(path.join(folder.path, 'anvil'));
  await writeFile(packaged, '');
  expect(find()).toBe(packaged);
});

test('makes blocks in fractions of a second', async () => {
  await using anvil = await startAnvil({ blockTimeSeconds: 0.05 });
  await until(async () => Number(await anvil.call<string>('eth_blockNumber')) >= 3);
});

test('ends with the process that started it, even when that is killed', async () => {
  const code = `
    import { startAnvil } from './lab/stage/anvil.ts';
    console.log((await startAnvil()).pid);
    setInterval(() => undefined, 1_000);`;
  const starter = spawn(process.execPath, ['--input-type=module', '--eval', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(starter.stdout, 'data')) as [Buffer];
  const pid = Number(line.toString());
  expect(await isAlive(pid)).toBe(true);
  starter.kill('SIGKILL');
  await until(async () => !(await isAlive(pid)));
});
