import { id } from 'ethers';
import type { JsonRpcProvider } from 'ethers';
import type { Anvil } from '../stage/anvil.ts';

/*
 * The Operator's events as the judge decodes them, from a node itself.
 */

/** Topic of `CallExecuted(uint256 indexed intent, uint256 keyAndGas, uint256 result)` of the Operator. */
export const EXECUTED_TOPIC = '0x24bc3ac088b3023acb8f7de428c2d3a7d3214cd4810b73adeba24d6b442281a2';

/** Topic of `MintsExecuted(uint256 indexed wordIndex, uint256 mask, bytes results)`. */
const MINTS_TOPIC = id('MintsExecuted(uint256,uint256,bytes)');

/** Of events that tell successes. */
export const SUCCESS_TOPICS = [EXECUTED_TOPIC, MINTS_TOPIC];

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

export interface Log {
  topics: string[];
  data: string;
  transactionHash: string;
  blockNumber: string;
  logIndex: string;
}

/** What these Operators report of all calls, whatever the epoch, in the order of the chain. */
export async function readCalls(
  provider: JsonRpcProvider,
  operators: string | readonly string[],
): Promise<ReportedCall[]> {
  const filter = {
    address: operators,
    topics: [[...SUCCESS_TOPICS, FAILED_TOPIC]],
    fromBlock: 'earliest',
    toBlock: 'latest',
  };
  const logs = (await provider.send('eth_getLogs', [filter])) as Log[];
  return logs.toSorted(comparePlaces).flatMap(toCalls);
}

/** How many calls an Operator has done, in all of its epochs. */
export async function countEffects({ call }: Pick<Anvil, 'call'>, operator: string): Promise<number> {
  const filter = { address: operator, topics: [SUCCESS_TOPICS], fromBlock: 'earliest' };
  return (await call<Log[]>('eth_getLogs', [filter])).flatMap(toCalls).length;
}

/** What an event of an Operator reports. */
export function toCalls({ topics, data, transactionHash: transaction }: Log): ReportedCall[] {
  const name = BigInt(topics[1]!);
  if (topics[0] === MINTS_TOPIC) return toMints(name, data).map((mint) => ({ ...mint, transaction }));
  const ok = topics[0] === EXECUTED_TOPIC;
  return [
    {
      number: BigInt.asUintN(NUMBER_BITS, name),
      ok,
      // Above the gas, 64 bits, is the client's key.
      used: Number(BigInt.asUintN(64, BigInt(data.slice(0, 66)))),
      result: ok ? BigInt(`0x${data.slice(66)}`) : 0n,
      transaction,
    },
  ];
}

/**
 * The mask, then a position, then a length, then for each bit of the mask 4 bytes of gas, 8 of a result, and 8 of the
 * client's key.
 */
function toMints(wordIndex: bigint, data: string): Omit<ReportedCall, 'transaction'>[] {
  const mask = BigInt(data.slice(0, 66)).toString(2);
  const bits = [...mask].toReversed().flatMap((bit, place) => (bit === '1' ? [place] : []));
  return bits.map((bit, index) => {
    const at = 2 + 3 * 64 + index * 40;
    return {
      number: BigInt.asUintN(NUMBER_BITS, wordIndex * 256n + BigInt(bit)),
      ok: true,
      used: Number(`0x${data.slice(at, at + 8)}`),
      result: BigInt(`0x${data.slice(at + 8, at + 24)}`),
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
