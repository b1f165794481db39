import { toBeHex, zeroPadValue } from 'ethers';
import type { Hex } from '../../lib/hex.ts';
import type { OperatorEpoch } from '../../lib/operator-epoch.ts';
import { numberWord } from './entries.ts';
import { encodeExecution } from './execution.ts';
import type { CallResult } from './execution.ts';
import { OPERATOR } from './interfaces.ts';
import { decodeBatch, encodeMints, readPackedResults } from './mint-list.ts';
import type { DecodedBatch } from './mint-list.ts';
import type { View } from './view.ts';

/** A log of a receipt, as far as it is read here. */
export interface Log {
  address: Hex;
  topics: Hex[];
  data: Hex;
}

const EXECUTED = OPERATOR.getEvent('CallExecuted')!.topicHash as Hex;
const MINTS_EXECUTED = OPERATOR.getEvent('MintsExecuted')!.topicHash as Hex;
const ROWS_EXECUTED = OPERATOR.getEvent('RowsExecuted')!.topicHash as Hex;
const FAILED = OPERATOR.getEvent('CallFailed')!.topicHash as Hex;
const RAISED = OPERATOR.getEvent('EpochRaised')!.topicHash as Hex;

/** Bits of an intent's number, above which its id has the epoch. */
const NUMBER_BITS = 64n;
/** Bits of an intent's id that name it in its word of the bitmap. */
const WORD_BITS = 8n;

/** Returns the word by which the Operator names an intent. */
export function intentId(epoch: bigint, number: bigint): bigint {
  return (epoch << NUMBER_BITS) | number;
}

/** What an event of an Operator says of a call. */
export interface ExecutedCall extends OperatorEpoch {
  /** Of the intent, in that epoch. */
  number: bigint;
  /** Of the client; 0 where the event tells none. */
  key: bigint;
  result: CallResult;
}

/** Decodes an event of these Operators; nothing for any other event, and for one of another contract. */
export function decodeExecutedCalls(log: Log, operators: readonly Hex[]): ExecutedCall[] {
  const operator = log.address.toLowerCase() as Hex;
  if (!operators.includes(operator)) return [];
  const decode = DECODERS[log.topics[0] ?? '0x'];
  return decode
    ? decode(log).map(({ id, key = 0n, result }) => ({ operator, ...numberOf(id), key, result }))
    : [];
}

interface IdentifiedResult {
  id: bigint;
  key?: bigint;
  result: CallResult;
}

/** Data of `RowsExecuted`, as far as it is read. */
type Rows = Record<'done' | 'gasUsed' | 'first', bigint>;

/** The events that tell what came of calls, by topic. */
const DECODERS: Partial<Record<Hex, (log: Log) => IdentifiedResult[]>> = {
  [EXECUTED]: ({ topics, data }) => {
    // Two words: the client's key above the gas used, and the result.
    const keyAndGas = BigInt(data.slice(0, 66));
    const [key, gasUsed] = [keyAndGas >> 64n, BigInt.asUintN(64, keyAndGas)];
    return [
      { id: BigInt(topics[1]!), key, result: { ok: true, gasUsed, returnData: `0x${data.slice(66)}` } },
    ];
  },
  [MINTS_EXECUTED]: ({ topics, data }) => {
    const first = BigInt(topics[1]!) << WORD_BITS;
    return readPackedResults(data).map(({ bit, key, ...result }) => ({
      id: first | BigInt(bit),
      key,
      result: { ok: true, ...result },
    }));
  },
  // Of rows this service asks for none yet: whoever has the key of an executor marks the numbers of calls with them.
  [ROWS_EXECUTED]: ({ topics, data }) => {
    const { done, gasUsed, first } = OPERATOR.decodeEventLog('RowsExecuted', data, topics).toObject() as Rows;
    const bits = Array.from({ length: 256 }, (_, bit) => BigInt(bit)).filter((bit) => (done >> bit) & 1n);
    return bits.map((bit, row) => ({
      id: (BigInt(topics[1]!) << WORD_BITS) | bit,
      result: {
        ok: true,
        gasUsed: gasUsed / BigInt(bits.length),
        returnData: `0x${numberWord(first === 0n ? 0n : first + BigInt(row))}`,
      },
    }));
  },
  [FAILED]: ({ topics, data }) => {
    const { gasUsed, reason } = OPERATOR.decodeEventLog('CallFailed', data, topics);
    const result = { ok: false, gasUsed: gasUsed as bigint, returnData: reason as Hex };
    return [{ id: BigInt(topics[1]!), result }];
  },
};

