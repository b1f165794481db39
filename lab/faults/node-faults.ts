import { setTimeout as sleep } from 'node:timers/promises';
import { startAnvil } from '../stage/anvil.ts';
import type { Anvil, AnvilOptions } from '../stage/anvil.ts';

const HOUR_SECONDS = 3_600;
/** Far longer than a run: a node that makes no blocks. */
const NEVER_SECONDS = 1_000_000;

/** A node whose blocks are made from here: they can be stopped, and the time between them may be any. */
export interface MinedNode extends Anvil {
  startBlocks(): void;
  /** Waits for the last one. */
  stopBlocks(): Promise<void>;
}

/** anvil itself changes the time between blocks in whole seconds only. */
export async function startMinedNode(blockMs: number, options: AnvilOptions = {}): Promise<MinedNode> {
  const anvil = await startAnvil({ ...options, blockTimeSeconds: NEVER_SECONDS });
  let isMining = false;
  let mining = Promise.resolve();
  const mine = async (): Promise<void> => {
    for (; isMining; await sleep(blockMs)) await anvil.call('evm_mine');
  };
  const stopBlocks = (): Promise<void> => {
    isMining = false;
    return mining;
  };
  const stop = async (): Promise<void> => {
    await stopBlocks();
    await anvil.stop();
  };
  return {
    ...anvil,
    startBlocks: () => {
      isMining = true;
      mining = mining.then(mine);
      // A node that is gone is noticed by whoever asks it next.
      mining.catch(() => undefined);
    },
    stopBlocks,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/**
 * A second node with all blocks and states of the first one, which then goes its own way. Until its blocks are started
 * it stays at its head, as a backend that lost its peers does; it goes on answering for blocks that the others have
 * given up.
 * @param node makes no block meanwhile: anvil may dump blocks without the newest one and states with it, a chain that
 * does not exist (4 of 60 clones, made while blocks were)
 */
export async function cloneNode(node: Pick<Anvil, 'call'>, blockMs: number): Promise<MinedNode> {
  const state = await node.call<string>('anvil_dumpState', [true]);
  const { timestamp } = await node.call<{ timestamp: string }>('eth_getBlockByNumber', ['0x0', false]);
  // It keeps its own first block, too, which a clone of it may take for that of the chain: so both are the same.
  const clone = await startMinedNode(blockMs, { genesisSeconds: Number(timestamp) });
  try {
    await clone.call('anvil_loadState', [state]);
    // Its clock began at that block.
    await clone.call('evm_setTime', [Math.floor(Date.now() / 1_000)]);
    return clone;
  } catch (error) {
    await clone.stop();
    throw error;
  }
}

export const heightOf = async (anvil: Pick<Anvil, 'call'>): Promise<number> =>
  Number(await anvil.call<string>('eth_blockNumber'));

/** Replaces the newest `depth` blocks; what they held is gone from chain and pool, but for `kept` in the first one. */
export async function reorg(anvil: Anvil, depth: number, kept: readonly string[] = []): Promise<void> {
  // Genesis stays.
  const possible = Math.min(depth, (await heightOf(anvil)) - 1);
  await anvil.call('anvil_reorg', [possible, kept.map((raw) => [raw, 0])]);
}

/** No block for `ms`; the next one's time is an hour later. */
export async function haltChain(node: MinedNode, ms: number): Promise<void> {
  await node.stopBlocks();
  await sleep(ms);
  await node.call('evm_increaseTime', [HOUR_SECONDS]);
  node.startBlocks();
}

const toWei = (fee: bigint): string => `0x${fee.toString(16)}`;

/** Holds the base fee at `wei` for `ms`, and lets it start from `after` then. */
export async function raiseBaseFee(anvil: Anvil, wei: bigint, ms: number, after: bigint): Promise<void> {
  for (const end = performance.now() + ms; performance.now() < end;) {
    // It falls by an eighth with each empty block: so it is said again for each.
    await anvil.call('anvil_setNextBlockBaseFeePerGas', [toWei(wei)]);
    await sleep(100);
  }
  await anvil.call('anvil_setNextBlockBaseFeePerGas', [toWei(after)]);
}

export const setBalance = (anvil: Anvil, address: string, wei: bigint): Promise<unknown> =>
  anvil.call('anvil_setBalance', [address, toWei(wei)]);
