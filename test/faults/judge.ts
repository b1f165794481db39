import { id } from 'ethers';
import type { JsonRpcProvider } from 'ethers';
import type { Db } from '../../src/db/client.ts';
import { openProvider } from '../setup/provider.ts';
import { countLedgerErrors, readIntents } from './books.ts';
import type { BookedIntent } from './books.ts';
import { findFalseAnswers } from './false-answers.ts';
import type { Claim } from './false-answers.ts';

/*
 * The judge decodes the chain by itself and shares no code with the service but the connection to its database: a
 * mistake of the service must not hide itself here.
 */

/** Topic of `CallExecuted(uint256 indexed intent, uint256 gasUsed, uint256 result)` of the Operator. */
export const EXECUTED_TOPIC = '0x24bc3ac088b3023acb8f7de428c2d3a7d3214cd4810b73adeba24d6b442281a2';

/** Topic of `CallFailed(uint256 indexed intent, uint256 gasUsed, bytes reason)`. */
const FAILED_TOPIC = id('CallFailed(uint256,uint256,bytes)');

/** An event names an intent by `epoch << 64 | number`. */
const NUMBER_BITS = 64;

/** The answers that clients got. A request without an answer is unknown, not failed. */
export interface ClientLog {
  /** Ids of intents that were acknowledged, by 2xx. */
  acknowledged: Set<string>;
  /** Requests without an answer. */
  unknown: number;
  /** Requests that were refused, by 4xx or 5xx. */
  refused: number;
  /** Single answers and what they claim, in the order of the requests; of clients that keep them. */
  claims: Claim[];
}

export interface Judgement {
  acknowledged: number;
  unknown: number;
  refused: number;
  confirmed: number;
  failed: number;
  /** Acknowledged or confirmed, but not on the chain; or without a verdict. */
  lost: number;
  /** Intents with more than one event of success. */
  doubled: number;
  /** Events of success without an intent that is confirmed. */
  unasked: number;
  /** Intents that are `failed` although they have an effect. */
  falseFailures: number;
  /** Answers that the chain does not bear out. */
  falseAnswers: number;
  /** Transactions that a pool keeps because a nonce before theirs is missing. */
  nonceGaps: number;
  /** Differences between balances, ledger rows and verdicts, and between what was charged and what the chain says. */
  ledgerErrors: number;
  /** The false answers, one sentence each. */
  details: string[];
}

export interface JudgeOptions {
  /** A reorg deeper than final was made: an answer may have been taken back, as long as the service says so now. */
  isBeyondFinal?: boolean;
}

/**
 * Compares chain, database and the clients' log. The chain is read from the node itself. Every acknowledged write must
 * have one effect, every unknown one at most one; there must be no effect without a request, no answer that the chain does
 * not bear out, no nonce gap, and no difference to the ledger.
 */
export async function judge(
  db: Db,
  nodeUrl: string,
  operator: string,
  log: ClientLog,
  { isBeyondFinal = false }: JudgeOptions = {},
): Promise<Judgement> {
  using provider = openProvider(nodeUrl, { batchMaxCount: 1 });
  const effects = await countEffects(provider, operator);
  const intents = await readIntents(db);
  const byNumber = new Map(intents.map((intent) => [intent.number, intent]));
  const byId = new Map(intents.map((intent) => [intent.id, intent]));
  const confirmed = intents.filter(({ status, sent }) => status === 'confirmed' && sent);
  const lostAcknowledged = [...log.acknowledged].filter((id) => {
    const intent = byId.get(id);
    return !intent || intent.status === 'queued' || intent.status === 'submitted';
  });
  const outcomes = new Map(
    intents.map(({ id, number, status }) => [id, { status, effects: effects.get(number) ?? 0 }]),
  );
  const call = (to: string, data: string): Promise<string> => provider.call({ to, data });
  const details = await findFalseAnswers(log.claims, { outcomes, call, isBeyondFinal });
  return {
    acknowledged: log.acknowledged.size,
    unknown: log.unknown,
    refused: log.refused,
    confirmed: confirmed.length,
    failed: intents.filter(({ status }) => status === 'failed').length,
    lost: lostAcknowledged.length + confirmed.filter(({ number }) => !effects.has(number)).length,
    doubled: [...effects.values()].filter((count) => count > 1).length,
    unasked: [...effects.keys()].filter((number) => byNumber.get(number)?.status !== 'confirmed').length,
    falseFailures: [...effects.keys()].filter((number) => byNumber.get(number)?.status === 'failed').length,
    falseAnswers: details.length,
    nonceGaps: await countNonceGaps(provider),
    ledgerErrors: (await countLedgerErrors(db)) + (await countGasErrors(provider, operator, intents)),
    details,
  };
}

