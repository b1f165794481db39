import { id } from 'ethers';
import type { JsonRpcProvider } from 'ethers';

/*
 * The Operator's events as the judge decodes them, from a node itself.
 */

/** Topic of `CallExecuted(uint256 indexed intent, uint256 gasUsed, uint256 result)` of the Operator. */
export const EXECUTED_TOPIC = '0x24bc3ac088b3023acb8f7de428c2d3a7d3214cd4810b73adeba24d6b442281a2';

/** Topic of `CallFailed(uint256 indexed intent, uint256 gasUsed, bytes reason)`. */
const FAILED_TOPIC = id('CallFailed(uint256,uint256,bytes)');

/** An event names an intent by `epoch << 64 | number`. */
const NUMBER_BITS = 64;

/** What the Operator reports of one call. */
export interface ReportedCall {
  number: bigint;
  ok: boolean;
  /** Gas. */
  used: number;
  /** First word of what a success returned: the id of an NFT, the address of a token; 0 for a failure. */
  result: bigint;
  transaction: string;
}

interface Log {
  topics: string[];
  data: string;
  transactionHash: string;
  blockNumber: string;
  logIndex: string;
}

/** What the Operator reports of all calls, whatever the epoch, in the order of the chain. */
export async function readCalls(provider: JsonRpcProvider, operator: string): Promise<ReportedCall[]> {
  const filter = {
    address: operator,
    topics: [[EXECUTED_TOPIC, FAILED_TOPIC]],
    fromBlock: 'earliest',
    toBlock: 'latest',
  };
  const logs = (await provider.send('eth_getLogs', [filter])) as Log[];
  return logs.toSorted(comparePlaces).map(({ topics, data, transactionHash: transaction }) => {
    const ok = topics[0] === EXECUTED_TOPIC;
    return {
      number: BigInt.asUintN(NUMBER_BITS, BigInt(topics[1]!)),
      ok,
      used: Number(data.slice(0, 66)),
      result: ok ? BigInt(`0x${data.slice(66)}`) : 0n,
      transaction,
    };
  });
}

const comparePlaces = (one: Log, other: Log): number =>
  Number(one.blockNumber) - Number(other.blockNumber) || Number(one.logIndex) - Number(other.logIndex);

/** The calls of each intent, in the order of the chain. */
export function byIntent(calls: readonly ReportedCall[]): Map<bigint, ReportedCall[]> {
  // A number that had its effect in two epochs is one that had it twice.
  return Map.groupBy(calls, ({ number }) => number);
}
