import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { DETERMINISTIC_DEPLOYER } from '../../src/chain/system/system-contracts.ts';
import { findFreePort } from '../../src/embedded/free-port.ts';

export interface Anvil {
  url: string;
  pid: number;
  /** One call of an `anvil_...` or `eth_...` method. */
  call<T>(method: string, params?: unknown[]): Promise<T>;
  stop(): Promise<void>;
}

export interface AnvilOptions {
  /** Seconds between blocks; without it every transaction makes its block at once. */
  blockTimeSeconds?: number;
  /** Gas of a block; anvil's own 30,000,000 otherwise. */
  gasLimit?: number;
  chainId?: number;
}

/** Starts anvil (npm `@foundry-rs/anvil`): a node whose chain outlives the service, and that can make reorgs. */
export async function startAnvil({
  blockTimeSeconds,
  gasLimit,
  chainId = 31_337,
}: AnvilOptions = {}): Promise<Anvil> {
  const port = await findFreePort();
  const binary = path.join(import.meta.dirname, '../../node_modules/.bin/anvil');
  const child = spawn(
    binary,
    [
      ...['--port', String(port), '--chain-id', String(chainId), '--silent'],
      ...(blockTimeSeconds ? ['--block-time', String(blockTimeSeconds)] : []),
      ...(gasLimit ? ['--gas-limit', String(gasLimit)] : []),
    ],
    // npm's entry starts the binary as its child: only the whole group can be ended.
    { stdio: 'ignore', detached: true },
  );
  const url = `http://127.0.0.1:${port}`;
  const call = async <T>(method: string, params: unknown[] = []): Promise<T> => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const { result, error } = (await response.json()) as { result: T; error?: { message: string } };
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  };
  for (let tries = 0; ; tries += 1) {
    try {
      await call('eth_chainId');
      break;
    } catch (error) {
      if (tries > 200 || child.exitCode !== null) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  // Most public chains and anvil have the deterministic deployer; this says it if a version should not.
  if ((await call('eth_getCode', [DETERMINISTIC_DEPLOYER, 'latest'])) === '0x')
    throw new Error('anvil lacks the deployer');
  return {
    url,
    pid: child.pid ?? 0,
    call,
    stop: async () => {
      if (child.exitCode === null) {
        process.kill(-child.pid!, 'SIGKILL');
        await once(child, 'exit');
      }
    },
  };
}
