import { toBeHex, zeroPadValue } from 'ethers';
import type { Hex } from '../../lib/hex.ts';
import type { CallResult } from './execution.ts';
import { OPERATOR } from './interfaces.ts';

/** A log of a receipt, as far as it is read here. */
export interface Log {
  address: Hex;
  topics: Hex[];
  data: Hex;
}

const EXECUTED = OPERATOR.getEvent('CallExecuted')!.topicHash as Hex;
const FAILED = OPERATOR.getEvent('CallFailed')!.topicHash as Hex;

/** Decodes the Operator's events of a receipt. Returns results by intent number; logs of other contracts are ignored. */
export function decodeExecuted(logs: readonly Log[], operatorAddress: Hex): Map<bigint, CallResult> {
  const results = new Map<bigint, CallResult>();
  for (const { address, topics, data } of logs) {
    if (address.toLowerCase() !== operatorAddress) continue;
    const intent = BigInt(topics[1] ?? 0);
    if (topics[0] === EXECUTED) {
      results.set(intent, { ok: true, gasUsed: 0n, returnData: data });
    } else if (topics[0] === FAILED) {
      const event = OPERATOR.decodeEventLog('CallFailed', data, topics);
      results.set(intent, {
        ok: false,
        gasUsed: event['gasUsed'] as bigint,
        returnData: event['reason'] as Hex,
      });
    }
  }
  return results;
}

/** Returns the topics of the event of an intent's success. */
export function executedTopics(intent: bigint): Hex[] {
  return [EXECUTED, zeroPadValue(toBeHex(intent), 32) as Hex];
}

/** Returns calldata that reads one word of the bitmap of done intents: bit i of word w belongs to intent 256w + i. */
export function encodeIntentWord(index: bigint): Hex {
  return OPERATOR.encodeFunctionData('intentWord', [index]) as Hex;
}

/** Returns the call of an intent in calldata of `Operator.execute`; null when there is none, or for other calldata. */
export function findExecutedCall(calldata: Hex, intent: bigint): { target: Hex; data: Hex } | null {
  try {
    const calls = OPERATOR.decodeFunctionData('execute', calldata)[0] as {
      target: string;
      intent: bigint;
      data: Hex;
    }[];
    const call = calls.find((candidate) => candidate.intent === intent);
    return call ? { target: call.target.toLowerCase() as Hex, data: call.data } : null;
  } catch {
    return null;
  }
}
