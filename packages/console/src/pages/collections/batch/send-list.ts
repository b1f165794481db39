import type { components } from '../../../../../../generated/api.ts';
import { describeCall } from '../../../api/call.ts';
import type { Call } from '../../../api/call.ts';
import { toProblem } from '../../../api/problem.ts';
import type { ApiProblem } from '../../../api/problem.ts';
import { sendCall } from '../../../api/send-call.ts';
import type { Part } from './split-list.ts';
import { keyOf } from './split-list.ts';

type Minted = components['schemas']['MintedNftBatch'];
type Answer = Minted | components['schemas']['IntentAccepted'];

export type PartState = { attempt: number } & (
  | { status: 'waiting' | 'sending' }
  /** It got no answer, or is one too many for now: it is sent again with the same key. */
  | { status: 'retrying'; problem: ApiProblem }
  | { status: 'minted'; minted: Minted }
  /** It is accepted, and not on the chain yet. */
  | { status: 'accepted'; intentId: string }
  | { status: 'failed'; problem: ApiProblem }
);

export const NOT_SENT: PartState = { status: 'waiting', attempt: 0 };

const MAX_RETRIES = 4;
const FIRST_PAUSE_MS = 1_000;

export function describePart(address: string, { items }: Part): Call<Answer> {
  return describeCall('post', '/v1/collections/{address}/mint/batch', {
    path: { address },
    body: { items: [...items] },
  });
}

/**
 * Sends one part until its outcome is known, or it was tried often enough. A retry has the same key, so that the service
 * carries it out once.
 * @param report is told what becomes of it
 * @returns whether the next part may follow
 */
export async function sendPart(
  {
    address,
    list,
    part,
    index,
    attempt,
  }: { address: string; list: string; part: Part; index: number; attempt: number },
  report: (state: PartState) => void,
  signal: AbortSignal,
): Promise<boolean> {
  report({ status: 'sending', attempt });
  for (let tries = 0; ; tries += 1) {
    try {
      const { data, status, intentId } = await sendCall(
        describePart(address, part),
        keyOf(list, index, attempt),
      );
      if (status === 202) report({ status: 'accepted', attempt, intentId: intentId! });
      else report({ status: 'minted', attempt, minted: data as Minted });
      return true;
    } catch (error) {
      const problem = toProblem(error)!;
      const isPassing = problem.isUncertain || problem.code === 'RATE_LIMITED';
      if (!isPassing || tries === MAX_RETRIES || signal.aborted) {
        report({ status: 'failed', attempt, problem });
        return false;
      }
      report({ status: 'retrying', attempt, problem });
      await pause(
        problem.retryAfterSeconds === null ? FIRST_PAUSE_MS * 2 ** tries : problem.retryAfterSeconds * 1_000,
      );
    }
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
