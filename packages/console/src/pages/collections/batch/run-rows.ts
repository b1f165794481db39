import type { components } from '../../../../../../generated/api.ts';
import { toProblem } from '../../../api/problem.ts';
import type { ApiProblem } from '../../../api/problem.ts';
import { keyOf } from './name-rows.ts';
import type { Row } from './name-rows.ts';
import type { OpenRow, Outcome } from './plan-list.ts';

export type Minted = components['schemas']['MintedNft'];

export type RowState =
  | { status: 'waiting' | 'accepted' }
  | { status: 'minted'; tokenId: string }
  | { status: 'failed'; problem: ApiProblem };

/** A row on its way. Both of its last fields change as it goes on. */
export interface RunningRow extends OpenRow {
  state: RowState;
}

export interface Way {
  /**
   * Sends a row with a key.
   * @param waits whether the answer is to wait for the verdict; it may come as 202 before it all the same
   * @throws ApiProblem
   */
  send(row: Row, key: string, waits: boolean): Promise<{ status: number; data: unknown }>;
  /** Keeps what is known of a row, before and after it is sent. */
  keep(outcome: Outcome): Promise<void>;
  /** Address of the collection. */
  address: string;
  /** Something changed. @param trouble why nothing goes on at the moment; it goes on by itself */
  report(trouble: ApiProblem | null): void;
  pause(ms: number, signal: AbortSignal): Promise<void>;
  signal: AbortSignal;
}

const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 15_000;
/** Who is to wait longer decides that for himself. */
const MAX_RETRY_AFTER_S = 300;

/**
 * Mints rows, each by a request of its own: in their order, which is that of their numbers on the chain, and without
 * waiting for the chain in between. A failed row leaves the others alone. It goes on through an outage of the service,
 * however long. Whatever is sent twice has the same key, so that the service carries it out once. What was accepted is
 * followed to its verdict, also where no further row is sent.
 * @returns why it stopped before the last row; null when it did not, or when `signal` ended it
 */
export async function runRows(rows: readonly RunningRow[], way: Way): Promise<ApiProblem | null> {
  let stopped: ApiProblem | null = null;
  let settling = Promise.resolve();
  const note = (problem: ApiProblem | null): void => void (stopped ??= problem);
  let isHeard = true;
  const settle = async (row: RunningRow): Promise<void> => {
    while (row.state.status === 'accepted' && !way.signal.aborted && isHeard) {
      const problem = await ask(row, true, way);
      note(problem);
      isHeard = problem === null;
    }
  };
  for (const row of rows) {
    if (row.state.status === 'minted' || row.state.status === 'failed') continue;
    note(await ask(row, false, way));
    if (stopped || way.signal.aborted) break;
    settling = settling.then(() => settle(row));
  }
  await settling;
  return stopped;
}

/** Sends a row until its answer is known. @returns what stops the whole list */
async function ask(row: RunningRow, waits: boolean, way: Way): Promise<ApiProblem | null> {
  const isFirst = row.state.status === 'waiting';
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
    if (way.signal.aborted) return null;
    try {
      if (isFirst) await keep(row, 'sent', way);
      const { status, data } = await way.send(row.row, keyOf(row.row.name, row.attempt), waits);
      if (status === 202) row.state = { status: 'accepted' };
      else await noteMinted(row, data as Minted, way);
      way.report(null);
      return null;
    } catch (error) {
      const problem = toProblem(error)!;
      if (problem.intentId !== null || problem.status === 422) {
        await noteFailed(row, problem, way);
        return null;
      }
      if (!isPassing(problem)) {
        if (isFirst) await keep(row, 'failed', way);
        return problem;
      }
      way.report(problem);
      await way.pause((problem.retryAfterSeconds ?? 0) * 1_000 || pauseMs, way.signal);
    }
  }
}

function isPassing(problem: ApiProblem): boolean {
  if (problem.code === 'RATE_LIMITED') return (problem.retryAfterSeconds ?? 0) <= MAX_RETRY_AFTER_S;
  return problem.isUncertain;
}

async function noteMinted(row: RunningRow, { tokenId }: Minted, way: Way): Promise<void> {
  row.state = { status: 'minted', tokenId };
  await keep(row, 'minted', way, tokenId);
}

/** What was accepted and then failed had no effect, and needs another key. */
async function noteFailed(row: RunningRow, problem: ApiProblem, way: Way): Promise<void> {
  row.state = { status: 'failed', problem };
  if (problem.intentId !== null) row.attempt += 1;
  await keep(row, 'failed', way);
  way.report(null);
}

function keep(
  { row, attempt }: RunningRow,
  status: Outcome['status'],
  { keep: write, address }: Way,
  tokenId: string | null = null,
): Promise<void> {
  const to = row.item.to.toLowerCase();
  return write({
    name: row.name,
    address: address.toLowerCase(),
    to,
    status,
    attempt,
    tokenId,
    at: Date.now(),
  });
}
