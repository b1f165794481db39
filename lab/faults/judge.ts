import type { JsonRpcProvider } from 'ethers';
import type { Db } from '../../src/db/client.ts';
import { isAmong } from '../judge/failure-rules.ts';
import type { Allowance } from '../judge/history.ts';
import { judge as judgeHistory } from '../judge/judge.ts';
import type { Violation } from '../judge/judge.ts';
import type { Claim } from '../load/writes.ts';
import { openProvider } from '../stage/provider.ts';
import { countLedgerErrors, readIntents } from './books.ts';
import type { BookedIntent } from './books.ts';
import { countGasErrors } from './gas-errors.ts';
import { byIntent, readCalls } from './operator-events.ts';
import { codeOf, readRunHistory } from './run-history.ts';

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

/** What `lab/judge` says of a run, and what its books and its pool say beside it. */
export interface Judgement {
  acknowledged: number;
  unknown: number;
  refused: number;
  confirmed: number;
  failed: number;
  /** What the promise excludes, whatever the fault; one sentence each. */
  violations: string[];
  /** Answers and verdicts that are right only where the fault of the run allows them. */
  failures: Failure[];
}

export type Failure = NonNullable<Violation['failure']>;

/** Failures that a run does not let happen, one sentence each: all of them where it allows nothing. */
export const findUnexpected = (failures: readonly Failure[], mayFail: readonly Allowance[] = []): string[] =>
  failures
    .filter((failure) => !isAmong(mayFail, failure))
    .map(({ code, message }) => `failed: ${code} ${message}`.trim());

export interface JudgeOptions {
  /** A reorg deeper than final was made: an answer may have been taken back, as long as the service says so now. */
  isBeyondFinal?: boolean;
  /**
   * Intents that a failover or a restored backup may have taken from the books: they may have an effect all the same.
   */
  lost?: readonly BookedIntent[];
}

/** Judges a run of real processes by its chain, which is read from the node itself, and by its books. */
export async function judge(
  db: Db,
  nodeUrl: string,
  operators: string | readonly string[],
  log: ClientLog,
  { isBeyondFinal = false, lost = [] }: JudgeOptions = {},
): Promise<Judgement> {
  using provider = openProvider(nodeUrl, { batchMaxCount: 1 });
  const intents = await readIntents(db);
  const history = await readRunHistory({
    provider,
    operators,
    intents,
    claims: log.claims,
    lost,
    isBeyondFinal,
  });
  const found = judgeHistory(history);
  const known = new Set(intents.map(({ id }) => id));
  const forgotten = [...log.acknowledged].filter((id) => !known.has(id));
  const calls = await readCalls(provider, operators);
  const gasOf = async (hash: string): Promise<number> => Number((await readReceipt(provider, hash))!.gasUsed);
  const gaps = await countNonceGaps(provider);
  const ledgerErrors =
    (await countLedgerErrors(db)) + (await countGasErrors(intents, byIntent(calls), gasOf));
  return {
    acknowledged: log.acknowledged.size,
    unknown: log.unknown,
    refused: log.refused.length,
    confirmed: intents.filter(({ status, sent }) => status === 'confirmed' && sent).length,
    failed: intents.filter(({ status }) => status === 'failed').length,
    violations: [
      ...found
        .filter(({ failure }) => !failure)
        .map(({ rule, subject, detail }) => `${rule}: ${subject}: ${detail}`),
      ...forgotten.map((id) => `settled: ${id} was acknowledged, and nobody knows it`),
      ...(gaps > 0 ? [`${gaps} transactions wait behind a missing nonce`] : []),
      ...(ledgerErrors > 0 ? [`${ledgerErrors} errors of the ledger`] : []),
    ],
    failures: [
      ...found.flatMap(({ failure }) => failure ?? []),
      ...log.refused.map((status) => ({ code: codeOf(status), message: '' })),
    ],
  };
}

const readReceipt = (provider: JsonRpcProvider, hash: string): Promise<{ gasUsed: string } | null> =>
  provider.send('eth_getTransactionReceipt', [hash]) as Promise<{ gasUsed: string } | null>;

/** Hardhat's node has no such method; it refuses a nonce ahead of the account, so it keeps none. */
async function countNonceGaps(provider: JsonRpcProvider): Promise<number> {
  const status = (await provider.send('txpool_status', []).catch(() => null)) as { queued: string } | null;
  return status ? Number(status.queued) : 0;
}

/** Required of every run. */
export const FLAWLESS: Pick<Judgement, 'violations'> = { violations: [] };
