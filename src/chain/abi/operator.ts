import { toBeHex, zeroPadValue } from 'ethers';
import type { Hex } from '../../lib/hex.ts';
import type { OperatorEpoch } from '../../lib/operator-epoch.ts';
import type { CallResult } from './execution.ts';
import { OPERATOR } from './interfaces.ts';
import type { View } from './view.ts';

/** A log of a receipt, as far as it is read here. */
export interface Log {
  address: Hex;
  topics: Hex[];
  data: Hex;
}

const EXECUTED = OPERATOR.getEvent('CallExecuted')!.topicHash as Hex;
const FAILED = OPERATOR.getEvent('CallFailed')!.topicHash as Hex;

/** Bits of an intent's number, above which its id has the epoch. */
const NUMBER_BITS = 64n;

/** Returns the word by which the Operator names an intent. */
export function intentId(epoch: bigint, number: bigint): bigint {
  return (epoch << NUMBER_BITS) | number;
}

/** What an event of the Operator says of a call. */
export interface ExecutedCall {
  epoch: bigint;
  /** Of the intent, in that epoch. */
  number: bigint;
  result: CallResult;
}

/** Decodes an event of an Operator; null for any other event, and for one of another contract. */
export function decodeExecutedCall({ address, topics, data }: Log, operator: Hex): ExecutedCall | null {
  if (address.toLowerCase() !== operator) return null;
  const id = BigInt(topics[1] ?? 0);
  const of = { epoch: id >> NUMBER_BITS, number: BigInt.asUintN(Number(NUMBER_BITS), id) };
  if (topics[0] === EXECUTED) {
    // Two words: gasUsed and the result.
    const [gasUsed, returnData]: [string, Hex] = [data.slice(0, 66), `0x${data.slice(66)}`];
    return { ...of, result: { ok: true, gasUsed: BigInt(gasUsed), returnData } };
  }
  if (topics[0] !== FAILED) return null;
  const event = OPERATOR.decodeEventLog('CallFailed', data, topics);
  const result = { ok: false, gasUsed: event['gasUsed'] as bigint, returnData: event['reason'] as Hex };
  return { ...of, result };
}

/**
 * Decodes the events of one epoch of one Operator. Returns results by intent number; events of other contracts and of
 * other epochs, where the same number is another intent, are ignored.
 */
export function decodeExecuted(
  logs: readonly Log[],
  { operator, epoch }: OperatorEpoch,
): Map<bigint, CallResult> {
  const calls = logs.map((log) => decodeExecutedCall(log, operator));
  return new Map(calls.flatMap((call) => (call?.epoch === epoch ? [[call.number, call.result]] : [])));
}

/** Returns the topics of the event of an intent's success. */
export function executedTopics(epoch: bigint, number: bigint): Hex[] {
  return [EXECUTED, zeroPadValue(toBeHex(intentId(epoch, number)), 32) as Hex];
}

/** Returns calldata that reads one word of an epoch's bitmap of done intents: bit i of word w belongs to number 256w + i. */
export function encodeIntentWord(epoch: bigint, index: bigint): Hex {
  return OPERATOR.encodeFunctionData('intentWord', [intentId(epoch, index * 256n) / 256n]) as Hex;
}

/** The epoch whose batches an Operator runs. */
export const EPOCH: View<bigint> = {
  data: OPERATOR.encodeFunctionData('epoch') as Hex,
  decode: BigInt,
};

/** Whether an Operator's execution is stopped. */
export const STOPPED: View<boolean> = {
  data: OPERATOR.encodeFunctionData('stopped') as Hex,
  decode: (answer) => BigInt(answer) === 1n,
};

/** Returns the call of an intent in calldata of `Operator.execute`; null when there is none, or for other calldata. */
export function findExecutedCall(
  calldata: Hex,
  epoch: bigint,
  number: bigint,
): { target: Hex; data: Hex } | null {
  try {
    const decoded = OPERATOR.decodeFunctionData('execute', calldata);
    if (decoded[0] !== epoch) return null;
    const calls = decoded[1] as { target: string; number: bigint; data: Hex }[];
    const call = calls.find((candidate) => candidate.number === number);
    return call ? { target: call.target.toLowerCase() as Hex, data: call.data } : null;
  } catch {
    return null;
  }
}
