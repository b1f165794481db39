import { toQuantity } from '../chain/follower/block.ts';
import type { ChainProfile } from '../chain/profile.ts';
import { RpcRefused, RpcUnreachable, createRpc, unlessRefused } from '../chain/rpc/rpc.ts';
import type { Rpc } from '../chain/rpc/rpc.ts';
import { ConfigError } from '../config.ts';
import type { Hex } from '../lib/hex.ts';
import type { Logger } from '../telemetry/logger.ts';

/**
 * As the code of a creation, which `eth_call` runs without an account: MCOPY and TLOAD, which came with Cancun as PUSH0
 * with Shanghai, and returns the gas that is left.
 */
const CANCUN: Hex = '0x5f5f5f5e5f5c505a5f5260205ff3';
/** Likewise by instructions of every chain: it returns the gas that is left. */
const ANY: Hex = '0x5a60005260206000f3';
/** What a creation costs before its code runs, and what its code costs here: 21,000, 32,000 and some. */
const OWN_GAS = 60_000n;

interface Block {
  number: Hex;
  hash: Hex;
  timestamp: Hex;
  gasLimit: Hex;
  baseFeePerGas?: Hex;
}

/** Of a request: an endpoint that takes longer is looked at by its calls, when one comes to it. */
const TIMEOUT_MS = 5_000;
/** A node so far behind another one is not synchronised: its newest block tells nothing of what it can do then. */
const MAX_LAG_S = 3_600;

/**
 * Asks each endpoint for everything without which the service would start, say that it is ready, and wait for ever:
 * each of them takes the calls while those before it fail. One that does not answer, or is far behind, does not stop
 * the start.
 * @throws ConfigError with a sentence that says what is missing, and at which one
 */
export async function probeNodes(
  urls: readonly string[],
  profile: ChainProfile,
  log: Pick<Logger, 'warn'>,
): Promise<void> {
  using stack = new DisposableStack();
  const nodes = urls.map((url) => stack.use(createRpc([url], { timeoutMs: TIMEOUT_MS })));
  const skip = (index: number, reason: string): void =>
    log.warn({ endpoint: index + 1, reason }, 'what this endpoint can do is not known at the start');
  const unlessSilent = async <Answer>(index: number, work: Promise<Answer>): Promise<Answer | null> => {
    try {
      return await work;
    } catch (error) {
      if (!(error instanceof RpcUnreachable || error instanceof RpcRefused)) throw error;
      skip(index, error.message);
      return null;
    }
  };
  const ends = await Promise.all(nodes.map((rpc, index) => unlessSilent(index, readEnds(rpc))));
  checkGenesis(ends.map((end) => end?.genesis ?? null));
  const newest = Math.max(...ends.map((end) => Number(end?.latest.timestamp ?? 0)));
  const probe = async (rpc: Rpc, index: number): Promise<void> => {
    const latest = ends[index]?.latest;
    if (!latest) return;
    if (newest - Number(latest.timestamp) > MAX_LAG_S)
      return skip(index, `it is at block ${BigInt(latest.number)}, far behind another one`);
    const where = nodes.length === 1 ? 'RPC_URL' : `endpoint ${index + 1} of RPC_URL`;
    await unlessSilent(index, probeNode(rpc, profile, latest, where));
  };
  await Promise.all(nodes.map(probe));
}

/**
 * The hash of its first block, null when it does not tell, and its newest one. @throws RpcUnreachable when it has none
 * yet
 */
async function readEnds(rpc: Rpc): Promise<{ genesis: Hex | null; latest: Block }> {
  const [genesis, latest] = await Promise.all([
    unlessRefused(rpc.call<Block | null>('eth_getBlockByNumber', ['0x0', false])),
    rpc.call<Block | null>('eth_getBlockByNumber', ['latest', false]),
  ]);
  if (!latest) throw new RpcUnreachable('it shows no block yet');
  return { genesis: genesis?.hash ?? null, latest };
}

function checkGenesis(hashes: readonly (Hex | null)[]): void {
  const first = hashes.findIndex((hash) => hash !== null);
  const other = hashes.findIndex((hash) => hash !== null && hash !== hashes[first]);
  if (other < 0) return;
  throw new ConfigError(
    `RPC_URL names endpoints of different chains: numbers ${first + 1} and ${other + 1} have different genesis blocks; keep those of one chain`,
  );
}

/** @param where how a sentence calls it: its URL may have a key */
async function probeNode(
  rpc: Pick<Rpc, 'call'>,
  profile: ChainProfile,
  block: Block,
  where: string,
): Promise<void> {
  if (profile.feeModel === 'eip1559' && block.baseFeePerGas === undefined) {
    throw new ConfigError(
      `The chain behind ${where} has no base fee (EIP-1559): let CHAIN_PROFILE set feeModel to "legacy", or to "none" where gas costs nothing`,
    );
  }
  await probeExecution(rpc, profile, block, where);
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
        `The node behind ${where} is without ${what}, by which the service reads the chain: use another node, or a newer version of it`,
      );
    }
  }
}

/**
 * Whether the chain runs what the contracts are compiled to, and the endpoint as much of it at once as a transaction
 * may be.
 */
async function probeExecution(
  rpc: Pick<Rpc, 'call'>,
  { maxTransactionGas }: ChainProfile,
  { gasLimit }: Block,
  where: string,
): Promise<void> {
  const most = BigInt(maxTransactionGas) < BigInt(gasLimit) ? BigInt(maxTransactionGas) : BigInt(gasLimit);
  const run = (data: Hex): Promise<bigint | null> => gasLeftAfter(rpc, data, most);
  const [cancun, any] = [await run(CANCUN), await run(ANY)];
  // A node that runs no creation in a call tells nothing of its chain.
  if (any === null) return;
  if (cancun === null) {
    throw new ConfigError(
      `The chain behind ${where} does not run the instructions of Cancun (MCOPY, TLOAD), to which the contracts are compiled: it needs that hard fork first`,
    );
  }
  if (cancun + OWN_GAS < most) {
    throw new ConfigError(
      `The node behind ${where} gives eth_call ${cancun + OWN_GAS} gas at most, and the largest transaction may have ${most}: raise that limit ` +
        '(--rpc.gascap of geth), or lower maxTransactionGas by CHAIN_PROFILE',
    );
  }
}

/** Null when the node refuses. @throws RpcRefused when that tells nothing of this call */
async function gasLeftAfter(rpc: Pick<Rpc, 'call'>, data: Hex, gas: bigint): Promise<bigint | null> {
  try {
    return BigInt(await rpc.call<Hex>('eth_call', [{ data, gas: toQuantity(gas) }, 'latest']));
  } catch (error) {
    if (error instanceof RpcRefused && isOfCall(error)) return null;
    throw error;
  }
}

/** Of an instruction that it does not know, Hardhat tells by the code of an internal error. */
const isOfCall = ({ kind, message }: RpcRefused): boolean =>
  kind === 'reverted' || kind === 'other' || /opcode/i.test(message);

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
