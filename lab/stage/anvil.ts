import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DETERMINISTIC_DEPLOYER } from '../../src/lib/deterministic-deployer.ts';
import { findFreePort } from '../../src/embedded/free-port.ts';

export interface Anvil extends AsyncDisposable {
  url: string;
  pid: number;
  /** One call of an `anvil_...` or `eth_...` method. */
  call<T>(method: string, params?: unknown[]): Promise<T>;
  stop(): Promise<void>;
}

export interface AnvilOptions {
  /** Seconds between blocks, fractions allowed; without it every transaction makes its block at once. */
  blockTimeSeconds?: number;
  /** Gas of a block; anvil's own 30,000,000 otherwise. */
  gasLimit?: number;
  chainId?: number;
  /** Name of the hard fork whose rules it has; its own default otherwise. */
  hardfork?: string;
  /**
   * States of earlier blocks that it keeps in memory, of 1,500 blocks otherwise: of a chain of half an hour they take
   * 16 GB. With blocks every two seconds or less it keeps those of 1,500 all the same: make them from outside
   * (`startMinedNode`).
   */
  keptStates?: number;
  /**
   * Wei per gas of the first block, anvil's own 1,000,000,000 otherwise; 0 makes a chain on which gas costs nothing.
   */
  baseFeePerGas?: number;
  /** Seconds since 1970 of the first block, from which its clock goes on; the time of its start otherwise. */
  genesisSeconds?: number;
}

const MAX_STARTS = 5;
const LOOK_MS = 10;

const clone = path.join(import.meta.dirname, '../..');
const PACKAGED = path.join(clone, 'node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil');

/** Returns the program of the package, which npm installs on Linux on x64 alone, otherwise the one in the PATH. */
export function findAnvil(packaged = PACKAGED, searchPath = process.env['PATH'] ?? ''): string {
  const inPath = searchPath.split(path.delimiter).map((folder) => path.join(folder, 'anvil'));
  const found = [packaged, ...inPath].find((file) => existsSync(file));
  if (found) return found;
  throw new Error(
    'There is no anvil: npm installs it on Linux on x64 alone; elsewhere install Foundry (https://getfoundry.sh), so that it is in the PATH.',
  );
}

/**
 * Becomes a program, such as anvil, and leaves a shell behind that ends it when the pipe from this process closes: so
 * it never outlives the test, even when that is killed.
 */
export const UNTIL_PIPE_CLOSES = `
  exec 3<&0 </dev/null
  (read -r line <&3; kill -TERM $$) &
  exec "$@" 3<&-`;

/** Starts anvil: a node whose chain outlives the service, and that can make reorgs. */
export async function startAnvil(options: AnvilOptions = {}): Promise<Anvil> {
  for (let starts = 1; ; starts += 1) {
    const port = await findFreePort();
    const child = spawnAnvil(port, options);
    const exit = once(child, 'exit');
    const { url, call } = connect(port);
    if (await serves(child, call)) {
      // anvil has the deterministic deployer, like most public chains; this fails if a version should not.
      if ((await call('eth_getCode', [DETERMINISTIC_DEPLOYER.address, 'latest'])) === '0x')
        throw new Error('anvil lacks the deployer');
      const stop = async (): Promise<void> => {
        child.kill('SIGTERM');
        await exit;
      };
      return { url, pid: child.pid!, call, stop, [Symbol.asyncDispose]: stop };
    }
    // Between choosing a port and listening on it another process may take it.
    if (starts === MAX_STARTS) throw new Error(`anvil ends at its start, with exit code ${child.exitCode}`);
  }
}

function spawnAnvil(
  port: number,
  {
    blockTimeSeconds,
    gasLimit,
    chainId = 31_337,
    hardfork,
    keptStates,
    baseFeePerGas,
    genesisSeconds,
  }: AnvilOptions,
) {
  const command = [
    findAnvil(),
    // A state with all its blocks is larger than what it takes by default.
    ...['--port', String(port), '--chain-id', String(chainId), '--silent', '--no-request-size-limit'],
    // The same accounts as on the embedded chain, and as rich.
    ...['--accounts', '20', '--balance', '1000000'],
    ...(blockTimeSeconds ? ['--block-time', String(blockTimeSeconds)] : []),
    ...(genesisSeconds === undefined ? [] : ['--timestamp', String(genesisSeconds)]),
    ...(hardfork ? ['--hardfork', hardfork] : []),
    ...(keptStates ? ['--prune-history', String(keptStates)] : []),
    ...(gasLimit ? ['--gas-limit', String(gasLimit)] : []),
    ...(baseFeePerGas === undefined ? [] : ['--base-fee', String(baseFeePerGas)]),
    ...(baseFeePerGas === 0 ? ['--gas-price', '0'] : []),
  ];
  const child = spawn('/bin/sh', ['-c', UNTIL_PIPE_CLOSES, 'sh', ...command], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // Ctrl-C ends the tests; they end anvil when they are done with it.
    detached: true,
  });
  child.stdin.on('error', () => undefined);
  return child;
}

function connect(port: number): Pick<Anvil, 'url' | 'call'> {
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    call: async <T>(method: string, params: unknown[] = []): Promise<T> => {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      });
      const { result, error } = (await response.json()) as { result: T; error?: { message: string } };
      if (error) throw new Error(`${method}: ${error.message}`);
      return result;
    },
  };
}

/** Waits until anvil serves; false when it has ended instead. */
async function serves(child: ChildProcess, call: Anvil['call']): Promise<boolean> {
  while (child.exitCode === null && child.signalCode === null) {
    const isUp = await call('eth_chainId').then(
      () => true,
      () => false,
    );
    if (isUp) return child.exitCode === null && child.signalCode === null;
    await sleep(LOOK_MS);
  }
  return false;
}
