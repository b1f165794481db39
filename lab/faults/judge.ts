import type { JsonRpcProvider } from 'ethers';
import type { Db } from '../../src/db/client.ts';
import { openProvider } from '../stage/provider.ts';
import { countLedgerErrors, readIntents } from './books.ts';
import type { BookedIntent } from './books.ts';
import { findDisorder } from './disorder.ts';
import { findFalseAnswers, findFalseRecords } from './false-answers.ts';
import type { Claim } from './false-answers.ts';
import { countGasErrors } from './gas-errors.ts';
import { byIntent, readCalls } from './operator-events.ts';

/*
 * The judge decodes the chain by itself and shares no code with the service but the connection to its database: a
 * mistake of the service must not hide itself here.
 */

/** The answers that clients got. A request without an answer is unknown, not failed. */
export interface ClientLog {
  /** Ids of intents that were acknowledged, by 2xx. */
  acknowledged: Set<string>;
  /** Requests without an answer. */
  unknown: number;
  /** The statuses of those that were refused, 4xx or 5xx. */
  refused: number[];
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
  /** Answers that the chain does not bear out, those that are given later among them. */
  falseAnswers: number;
  /** Controls and metadata that had their effect behind a later one of their contract. */
  disordered: number;
  /** Transactions that a pool keeps because a nonce before theirs is missing. */
  nonceGaps: number;
  /** Differences between balances, ledger rows and verdicts, and between what was charged and what the chain says. */
  ledgerErrors: number;
  /** The false answers, and what is out of order, one sentence each. */
  details: string[];
  /** The statuses of the refused requests. */
  statuses: number[];
  /** Why intents failed: code and message of each. */
  reasons: string[];
}

/**
 * What a run lets fail. A failure that had no effect, and gave its quota back, contradicts neither chain nor books: only what the run
 * has done says whether it is a false one.
 */
export interface MayFail {
  /** Of answers. */
  statuses?: readonly number[];
  /** Of failed intents, by code and message. */
  reasons?: RegExp;
}

/** The failures that a run does not let happen, one for each: all of them where it says nothing. */
export function findUnexpected(
  { statuses, reasons }: Pick<Judgement, 'statuses' | 'reasons'>,
  mayFail: MayFail = {},
): string[] {
  return [
    ...statuses
      .filter((status) => !mayFail.statuses?.includes(status))
      .map((status) => `an answer ${status}`),
    ...reasons
      .filter((reason) => !mayFail.reasons?.test(reason))
      .map((reason) => `an intent failed: ${reason}`),
  ];
}

export interface JudgeOptions {
  /** A reorg deeper than final was made: an answer may have been taken back, as long as the service says so now. */
  isBeyondFinal?: boolean;
  /** Numbers of intents that a failover or a restored backup took from the books: they may have an effect all the same. */
  lost?: ReadonlySet<bigint>;
}

/**
 * Compares chain, database and the clients' log. The chain is read from the node itself. Every acknowledged write must
 * have one effect, every unknown one at most one; there must be no effect without a request, or out of order, no answer
 * that the chain does not bear out, no nonce gap, and no difference to the ledger.
 */
export async function judge(
  db: Db,
  nodeUrl: string,
  operators: string | readonly string[],
  log: ClientLog,
  { isBeyondFinal = false, lost = new Set() }: JudgeOptions = {},
): Promise<Judgement> {
  using provider = openProvider(nodeUrl, { batchMaxCount: 1 });
  const calls = await readCalls(provider, operators);
  const effects = byIntent(calls.filter(({ ok }) => ok));
  const done = [...effects.keys()];
  const intents = await readIntents(db);
  const byNumber = new Map(intents.map((intent) => [intent.number, intent]));
  const byId = new Map(intents.map((intent) => [intent.id, intent]));
  const confirmed = intents.filter(({ status, sent }) => status === 'confirmed' && sent);
  const failed = intents.filter(({ status }) => status === 'failed');
  const lostAcknowledged = [...log.acknowledged].filter((id) => {
    const intent = byId.get(id);
    return !intent || intent.status === 'queued' || intent.status === 'submitted';
  });
  const outcomes = new Map(
    intents.map((intent) => [intent.id, { intent, effects: effects.get(intent.number) ?? [] }]),
  );
  const isMined = async (hash: string): Promise<boolean> => (await readReceipt(provider, hash)) !== null;
  const call = (to: string, data: string): Promise<string> => provider.call({ to, data });
  const falseAnswers = [
    ...(await findFalseAnswers(log.claims, { outcomes, call, isMined, isBeyondFinal })),
    ...findFalseRecords(outcomes),
  ];
  const disorder = findDisorder(calls, byNumber);
  const gasOf = async (hash: string): Promise<number> => Number((await readReceipt(provider, hash))!.gasUsed);
  return {
    acknowledged: log.acknowledged.size,
    unknown: log.unknown,
    refused: log.refused.length,
    confirmed: confirmed.length,
    failed: failed.length,
    lost: lostAcknowledged.length + confirmed.filter(({ number }) => !effects.has(number)).length,
    doubled: [...effects.values()].filter(({ length }) => length > 1).length,
    unasked: findUnasked(done, byNumber, lost).length,
    falseFailures: done.filter((number) => byNumber.get(number)?.status === 'failed').length,
    falseAnswers: falseAnswers.length,
    disordered: disorder.length,
    nonceGaps: await countNonceGaps(provider),
    ledgerErrors: (await countLedgerErrors(db)) + (await countGasErrors(intents, byIntent(calls), gasOf)),
    details: [...falseAnswers, ...disorder],
    statuses: log.refused,
    reasons: failed.map(({ error }) => error!),
  };
}

const readReceipt = (provider: JsonRpcProvider, hash: string): Promise<{ gasUsed: string } | null> =>
  provider.send('eth_getTransactionReceipt', [hash]) as Promise<{ gasUsed: string } | null>;

/** Numbers with an effect that no confirmed intent asked for. @param lost writes that the database of the books lost */
export function findUnasked(
  done: readonly bigint[],
  intents: ReadonlyMap<bigint, Pick<BookedIntent, 'status'>>,
  lost: ReadonlySet<bigint>,
): bigint[] {
  return done.filter((number) => {
    const intent = intents.get(number);
    return intent ? intent.status !== 'confirmed' : !lost.has(number);
  });
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
  disordered: 0,
  nonceGaps: 0,
  ledgerErrors: 0,
};