const numberOf = (id: bigint): Pick<ExecutedCall, 'epoch' | 'number'> => ({
  epoch: id >> NUMBER_BITS,
  number: BigInt.asUintN(Number(NUMBER_BITS), id),
});

/**
 * Decodes the events of one epoch of one Operator. Returns results by intent number; events of other contracts and of
 * other epochs, where the same number is another intent, are ignored.
 */
export function decodeExecuted(
  logs: readonly Log[],
  { operator, epoch }: OperatorEpoch,
): Map<bigint, CallResult> {
  const results = new Map<bigint, CallResult>();
  for (const call of logs.flatMap((log) => decodeExecutedCalls(log, [operator]))) {
    // A number that stands twice in a batch is done by the first of its calls, and refused then.
    if (call.epoch === epoch && !results.get(call.number)?.ok) results.set(call.number, call.result);
  }
  return results;
}

/** Returns the topics of the event of an intent's success, one of each list: that of its own, or that of its word. */
export function executedTopics(epoch: bigint, number: bigint): Hex[][] {
  const id = intentId(epoch, number);
  return [
    [EXECUTED, MINTS_EXECUTED, ROWS_EXECUTED],
    [toTopic(id), toTopic(id >> WORD_BITS)],
  ];
}

const toTopic = (value: bigint): Hex => zeroPadValue(toBeHex(value), 32) as Hex;

/**
 * Returns calldata that reads one word of an epoch's bitmap of done intents: bit i of word w belongs to number 256w +
 * i.
 */
export function encodeIntentWord(epoch: bigint, index: bigint): Hex {
  return OPERATOR.encodeFunctionData('intentWord', [intentId(epoch, index * 256n) / 256n]) as Hex;
}

/** The epoch whose batches an Operator runs. */
export const EPOCH: View<bigint> = {
  data: OPERATOR.encodeFunctionData('epoch') as Hex,
  decode: BigInt,
};

/**
 * Returns calldata that raises the epoch by one.
 * @param expected the present one, else it reverts
 * @param tag 32 bytes that the event tells
 */
export const encodeRaise = (expected: bigint, tag: Hex): Hex =>
  OPERATOR.encodeFunctionData('raiseEpoch', [expected, tag]) as Hex;

/**
 * The epoch that an event of one of these Operators says has begun, and the tag of its raise; null for any other log.
 */
export function decodeRaise(
  { address, topics: [topic, epoch, tag] }: Log,
  operators: readonly Hex[],
): (OperatorEpoch & { tag: Hex }) | null {
  const operator = address.toLowerCase() as Hex;
  if (topic !== RAISED || !operators.includes(operator)) return null;
  return { operator, epoch: BigInt(epoch!), tag: tag! };
}

/** Whether an Operator's execution is stopped. */
export const STOPPED: View<boolean> = {
  data: OPERATOR.encodeFunctionData('stopped') as Hex,
  decode: (answer) => BigInt(answer) === 1n,
};

/**
 * Returns the call of an intent in calldata of an Operator, with its client's key; null when there is none, or for
 * other calldata. The calldata may be that of a thief: when two calls have the number, only the contract knows which
 * one it did, and when the bytes are not those that this service writes for the calls, the contract may have read
 * others than are decoded here. Then there is none.
 */
export function findExecutedCall(
  calldata: Hex,
  epoch: bigint,
  number: bigint,
): { target: Hex; data: Hex; key: bigint } | null {
  const batch = decodeBatch(calldata);
  if (batch?.epoch !== epoch || !isAsWritten(calldata, batch)) return null;
  const [call, another] = batch.calls.filter((candidate) => candidate.number === number);
  return call && !another ? { target: call.target, data: call.data, key: call.key } : null;
}

const isAsWritten = (calldata: Hex, { epoch, calls }: DecodedBatch): boolean =>
  [encodeMints, encodeExecution].some((encode) => encode(epoch, calls) === calldata.toLowerCase());
