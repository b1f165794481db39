import { startEmbeddedChain } from '../../src/embedded/chain.ts';
import { startAnvil } from '../../lab/stage/anvil.ts';

/** A node to measure against, fresh for each scenario. */
export interface BenchNode {
  name: string;
  url: string;
  pid: number;
  stop(): Promise<void>;
}

/** Hardhat's node as the service embeds it: every transaction makes its block at once. */
export async function startHardhat(): Promise<BenchNode> {
  let pid = 0;
  const chain = await startEmbeddedChain({
    port: 0,
    log: (message) => (pid = Number(/process (\d+)/.exec(message)?.[1] ?? pid)),
  });
  return { name: 'Hardhat, automine', url: chain.url, pid, stop: () => chain.stop() };
}

/** anvil with 1 s blocks that take a thousand million gas. */
export async function startAnvilNode(): Promise<BenchNode> {
  const { url, pid, stop } = await startAnvil({ blockTimeSeconds: 1, gasLimit: 1_000_000_000 });
  return { name: 'anvil, 1 s blocks', url, pid, stop };
}
