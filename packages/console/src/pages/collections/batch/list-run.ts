import { describeCall } from '../../../api/call.ts';
import type { Call } from '../../../api/call.ts';
import { toProblem } from '../../../api/problem.ts';
import type { ApiProblem } from '../../../api/problem.ts';
import { queryClient } from '../../../api/query.ts';
import { onRecovery } from '../../../api/reachability.ts';
import { running } from '../../../api/running.ts';
import { sendCall } from '../../../api/send-call.ts';
import { createStore } from '../../../api/store.ts';
import type { Item } from './read-list.ts';
import type { Source } from './list-source.tsx';
import { keepOutcome } from './outcomes.ts';
import type { OpenRow } from './plan-list.ts';
import { runRows } from './run-rows.ts';
import type { RunningRow } from './run-rows.ts';

/** A list that is minted, or was until it was done or stopped. */
export interface ListRun {
  /** Of the collection. */
  address: string;
  source: Source;
  rows: readonly RunningRow[];
  isRunning: boolean;
  /** Why it stopped. */
  problem: ApiProblem | null;
  /** Why nothing goes on at the moment. */
  trouble: ApiProblem | null;
}

/** Query of what is known of the rows of lists; a run changes that. */
export const KNOWN_ROWS = 'known rows';

/** Beside the pages: it goes on while they are left. */
export const listRun = createStore<ListRun | null>(null);

let controller = new AbortController();

export function describeRow(address: string, item: Item): Call {
  return describeCall('post', '/v1/collections/{address}/mint', { path: { address }, body: item });
}

export function startRun(address: string, source: Source, rows: readonly OpenRow[]): void {
  listRun.set({
    ...{ address, source, isRunning: false, problem: null, trouble: null },
    rows: rows.map((row) => ({ ...row, state: { status: 'waiting' } })),
  });
  goOn();
}

/** Sends what has no verdict. @param withFailed whether failed rows are tried again */
export function goOn({ withFailed = false } = {}): void {
  const { rows } = listRun.get()!;
  if (withFailed)
    for (const row of rows) if (row.state.status === 'failed') row.state = { status: 'waiting' };
  controller = new AbortController();
  change({ isRunning: true, problem: null });
  void run(controller.signal);
}

/** Ends it after the rows under way. */
export function stopRun(): void {
  controller.abort();
}

/** For another list. */
export function forgetRun(): void {
  if (!listRun.get()?.isRunning) listRun.set(null);
}

async function run(signal: AbortSignal): Promise<void> {
  const { address, rows } = listRun.get()!;
  const problem = await runRows(rows, {
    address,
    send: (row, key, waits) => sendCall(describeRow(address, row.item), key, { isAsync: !waits }),
    keep: keepOutcome,
    report: (trouble) => change({ trouble }),
    pause,
    signal,
  }).catch((error: unknown) => toProblem(error)!);
  queryClient.removeQueries({ queryKey: [KNOWN_ROWS] });
  change({ isRunning: false, problem, trouble: null });
  await queryClient.invalidateQueries();
}

function change(part: Partial<ListRun>): void {
  const next = { ...listRun.get()!, ...part };
  listRun.set(next);
  const { address, rows, isRunning } = next;
  const done = rows.filter(({ state }) => state.status === 'minted' || state.status === 'failed').length;
  const path = `/collections/${address}/batch`;
  running.set(isRunning ? { name: 'A list is minted', path, done, total: rows.length } : null);
}

/** Ends early when the service answers again, or when somebody stops the list. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      forget();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    const forget = onRecovery(end);
    signal.addEventListener('abort', end);
  });
}
