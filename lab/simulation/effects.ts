import { Interface } from 'ethers';
import type { Hex } from '../../src/lib/hex.ts';
import type { ChainModel } from './chain.ts';
import type { ChainEffect, Effect } from './history.ts';

interface Log {
  address: Hex;
  topics: string[];
  data: Hex;
  transactionHash: Hex;
  blockNumber: Hex;
}

/** From the interfaces of the contracts; the third indexed argument tells an NFT's transfer from a coin's. */
const EVENTS = new Interface([
  'event TokenCreated(address indexed token, address indexed owner, address indexed creator, bytes32 salt)',
  'event Transfer(address indexed from, address indexed to, uint256 amount)',
  'event AccountFreezeChanged(address indexed account, bool frozen)',
  'function symbol() view returns (string)',
]);
const ZERO = `0x${'0'.repeat(64)}`;
const topicOf = (name: string): string => EVENTS.getEvent(name)!.topicHash;
const addressIn = (topic: string): string => `0x${topic.slice(26)}`;

/** Reads from the canonical chain everything that requests may have done. */
export async function readEffects(chain: ChainModel, fromBlock: number): Promise<ChainEffect[]> {
  const range = { fromBlock: `0x${fromBlock.toString(16)}`, toBlock: 'latest' };
  const logs = await chain.request<Log[]>('eth_getLogs', [range]);
  const found: ChainEffect[] = [];
  for (const log of logs) {
    const effect = await effectOf(chain, log);
    if (effect) found.push({ effect, transactionHash: log.transactionHash, block: Number(log.blockNumber) });
  }
  return found;
}

async function effectOf(chain: ChainModel, { address, topics, data }: Log): Promise<Effect | null> {
  const [topic, first, second, third] = topics as [string, string, string, string?];
  if (topic === topicOf('TokenCreated')) {
    const call = { to: addressIn(first), data: EVENTS.encodeFunctionData('symbol') };
    const answer = await chain.request<Hex>('eth_call', [call, 'latest']);
    return { kind: 'deploy', symbol: String(EVENTS.decodeFunctionResult('symbol', answer)[0]) };
  }
  if (topic === topicOf('Transfer') && first === ZERO) {
    const amount = third === undefined ? BigInt(data) : null;
    return { kind: 'mint', contract: address, to: addressIn(second), amount };
  }
  if (topic === topicOf('AccountFreezeChanged') && BigInt(data) === 1n) {
    return { kind: 'freeze', contract: address, account: addressIn(first) };
  }
  return null;
}
