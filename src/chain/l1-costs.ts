import { AbiCoder, ZeroAddress, id } from 'ethers';
import type { Hex } from '../lib/hex.ts';
import type { ChainProfile } from './profile.ts';
import type { Rpc } from './rpc/rpc.ts';

/** What a byte of a transaction costs on L1, at the most. */
export interface L1Prices {
  /** Wei that are taken from the sender besides the gas. */
  weiPerByte: bigint;
  /** Gas of the transaction itself. */
  gasPerByte: number;
}

/** `GasPriceOracle` of the OP stack, a predeploy. */
export const OP_GAS_PRICE_ORACLE = '0x420000000000000000000000000000000000000f';
/** `NodeInterface` of Arbitrum: a contract of the nodes, not of the chain. */
export const ARBITRUM_NODE_INTERFACE = '0x00000000000000000000000000000000000000c8';

const selector = (signature: string): Hex => id(signature).slice(0, 10) as Hex;
const coder = AbiCoder.defaultAbiCoder();

/** Bytes of which the price is asked: as many as a large batch has, so that what is fixed in a price weighs nothing. */
const SAMPLE_BYTES = 100_000;
/** Fewer, since they are part of the call. */
const SENT_SAMPLE_BYTES = 4_096;

const FREE: L1Prices = { weiPerByte: 0n, gasPerByte: 0 };

/**
 * Reads the prices as they are at the newest block, for bytes that no compression makes fewer. Zero where nobody is
 * there to tell: a developer's node with the chain id of such a chain asks for nothing.
 */
export async function readL1Prices(
  rpc: Pick<Rpc, 'call'>,
  source: Exclude<ChainProfile['l1Fee'], 'none'>,
): Promise<L1Prices> {
  const { to, data } = source === 'op-stack' ? OP_STACK_QUESTION : ARBITRUM_QUESTION;
  const answer = await rpc.call<Hex>('eth_call', [{ to, data }, 'latest']);
  if (answer === '0x') return FREE;
  // Both answers begin with the figure.
  const [figure] = coder.decode(['uint256'], answer).toArray() as [bigint];
  return source === 'op-stack'
    ? { weiPerByte: figure / BigInt(SAMPLE_BYTES) + 1n, gasPerByte: 0 }
    : { weiPerByte: 0n, gasPerByte: Number(figure) / SENT_SAMPLE_BYTES };
}

/** Hashes of a counter: the same ones each time, and as good as random. */
function incompressibleBytes(count: number): Hex {
  let digits = '';
  for (let index = 0; digits.length < count * 2; index += 1) digits += id(String(index)).slice(2);
  return `0x${digits.slice(0, count * 2)}`;
}

/** Since Fjord; what it gives back bounds the fee of a transaction of that size. */
const OP_STACK_QUESTION = {
  to: OP_GAS_PRICE_ORACLE,
  data: selector('getL1FeeUpperBound(uint256)') + coder.encode(['uint256'], [SAMPLE_BYTES]).slice(2),
};
const ARBITRUM_QUESTION = {
  to: ARBITRUM_NODE_INTERFACE,
  data:
    selector('gasEstimateL1Component(address,bool,bytes)') +
    coder
      .encode(['address', 'bool', 'bytes'], [ZeroAddress, false, incompressibleBytes(SENT_SAMPLE_BYTES)])
      .slice(2),
};