/** Returns the number of successes of each intent on the chain, by intent number, whatever the epoch. */
async function countEffects(provider: JsonRpcProvider, operator: string): Promise<Map<bigint, number>> {
  const filter = { address: operator, topics: [EXECUTED_TOPIC], fromBlock: 'earliest', toBlock: 'latest' };
  const logs = (await provider.send('eth_getLogs', [filter])) as { topics: string[] }[];
  const effects = new Map<bigint, number>();
  for (const { topics } of logs) {
    // A number that had its effect in two epochs is one that had it twice.
    const intent = BigInt.asUintN(NUMBER_BITS, BigInt(topics[1]!));
    effects.set(intent, (effects.get(intent) ?? 0) + 1);
  }
  return effects;
}

/** Gas that a mint, a deployment or an item of a batch brings along. */
const GAS_PER_UNIT = 350_000;
/** Where no endpoint shows the receipt, the share of a transaction's gas is an estimate: so much may it be wrong. */
const GAS_TOLERANCE = 100_000;

/** Bounds of what a call may have cost its account. */
interface GasBounds {
  least: number;
  most: number;
}

/** Counts intents that were charged less than their calls used, or more than these and all else of their transactions. */
async function countGasErrors(
  provider: JsonRpcProvider,
  operator: string,
  intents: readonly BookedIntent[],
): Promise<number> {
  const calls = await readCalls(provider, operator);
  let errors = 0;
  for (const { number, status, units, gas, final } of intents) {
    if (!final) continue;
    const done = status === 'confirmed';
    const own = done ? units * GAS_PER_UNIT : 0;
    const events = (calls.get(number) ?? []).filter(({ ok }) => ok === done);
    if (gas === 0 && events.every(({ used }) => !done || used <= own)) continue;
    const bounds = await Promise.all(events.map((event) => boundsOf(provider, event, own)));
    // What failed may have been sent twice, and what is done or failed unsent then may have used nothing more.
    const sum = done ? Math.max : (...all: number[]) => all.reduce((total, one) => total + one, 0);
    const least = Math.min(...bounds.map((bound) => bound.least));
    if (gas < least || gas > sum(0, ...bounds.map((bound) => bound.most))) errors += 1;
  }
  return errors;
}

interface ReportedCall {
  ok: boolean;
  used: number;
  transaction: string;
}

/** What the Operator reports of each intent, in whatever epoch. */
async function readCalls(provider: JsonRpcProvider, operator: string): Promise<Map<bigint, ReportedCall[]>> {
  const filter = {
    address: operator,
    topics: [[EXECUTED_TOPIC, FAILED_TOPIC]],
    fromBlock: 'earliest',
    toBlock: 'latest',
  };
  const logs = (await provider.send('eth_getLogs', [filter])) as {
    topics: string[];
    data: string;
    transactionHash: string;
  }[];
  const calls = new Map<bigint, ReportedCall[]>();
  for (const { topics, data, transactionHash: transaction } of logs) {
    const intent = BigInt.asUintN(NUMBER_BITS, BigInt(topics[1]!));
    const call = { ok: topics[0] === EXECUTED_TOPIC, used: Number(data.slice(0, 66)), transaction };
    calls.set(intent, [...(calls.get(intent) ?? []), call]);
  }
  return calls;
}

async function boundsOf(
  provider: JsonRpcProvider,
  { used, transaction }: ReportedCall,
  own: number,
): Promise<GasBounds> {
  const receipt = (await provider.send('eth_getTransactionReceipt', [transaction])) as { gasUsed: string };
  const most = Math.max(Number(receipt.gasUsed), used + GAS_TOLERANCE);
  return { least: Math.max(0, used - own), most: Math.max(0, most - own) };
}

/** Hardhat's node has no such method; it refuses a nonce ahead of the account, so it keeps none. */
async function countNonceGaps(provider: JsonRpcProvider): Promise<number> {
  const status = (await provider.send('txpool_status', []).catch(() => null)) as { queued: string } | null;
  return status ? Number(status.queued) : 0;
}

/** Required of every run. */
export const FLAWLESS = {
  lost: 0,
  doubled: 0,
  unasked: 0,
  falseFailures: 0,
  falseAnswers: 0,
  nonceGaps: 0,
  ledgerErrors: 0,
};
