import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { findFreePort } from '../../src/embedded/free-port.ts';

/** Starts `npx hardhat node`, as a developer would: a new chain without the deterministic deployer. */
export async function startHardhatNode(): Promise<AsyncDisposable & { url: string }> {
  const port = await findFreePort();
  const node = spawn(
    process.execPath,
    ['node_modules/hardhat/dist/src/cli.js', 'node', '--hostname', '127.0.0.1', '--port', String(port)],
    { env: { ...process.env, HARDHAT_DISABLE_TELEMETRY: 'true' }, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const closed = once(node, 'close');
  const started = new Promise<'started'>((resolve) => {
    node.stdout.on('data', (chunk) => String(chunk).includes('Started HTTP') && resolve('started'));
  });
  if ((await Promise.race([started, closed])) !== 'started')
    throw new Error('npx hardhat node ends at its start');
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      node.kill();
      await closed;
    },
  };
}
