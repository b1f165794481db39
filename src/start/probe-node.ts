import { toQuantity } from '../chain/follower/block.ts';
import type { ChainProfile } from '../chain/profile.ts';
import { RpcRefused } from '../chain/rpc/rpc.ts';
import type { Rpc } from '../chain/rpc/rpc.ts';
import { ConfigError } from '../config.ts';
import type { Hex } from '../lib/hex.ts';

/**
 * As the code of a creation, which `eth_call` runs without an account: MCOPY and TLOAD, which came with Cancun as PUSH0 with
 * Shanghai, and returns the gas that is left.
 */
const CANCUN: Hex = '0x5f5f5f5e5f5c505a5f5260205ff3';
/** Likewise by instructions of every chain: it returns the gas that is left. */
const ANY: Hex = '0x5a60005260206000f3';
/** What a creation costs before its code runs, and what its code costs here: 21,000, 32,000 and some. */
const OWN_GAS = 60_000n;

interface Block {
  number: Hex;
  hash: Hex;
  gasLimit: Hex;
  baseFeePerGas?: Hex;
}

/**
 * Asks an endpoint for everything without which the service would start, say that it is ready, and wait for ever.
 * @throws ConfigError with a sentence that says what is missing
 */
export async function probeNode(rpc: Pick<Rpc, 'call'>, profile: ChainProfile): Promise<void> {
  const block = await rpc.call<Block>('eth_getBlockByNumber', ['latest', false]);
  if (profile.feeModel === 'eip1559' && block.baseFeePerGas === undefined) {
    throw new ConfigError(
      'The chain behind RPC_URL has no base fee (EIP-1559): let CHAIN_PROFILE set feeModel to "legacy", or to "none" where gas costs nothing',
    );
  }
  await probeExecution(rpc, profile, block);
  const { hash: blockHash } = block;
  const address = `0x${'0'.repeat(40)}`;
  const needs = [
    ['eth_call at a block hash (EIP-1898)', 'eth_call', [{ to: address }, { blockHash }]],
    [
      'eth_getTransactionCount at a block hash (EIP-1898)',
      'eth_getTransactionCount',
      [address, { blockHash }],
    ],
    ['eth_getLogs of a block hash (EIP-234)', 'eth_getLogs', [{ blockHash, address }]],
  ] as const;
  for (const [what, method, params] of needs) {
    if ((await isTaken(rpc, method, params)) === false) {
      throw new ConfigError(
        `RPC_URL leads to a node without ${what}, by which the service reads the chain: use another node, or a newer version of it`,
      );
    }
  }
}

/** Whether the chain runs what the contracts are compiled to, and the endpoint as much of it at once as a transaction may be. */
async function probeExecution(
  rpc: Pick<Rpc, 'call'>,
  { maxTransactionGas }: ChainProfile,
  { gasLimit }: Block,
): Promise<void> {
  const most = BigInt(maxTransactionGas) < BigInt(gasLimit) ? BigInt(maxTransactionGas) : BigInt(gasLimit);
  const run = (data: Hex): Promise<bigint | null> => gasLeftAfter(rpc, data, most);
  const [cancun, any] = [await run(CANCUN), await run(ANY)];
  // A node that runs no creation in a call tells nothing of its chain.
  if (any === null) return;
  if (cancun === null) {
    throw new ConfigError(
      'The chain behind RPC_URL does not run the instructions of Cancun (MCOPY, TLOAD), to which the contracts are compiled: it needs that hard fork first',
    );
  }
  if (cancun + OWN_GAS < most) {
    throw new ConfigError(
      `The node behind RPC_URL gives eth_call ${cancun + OWN_GAS} gas at most, and the largest transaction may have ${most}: raise that limit ` +
        '(--rpc.gascap of geth), or lower maxTransactionGas by CHAIN_PROFILE',
    );
  }
}

/** Null when the node refuses. */
async function gasLeftAfter(rpc: Pick<Rpc, 'call'>, data: Hex, gas: bigint): Promise<bigint | null> {
  try {
    return BigInt(await rpc.call<Hex>('eth_call', [{ data, gas: toQuantity(gas) }, 'latest']));
  } catch (error) {
    if (error instanceof RpcRefused) return null;
    throw error;
  }
}

/** Null when that is not certain: a block of a moment ago may be gone, and a node busy. */
async function isTaken(
  rpc: Pick<Rpc, 'call'>,
  method: string,
  params: readonly unknown[],
): Promise<boolean | null> {
  try {
    await rpc.call(method, params);
    return true;
  } catch (error) {
    if (!(error instanceof RpcRefused)) throw error;
    return error.kind === 'other' ? false : null;
  }
}
